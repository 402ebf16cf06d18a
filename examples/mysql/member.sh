# What the scripts of a member share; sourced, never run, so some of what is set is used elsewhere.
# shellcheck shell=sh disable=SC2034

MOUNT=/var/lib/mysql
DATA=$MOUNT/data
# Data that a copy from the primary took the place of, for a person: the first such. Later ones are numbered.
REPLACED=$MOUNT/data.replaced
# There from the making of an empty data folder until it first held what it was made for.
UNBORN=$MOUNT/never-a-member
# Two numbers of the data: of its line of history (GTID domain), and of this copy of it (server).
IDENTITY=$DATA/rss-identity
RUN=/run/mysqld
SOCKET=$RUN/mysqld.sock
LOG=$RUN/error.log
# Of a start that is under way: the id of its script.
STARTING=$RUN/starting

die() {
    echo "$*" >&2
    exit 1
}

# check.sh runs every few seconds in each member. Therefore this code and the functions that check.sh calls read files
# with the shell itself: a process costs about 1 ms of CPU time.

# The database never runs as root. Scripts that run as root start it as user mysql.
AS_MYSQL=
while read -r field _ effective_uid _; do
    [ "$field" != Uid: ] || break
done </proc/self/status
[ "$effective_uid" != 0 ] || AS_MYSQL='setpriv --reuid=mysql --regid=mysql --init-groups'

# Prints the id of the process of the running database.
database() {
    for folder in /proc/[0-9]*; do
        # A process may end at any moment.
        read -r process_name <"$folder/comm" || continue
        if [ "$process_name" = mariadbd ] && is_database "$folder"; then
            echo "${folder#/proc/}"
            return 0
        fi
    done 2>/dev/null
    return 1
}

# is_database FOLDER: whether this process of mariadbd is a database. An installation is not, nor is a server that
# sequence.sh starts to read data at rest. A dead process that its parent has not reaped yet is not: its command line
# is empty.
is_database() {
    read_arguments "$1"
    case $ARGUMENTS in
    '') return 1 ;;
    *--skip-networking* | *--bootstrap*) ;;
    *) return 0 ;;
    esac
    # The name of a pod may contain these words. Only here the arguments have to be told apart.
    case $(tr '\0' ' ' <"$1/cmdline") in '' | *' --skip-networking '* | *' --bootstrap '*) return 1 ;; esac
}

# read_arguments FOLDER: sets ARGUMENTS to the command line of a process, or to nothing if the process ended. The
# arguments have no separator: the shell drops the zero bytes. The file has no line end, so `read` always fails.
read_arguments() {
    ARGUMENTS=
    read -r ARGUMENTS <"$1/cmdline" || return 0
}

# Whether a start is under way. A script that was killed leaves STARTING behind, and another process may get its id.
is_starting() {
    read -r starter <"$STARTING" || return 1
    read_arguments "/proc/$starter"
    case $ARGUMENTS in */seed.sh* | */secondary.sh*) ;; *) return 1 ;; esac
} 2>/dev/null

# sql SECONDS STATEMENT [OPTION...]: sends the statement to the local server. The client closes the volume lock, which
# only the database holds. The client reads the statement, which may contain a password, from its standard input.
sql() {
    limit=$1 statement=$2
    shift 2
    timeout -k 1 "$limit" mariadb --no-defaults --socket="$SOCKET" --user=root \
        --batch --skip-column-names "$@" 9>&- <<END
$statement
END
}

# quote TEXT: as it stands between two ' in a statement.
quote() {
    printf %s "$1" | sed "s/[\\\\']/\\\\&/g"
}

# ---- Data at rest -------------------------------------------------------------------------

# Nothing was ever acknowledged from this folder: there is none, it is empty, or it never came to
# hold what it was made for.
nothing_here() {
    [ -e "$DATA" ] && [ ! -e "$UNBORN" ] || return 0
    entries=$(ls -A "$DATA") || die "the data folder cannot be read"
    [ -z "$entries" ]
}

# Sets DOMAIN and SERVER.
identity() {
    { read -r DOMAIN SERVER <"$IDENTITY"; } 2>/dev/null || die "$IDENTITY is missing: these are not a member's data"
}

# note_identity DOMAIN SERVER: whole and on disk, or not at all.
note_identity() {
    echo "$1 $2" >"$IDENTITY.new" && sync "$IDENTITY.new" && mv "$IDENTITY.new" "$IDENTITY" && sync "$DATA" ||
        die "$IDENTITY could not be written"
    DOMAIN=$1 SERVER=$2
}

# A number that nobody else drew, from 1 to 2^31.
draw() {
    echo $(($(od -An -N4 -tu4 /dev/urandom) % 2147483648 + 1))
}

make_run() {
    mkdir -p "$RUN"
    [ -z "$AS_MYSQL" ] || chown mysql:mysql "$RUN"
}

# Makes the data folder the database's own (a new volume is root's; a restored one may be anyone's).
own_data() {
    mkdir -p "$DATA"
    [ -z "$AS_MYSQL" ] || [ "$(stat -c %U "$DATA")" = mysql ] || chown -R mysql:mysql "$DATA"
}

# begin_folder DOMAIN: an empty database of this line of history, marked so that an end at any point
# from here on leaves "nothing here". What is installed is the same everywhere and has no GTIDs.
begin_folder() {
    touch "$UNBORN" && sync "$UNBORN" "$MOUNT" || die "$UNBORN could not be written"
    rm -rf "$DATA" || die "what was begun in $DATA cannot be removed"
    make_run
    own_data
    # shellcheck disable=SC2086
    mariadb-install-db --datadir="$DATA" --skip-test-db --auth-root-authentication-method=socket \
        --auth-root-socket-user=root ${AS_MYSQL:+--user=mysql} >"$RUN/install.log" 2>&1 ||
        { cat "$RUN/install.log" >&2 && die "the data folder could not be made"; }
    note_identity "$1" "$(draw)"
}

# What is here was it from now on; fails if a power cut could still make it "nothing here". A try before this one
# may have ended between the two, so both are done in any case.
born() {
    rm -f "$UNBORN" && sync "$MOUNT"
}

# complaints LOG: its last lines that matter.
complaints() {
    grep -E '\[ERROR\]|rror:|Fatal|signal' "$1" | tail -n 10
    echo "... and its end:"
    tail -n 5 "$1"
}

# give_up WHY: ends a start that came to nothing.
give_up() {
    /usr/local/bin/stop.sh
    die "$@"
}

# ---- Starting -----------------------------------------------------------------------------

# launch: starts the database as a daemon: it takes no writes and follows nobody. It inherits
# descriptor 9, the volume lock, and keeps none of the caller's streams.
launch() {
    make_run
    own_data
    identity
    echo $$ >"$STARTING" || die "$STARTING could not be written"
    rm -f "$SOCKET"
    [ ! -s "$LOG" ] || mv "$LOG" "$LOG.1"
    # shellcheck disable=SC2086
    setsid $AS_MYSQL mariadbd --socket="$SOCKET" --gtid-domain-id="$DOMAIN" --server-id="$SERVER" \
        --report-host="${POD_NAME:-$(hostname)}" </dev/null >>"$LOG" 2>&1 &
    DB=$!
    await_answer "$DB" "$LOG"
}

# await_answer PID LOG: waits until the server answers. No limit of its own: the operator has one.
await_answer() {
    while read -r _ _ state _ <"/proc/$1/stat" && [ "$state" != Z ]; do
        if [ -S "$SOCKET" ] && sql 5 'SELECT 1' >/dev/null 2>&1; then return 0; fi
        sleep 0.05
    done 2>/dev/null
    rm -f "$STARTING"
    { echo "mariadbd ended before it answered:" && complaints "$2"; } >&2
    return 1
}
