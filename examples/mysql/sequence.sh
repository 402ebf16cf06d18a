#!/bin/sh
# Prints the GTIDs that this member holds, as policy mysql reads them: the variables gtid_*, a line for
# each. Nothing at all for a volume that never held any; fails if that cannot be told.
set -u
# shellcheck source=member.sh
. /usr/local/lib/member.sh
# shellcheck source=replication.sh
. /usr/local/lib/replication.sh

variables() {
    # SHOW VARIABLES would cut a value at 4,096 characters.
    sql 60 "SELECT 'gtid_binlog_state', @@GLOBAL.gtid_binlog_state; SELECT 'gtid_slave_pos', @@GLOBAL.gtid_slave_pos;" ||
        die "the server does not say what it holds"
}

# Starts the server for nobody but this script, which lets InnoDB and the binary log recover from a
# crash, and stops it. A second run finds the same, so the server ends with this script, however that ends:
# nobody else could end it, and it holds the volume lock. The change of user comes first, for it takes that back.
at_rest() {
    make_run
    own_data
    identity
    SOCKET=$RUN/at-rest.sock
    rm -f "$SOCKET"
    # shellcheck disable=SC2086
    $AS_MYSQL setpriv --pdeathsig KILL mariadbd --socket="$SOCKET" --skip-networking --gtid-domain-id="$DOMAIN" --server-id="$SERVER" \
        --pid-file="$RUN/at-rest.pid" >"$RUN/at-rest.log" 2>&1 </dev/null &
    server=$!
    trap 'kill -TERM "$server" 2>/dev/null; wait "$server"' EXIT
    await_answer "$server" "$RUN/at-rest.log" || exit 1
    answer=$(variables) || exit 1
    kill -TERM "$server"
    wait "$server" || die "the server was read and did not end well: $(complaints "$RUN/at-rest.log")"
    trap - EXIT
    echo "$answer"
}

if database >/dev/null; then
    apply_received && variables
elif ! nothing_here; then
    at_rest
fi
