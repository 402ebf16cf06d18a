#!/bin/sh
# The container's own command: waits, shows the database's log, reaps what is left behind, and
# on SIGTERM stops the database and ends. It starts nothing: the operator does.
set -u
# shellcheck source=member.sh
. /usr/local/lib/member.sh

leave() {
    /usr/local/bin/stop.sh
    exit 0
}

trap leave TERM INT
make_run
touch "$LOG"
tail -q -n 0 -F "$LOG" 2>/dev/null &

while :; do
    sleep 3600 &
    wait $!
    # The log is appended to, so it can be cut while the database writes it.
    [ "$(stat -c %s "$LOG")" -lt 16000000 ] || : >"$LOG"
done
