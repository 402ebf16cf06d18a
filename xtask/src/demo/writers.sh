# Several writers, each with ids of its own that only grow, through the client service: a connection
# for each row, so that none hides behind an old one. What was acknowledged goes to the log, with the
# seconds since boot at which its connection was begun and at which it was acknowledged.
sql() {
    timeout 1 mariadb --no-defaults --host="$SERVICE" --user=app --connect-timeout=1 app --execute="$1" 2>/dev/null
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
        fi
        id=$((id + WRITERS))
    done
}

trap 'exit 0' TERM
until sql 'CREATE TABLE IF NOT EXISTS written (id BIGINT PRIMARY KEY)'; do sleep 0.1; done
for first in $(seq "$WRITERS"); do write "$first" & done
wait
