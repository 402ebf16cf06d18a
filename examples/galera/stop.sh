#!/bin/sh
# Stops the database cleanly and returns when it has ended; at once if none runs. Never kills:
# whether a database that does not end may be ended by force is the operator's to decide.
set -u
# shellcheck source=member.sh
. /usr/local/lib/member.sh

# A SIGTERM that reaches mariadbd before it listens wedges it for ever: it joins the group, but
# neither listens nor ends. So until it answers only its state transfer is ended, and with that
# it ends by itself.
interrupt() {
    while [ -e "$STARTING" ] && [ "$(database)" = "$1" ] && ! look 1; do
        for helper in $(pgrep -g "$1"); do
            [ "$helper" = "$1" ] || kill -TERM "$helper" 2>/dev/null
        done
        sleep 0.2
    done
}

while pid=$(database); do
    interrupt "$pid"
    kill -TERM "$pid" 2>/dev/null
    while [ "$(database)" = "$pid" ]; do sleep 0.05; done
    await_helpers "$pid"
done
rm -f "$STARTING"
