#!/bin/sh
# The application: serves the state to other members and keeps up with whoever has written
# more. Only this loop holds the volume lock; what it starts does not.
set -u
# shellcheck source=member.sh
. /lib/member.sh

# Every pod of the set, by the headless service; the search domain is the cluster's.
peers() {
    domain=$(sed -n 's/^search  *\([^ ]*\).*/\1/p' /etc/resolv.conf)
    nslookup -type=a "${SERVICE_NAME:-}.$domain" 2>/dev/null 9>&- |
        sed -n '/^Name:/,$s/^Address.*: *\([0-9.]*\)$/\1/p'
}

raise() { [ "$1" -le "$(number)" ] || store sequence "$1"; }

follow() {
    for peer in $(peers); do
        [ "$(fetch "$peer" group)" = "$(group)" ] || continue
        theirs=$(fetch "$peer" sequence) || continue
        alone raise "$theirs"
    done
}

echo $$ >"$RUN/pid"
trap 'kill "$server" "$turn"; exit 0' TERM
httpd -f -p "$PORT" -h "$DATA" 9>&- &
server=$!
while :; do
    { sleep 0.5 && follow; } 9>&- &
    turn=$!
    wait "$turn"
done
