# Several writers, each with ids of its own that only grow, through the client service; a connection for each row.
# The log has a line for each row that was acknowledged: its id, how much had been committed by then, which is the row's
# own place in the history or, where another writer came between, a later one, and when that was.
# WSREP_LAST_WRITTEN_GTID() does not tell the place: it counts transactions by MariaDB's own numbers (domain, server, number),
# and positions are of Galera's history.

sql() {
    timeout 10 mariadb --no-defaults --host="$SERVICE" --user=app --connect-timeout=2 --batch \
        --skip-column-names app --execute="$1" 2>/dev/null
}

write() {
    id=$1
    while :; do
        if said=$(sql "INSERT INTO written VALUES ($id); SHOW STATUS LIKE 'wsrep_last_committed'"); then
            echo "$id ${said##*[!0-9]} $(date +%s%3N)"
        else
            sleep 0.1
        fi
        id=$((id + WRITERS))
    done
}

trap 'exit 0' TERM
until sql 'CREATE TABLE IF NOT EXISTS written (id BIGINT PRIMARY KEY)'; do sleep 0.1; done
for first in $(seq "$WRITERS"); do write "$first" & done
wait
