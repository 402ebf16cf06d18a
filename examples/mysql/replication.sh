# How a member stands to the others; sourced after member.sh.
# shellcheck shell=sh disable=SC2034

# Whom this member was told to follow last.
LEADER=$RUN/leader
# The id of the command that is turning this member: to another primary, or into one.
TURNING=$RUN/turning

# Says that what stands still meanwhile goes on again when this command ends.
begin_turn() {
    make_run
    echo $$ >"$TURNING" || die "$TURNING could not be written"
    trap 'rm -f "$TURNING"' EXIT
}

# Whether such a command runs.
is_turning() {
    read -r command_pid <"$TURNING" && kill -0 "$command_pid"
} 2>/dev/null

# look SECONDS: sets what the server says of itself; fails, with REFUSAL set, if it does not answer.
# RECEIVING and APPLYING: Yes, No or Connecting; empty where nobody is followed.
look() {
    READ_ONLY=1 GROUP='' POSITION='' FOLLOWED='' RECEIVING='' APPLYING='' RECEIVED='' FAULT='' REFUSAL=''
    answer=$(sql "$1" "SELECT @@read_only AS read_only, @@gtid_domain_id AS domain,
        @@gtid_binlog_pos AS position; SHOW SLAVE STATUS" --column-names --vertical 2>&1) ||
        { REFUSAL=$answer && return 1; }
    while read -r name value; do
        case $name in
        read_only:) READ_ONLY=$value ;;
        domain:) GROUP=$value ;;
        position:) POSITION=$value ;;
        Master_Host:) FOLLOWED=$value ;;
        Slave_IO_Running:) RECEIVING=$value ;;
        Slave_SQL_Running:) APPLYING=$value ;;
        Gtid_IO_Pos:) RECEIVED=$value ;;
        Last_IO_Error: | Last_SQL_Error:) FAULT=$FAULT$value ;;
        esac
    done <<END
$answer
END
}

# reached POSITION: whether that is applied, within a second.
reached() {
    [ "$(sql 10 "SELECT MASTER_GTID_WAIT('$1', 1)")" = 0 ]
}

# Waits until all that this secondary received is applied; fails if it cannot be. Until then what it
# has told the primary to have is in its relay log, and in no position.
apply_received() {
    look 10 || { echo "$REFUSAL" >&2 && return 1; }
    target=$RECEIVED
    until [ -z "$target" ] || reached "$target"; do
        look 10 && [ "$APPLYING" = Yes ] && continue
        echo "received up to $target, but it cannot be applied: $FAULT$REFUSAL" >&2
        return 1
    done
}

# ask HOST STATEMENT: asks the server of another member.
ask() {
    MYSQL_PWD=$REPLICATION_PASSWORD timeout -k 1 10 mariadb --no-defaults --host="$1" --user=replication \
        --connect-timeout=5 --batch --skip-column-names --execute="$2" 9>&-
}

# lacks STATE OTHER: prints the first GTID of STATE that OTHER does not reach; fails if there is none.
# Both are lists of DOMAIN-SERVER-NUMBER, one for each server, as gtid_binlog_state is.
lacks() {
    printf '%s\n' "$1" "$2" | awk -F, '
        NR == 2 { for (i = 1; i <= NF; i++) { split($i, g, "-"); theirs[g[1] "-" g[2]] = g[3] } }
        NR == 1 { line = $0 }
        END {
            n = split(line, ours, ",")
            for (i = 1; i <= n; i++) {
                split(ours[i], g, "-")
                source = g[1] "-" g[2]
                if (!(source in theirs) || theirs[source] + 0 < g[3] + 0) { print ours[i]; exit 0 }
            }
            exit 1
        }'
}

# of_server STATE: how far the transactions of this server go in it.
of_server() {
    echo "$1" | tr , '\n' | sed -n "s/^$DOMAIN-$SERVER-//p"
}

# point HOST: follow this primary, from the last transaction that is here.
point() {
    sql 60 "SET GLOBAL read_only = ON;
        SET GLOBAL rpl_semi_sync_master_enabled = OFF;
        SET GLOBAL gtid_slave_pos = @@gtid_binlog_pos;
        CHANGE MASTER TO MASTER_HOST = '$1', MASTER_PORT = 3306, MASTER_USER = 'replication',
            MASTER_PASSWORD = '$(quote "$REPLICATION_PASSWORD")',
            MASTER_CONNECT_RETRY = 1, MASTER_USE_GTID = slave_pos;
        START SLAVE"
}

# From now on this member's word that it has a transaction is enough for the primary.
vouch() {
    sql 60 "SET GLOBAL rpl_semi_sync_slave_enabled = ON; STOP SLAVE IO_THREAD; START SLAVE IO_THREAD"
}

# Takes writes. Each commit waits from now on until a secondary has it.
take_writes() {
    sql 60 "STOP SLAVE; RESET SLAVE ALL; SET GLOBAL rpl_semi_sync_slave_enabled = OFF;
        SET GLOBAL rpl_semi_sync_master_enabled = ON; SET GLOBAL read_only = OFF"
}
