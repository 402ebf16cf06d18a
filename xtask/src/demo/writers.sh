# Several writers, each with ids of its own that only grow, through the client service: a connection
# for each row, so that none hides behind an old one. What was acknowledged goes to the log, with the
# seconds since boot at which its connection was begun and at which it was acknowledged.

# A statement has its time: a busy machine answers late, and who gives up what is under way never succeeds.
sql() {
    timeout 10 mariadb --no-defaults --host="$SERVICE" --user=app --connect-timeout=2 app --execute="$1" \
        2>/dev/null
}

# Until somebody listens. A service without members mostly says nothing at all (the kernel refuses a
# few connections in a second), so each try is given up soon and the next one made.
knock() {
    perl -MIO::Socket::INET -e 'until (IO::Socket::INET->new(PeerAddr => $ENV{SERVICE}, PeerPort => 3306,
        Timeout => 0.2)) { select(undef, undef, undef, 0.05) }'
}

write() {
    id=$1
    while :; do
        read -r began _ </proc/uptime
        if sql "INSERT INTO written VALUES ($id)"; then
            read -r ended _ </proc/uptime
            echo "$began $ended $id"
        else
            sleep 0.05
            knock
        fi
        id=$((id + WRITERS))
    done
}

trap 'exit 0' TERM
# The address of the service never changes. A name server that goes with the power answers nothing for many seconds.
until entry=$(getent hosts "$SERVICE"); do sleep 0.1; done
SERVICE=${entry%% *}
export SERVICE
until sql 'CREATE TABLE IF NOT EXISTS written (id BIGINT PRIMARY KEY)'; do sleep 0.1; knock; done
for first in $(seq "$WRITERS"); do write "$first" & done
wait
