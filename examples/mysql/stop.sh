#!/bin/sh
# Stops the database cleanly and returns when it has ended; at once if none runs. Never kills:
# whether a database that does not end may be ended by force is the operator's to decide.
set -u
# shellcheck source=member.sh
. /usr/local/lib/member.sh

while pid=$(database); do
    kill -TERM "$pid" 2>/dev/null
    while [ "$(database)" = "$pid" ]; do sleep 0.05; done
done
rm -f "$STARTING"
