#!/bin/sh
# Begins from this member's data, or from nothing on the very first start, and takes writes.
# Returns 0 once clients can connect; otherwise fails and says why.
set -u
# shellcheck source=member.sh
. /usr/local/lib/member.sh
# shellcheck source=replication.sh
. /usr/local/lib/replication.sh

# The accounts of secondaries and clients, as the first transactions of the history.
accounts() {
    echo "CREATE USER IF NOT EXISTS replication@'%' IDENTIFIED BY '$(quote "$REPLICATION_PASSWORD")';
        GRANT REPLICATION SLAVE ON *.* TO replication@'%';"
    [ -n "${MARIADB_PASSWORD:-}" ] || return 0
    user="'$(quote "${MARIADB_USER:-app}")'@'%'"
    echo "CREATE DATABASE IF NOT EXISTS \`${MARIADB_DATABASE:-app}\`;
        CREATE USER IF NOT EXISTS $user IDENTIFIED BY '$(quote "$MARIADB_PASSWORD")';
        GRANT ALL ON \`${MARIADB_DATABASE:-app}\`.* TO $user;"
}

if database >/dev/null; then die "a database runs here already"; fi
[ -n "${REPLICATION_PASSWORD:-}" ] || die "REPLICATION_PASSWORD is not set: nobody could follow"

# Also what a try before this one left behind is begun anew: nothing was acknowledged from it.
if nothing_here; then begin_folder "$(draw)"; fi
launch || exit 1
if [ -e "$UNBORN" ]; then
    sql 60 "$(accounts)" || give_up "the accounts could not be made"
fi
born || give_up "$UNBORN could not be removed for good"
take_writes || give_up "the server does not take writes"
rm -f "$STARTING" "$LEADER"
look 10 && echo "seeded $GROUP at $POSITION"
