#!/bin/sh
# Follows the primary that is named first (POD.SERVICE). A stopped member starts from its own data where
# the primary has all of them, else from an empty database, and returns once it has what the primary
# had at the beginning. A running one is turned to the primary and returns at once; a running
# primary becomes a secondary.
set -u
# shellcheck source=member.sh
. /usr/local/lib/member.sh
# shellcheck source=replication.sh
. /usr/local/lib/replication.sh

# Waits until the primary that was named says what it has; its name may be a moment late in the DNS.
await_primary() {
    tries=0
    until theirs=$(ask "$primary" 'SELECT @@gtid_domain_id, @@gtid_binlog_pos, @@gtid_binlog_state' 2>&1); do
        tries=$((tries + 1))
        [ "$tries" -lt 50 ] || die "$primary does not answer: $theirs"
        sleep 0.2
    done
    read -r their_domain their_position their_state <<END
$theirs
END
    [ -n "$their_state" ] || die "$primary has no binary log to follow"
}

# What the primary has of this server's own transactions and this server has not would be passed over,
# as its own: then the data get another number.
renew_server() {
    mine=$(of_server "$1")
    has=$(of_server "$their_state")
    [ "${has:-0}" -gt "${mine:-0}" ] || return 0
    note_identity "$DOMAIN" "$(draw)"
    sql 10 "SET GLOBAL server_id = $SERVER" || die "the server keeps its number"
}

# From the first transaction of the primary's binary log, into an empty database.
start_empty() {
    begin_folder "$their_domain"
    launch || exit 1
}

# put_aside WHY: the operator has a member with such data join only where they may be replaced. What was put aside
# before is a person's to remove.
put_aside() {
    aside=$REPLACED; number=1
    while [ -e "$aside" ] || [ -L "$aside" ]; do number=$((number + 1)); aside=$REPLACED.$number; done
    echo "$1: the data are put aside in $aside, and replaced" >&2
    /usr/local/bin/stop.sh
    mv -T "$DATA" "$aside" && sync "$MOUNT" || die "the data cannot be put aside"
    start_empty
}

start() {
    if nothing_here; then
        start_empty
    elif [ ! -s "$IDENTITY" ]; then
        put_aside "$IDENTITY is missing"
    else
        launch || exit 1
        state=$(sql 60 'SELECT @@gtid_binlog_state') || give_up "the server does not say what it holds"
        if missing=$(lacks "$state" "$their_state"); then
            put_aside "$primary does not have $missing"
        else
            renew_server "$state"
        fi
    fi
    point "$primary" || give_up "it cannot be told to follow $primary"
    catch_up
    born || give_up "$UNBORN could not be removed for good"
    vouch || give_up "the secondary's side of semi-synchronous replication cannot be switched on"
    rm -f "$STARTING"
}

# Until it has what the primary had. Gives up where it cannot get there, or the primary is gone.
catch_up() {
    alone=0
    until reached "$their_position"; do
        look 10 || give_up "$REFUSAL"
        case $RECEIVING/$APPLYING in
        Yes/Yes) alone=0 ;;
        Connecting/Yes | Preparing/Yes) alone=$((alone + 1)) ;;
        *) give_up "it cannot follow $primary: $FAULT" ;;
        esac
        [ "$alone" -lt 20 ] || give_up "$primary is not reached any more: $FAULT"
    done
}

turn() {
    look 10 || die "$REFUSAL"
    if [ "$READ_ONLY" = 1 ]; then
        sql 60 'STOP SLAVE IO_THREAD' && apply_received || exit 1
    else
        sql 60 'SET GLOBAL read_only = ON' || die "it does not stop taking writes"
    fi
    state=$(sql 60 'STOP SLAVE; SELECT @@gtid_binlog_state') || die "it does not stop following $FOLLOWED"
    if missing=$(lacks "$state" "$their_state"); then die "$primary does not have $missing, which is here"; fi
    identity
    renew_server "$state"
    sql 10 'SET GLOBAL rpl_semi_sync_slave_enabled = ON' && point "$primary" ||
        die "it cannot be told to follow $primary"
}

[ $# -gt 0 ] || die "no primary to follow was named"
[ -n "${REPLICATION_PASSWORD:-}" ] || die "REPLICATION_PASSWORD is not set"
primary=$1
begin_turn
echo "$primary" >"$LEADER" || die "$LEADER could not be written"
await_primary
if database >/dev/null; then turn; else start; fi
look 10 && echo "follows $FOLLOWED in $GROUP at $POSITION"
