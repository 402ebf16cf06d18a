#!/bin/sh
# Ends the application and returns when it has ended; at once if none runs.
set -u
# shellcheck source=member.sh
. /lib/member.sh

fault stop
if running; then
    kill -TERM "$pid"
    while running; do sleep 0.05; done
fi
rm -f "$RUN/pid" "$RUN/role"
