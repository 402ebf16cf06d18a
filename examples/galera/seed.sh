#!/bin/sh
# Begins the cluster from this member's data, or from nothing on the very first start.
# Returns 0 once clients can write; otherwise fails and says why.
set -u
# shellcheck source=member.sh
. /usr/local/lib/member.sh

# One account for clients, made before the server has ever listened. Members that join later
# receive it with the data.
account() {
    [ -n "${MARIADB_PASSWORD:-}" ] || return 0
    password=$(printf %s "$MARIADB_PASSWORD" | sed "s/[\\\\']/\\\\&/g")
    cat <<END
FLUSH PRIVILEGES;
CREATE DATABASE IF NOT EXISTS \`${MARIADB_DATABASE:-app}\`;
CREATE USER IF NOT EXISTS '${MARIADB_USER:-app}'@'%' IDENTIFIED BY '$password';
GRANT ALL ON \`${MARIADB_DATABASE:-app}\`.* TO '${MARIADB_USER:-app}'@'%';
END
}

install_db() {
    make_run
    (umask 077 && account >"$RUN/account.sql")
    # shellcheck disable=SC2086
    mariadb-install-db --datadir="$DATA" --skip-test-db --auth-root-authentication-method=socket \
        --auth-root-socket-user=root --extra-file="$RUN/account.sql" ${AS_MYSQL:+--user=mysql} \
        >"$RUN/install.log" 2>&1
    installed=$?
    rm -f "$RUN/account.sql"
    [ "$installed" = 0 ] || { cat "$RUN/install.log" >&2 && die "the data folder could not be made"; }
}

if database >/dev/null; then die "a database runs here already"; fi

if nothing_here; then
    begin_folder
    install_db
    launch --wsrep-new-cluster --wsrep_cluster_address=gcomm://
else
    own_data
    position || exit 1
    note "${POSITION%:*}" 1 || die "grastate.dat could not be written"
    launch --wsrep-new-cluster --wsrep_cluster_address=gcomm:// --wsrep_start_position="$POSITION"
fi
await_service || exit 1

# The history must be the one that was chosen; the others could not follow another.
if [ -n "${POSITION:-}" ] && [ "$GROUP" != "${POSITION%:*}" ]; then
    /usr/local/bin/stop.sh
    die "asked to go on from $POSITION, but the server began $GROUP"
fi
echo "seeded $GROUP at $COMMITTED"
