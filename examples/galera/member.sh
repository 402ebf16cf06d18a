# What the scripts of a member share; sourced, never run, so some of what is set is used elsewhere.
# shellcheck shell=sh disable=SC2034

MOUNT=/var/lib/mysql
DATA=$MOUNT/data
# There from the making of an empty data folder until it first was part of a cluster.
UNBORN=$MOUNT/never-a-member
RUN=/run/mysqld
SOCKET=$RUN/mysqld.sock
LOG=$RUN/error.log
# Of a start that is under way, the id of its script: asked often and briefly, since a member answers late or not at all.
STARTING=$RUN/starting
# The position that sequence.sh recovered, so that a start need not recover it again.
RECOVERED=$RUN/recovered
NOBODY=00000000-0000-0000-0000-000000000000
# Seconds that a member which joins waits for a group that went away: as long as Galera itself looks for one at first
# (pc.wait_prim_timeout).
FOR_COMPANY=30

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

# is_database FOLDER: whether this process of mariadbd is a database. A recovery and an installation are not. A dead
# process that its parent has not reaped yet is not: its command line is empty.
is_database() {
    read_arguments "$1"
    case $ARGUMENTS in
    '') return 1 ;;
    *--wsrep-recover* | *--bootstrap*) ;;
    *) return 0 ;;
    esac
    # The name of a pod may contain these words. Only here the arguments have to be told apart.
    case $(tr '\0' ' ' <"$1/cmdline") in '' | *' --wsrep-recover '* | *' --bootstrap '*) return 1 ;; esac
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
    case $ARGUMENTS in */seed.sh* | */primary.sh*) ;; *) return 1 ;; esac
} 2>/dev/null

# What a database left behind, helpers of a state transfer, ends within a second or two; until
# then it holds the volume lock. $1 is the database's process, which leads their group.
await_helpers() {
    tries=0
    while [ "$tries" -lt 100 ] && pgrep -r D,R,S,T -g "$1" >/dev/null; do
        tries=$((tries + 1))
        sleep 0.05
    done
}

# look SECONDS: asks the local server for its state with one client, and sets the variables below. It fails if the
# server does not answer; REFUSAL is then the reason. The client closes the volume lock, which only the database holds.
look() {
    READY=OFF COMPONENT=unknown COMMENT=unknown GROUP='' COMMITTED=-1 REFUSAL=
    answer=$(timeout -k 1 "$1" mariadb --no-defaults --socket="$SOCKET" --user=root --batch --skip-column-names \
        --execute="SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_ready', 'wsrep_cluster_status',
            'wsrep_local_state_comment', 'wsrep_cluster_state_uuid', 'wsrep_last_committed')" 2>&1 9>&-) ||
        { REFUSAL=$answer && return 1; }
    while read -r name value; do
        case $name in
        wsrep_ready) READY=$value ;;
        wsrep_cluster_status) COMPONENT=$value ;;
        wsrep_local_state_comment) COMMENT=$value ;;
        wsrep_cluster_state_uuid) GROUP=$value ;;
        wsrep_last_committed) COMMITTED=$value ;;
        esac
    done <<END
$answer
END
}

# A member of the primary component that takes statements; a donor that can serve, serves.
serves() {
    [ "$COMPONENT" = Primary ] && [ "$READY" = ON ]
}

# ---- Data at rest -------------------------------------------------------------------------

# Nothing was ever acknowledged from this folder: there is none, it is empty, or its first
# membership (or its installation) never came about.
nothing_here() {
    [ -e "$DATA" ] || return 0
    entries=$(ls -A "$DATA") || die "the data folder cannot be read"
    [ -n "$entries" ] || return 0
    [ -e "$UNBORN" ] && [ "$(saved uuid)" = "$NOBODY" ]
}

# saved KEY: a value of Galera's own note; it names a position only after a clean stop.
saved() {
    value=$(sed -n "s/^$1: *//p" "$DATA/grastate.dat" 2>/dev/null)
    case $1 in
    uuid) echo "${value:-$NOBODY}" ;;
    *) echo "${value:--1}" ;;
    esac
}

# A running database changes these files of the data. Options in the configuration change what a recovery finds.
fingerprint() {
    stat -c '%n %i %s %z' "$DATA/ibdata1" "$DATA/ib_logfile0" "$DATA/grastate.dat" \
        /etc/mysql/my.cnf /etc/mysql/*.d /etc/mysql/*.d/* 2>/dev/null
}

# Sets POSITION=UUID:SEQNO of the data at rest, or fails and says why.
position() {
    uuid=$(saved uuid)
    POSITION=$uuid:$(saved seqno)
    if [ "$uuid" = "$NOBODY" ] && [ -e "$DATA/grastate.dat" ]; then
        echo "grastate.dat names no history: a copy was cut short, or Galera found the data inconsistent" >&2
        return 1
    fi
    case $POSITION in *:-*) ;; *) return 0 ;; esac

    if [ "$(sed 1d "$RECOVERED" 2>/dev/null)" = "$(fingerprint)" ]; then
        POSITION=$(sed -n 1p "$RECOVERED")
    else
        recover || return 1
    fi
    case $POSITION in "$uuid":*) return 0 ;; esac
    [ "$uuid" = "$NOBODY" ] && return 0
    echo "grastate.dat says $uuid, the data says $POSITION" >&2
    return 1
}

# InnoDB knows the last write-set that it holds. This runs the redo log over the data, which
# changes nothing that counts: a second run finds the same. So it ends with the script that wants it, however that
# ends: nobody else could end it, and it holds the volume lock. The change of user comes first, for it takes that back.
recover() {
    make_run
    # Options of its own for all that a running server would share. It never connects, but
    # wants an address.
    # shellcheck disable=SC2086
    $AS_MYSQL setpriv --pdeathsig KILL mariadbd --wsrep-recover --wsrep_cluster_address=gcomm:// --skip-log-error \
        --pid-file="$RUN/recover.pid" --socket="$RUN/recover.sock" >"$RUN/recover.log" 2>&1 </dev/null
    ended=$?
    POSITION=$(sed -n 's/.*WSREP: Recovered position: *\([^ ,]*\).*/\1/p' "$RUN/recover.log" | tail -n 1)
    # The position is older than the data if the recovery leaves the redo log out.
    if grep -q -e 'innodb_force_recovery is set to 6' -e 'skips redo log apply' "$RUN/recover.log"; then
        ended="innodb_force_recovery"
    fi
    case $ended:$POSITION in
    innodb_force_recovery:*) reason="innodb_force_recovery left the redo log out; take the option away" ;;
    [!0]*:*) reason="mariadbd --wsrep-recover ended with $ended" ;;
    0:) reason="mariadbd --wsrep-recover found no position" ;;
    0:"$NOBODY":* | 0:*:-1) reason="the data never was part of a cluster: $POSITION" ;;
    *)
        { echo "$POSITION" && fingerprint; } >"$RECOVERED"
        return 0
        ;;
    esac
    { echo "$reason" && complaints "$RUN/recover.log"; } >&2
    return 1
}

# complaints LOG: its last lines that matter.
complaints() {
    grep -E '\[ERROR\]|rror:|Fatal|signal' "$1" | tail -n 10
    echo "... and its end:"
    tail -n 5 "$1"
}

# ---- Starting -----------------------------------------------------------------------------

make_run() {
    mkdir -p "$RUN"
    [ -z "$AS_MYSQL" ] || chown mysql:mysql "$RUN"
}

# Makes the data folder the database's own (a new volume is root's; a restored one may be anyone's).
own_data() {
    mkdir -p "$DATA"
    [ -z "$AS_MYSQL" ] || [ "$(stat -c %U "$DATA")" = mysql ] || chown -R mysql:mysql "$DATA"
}

# What is here was part of a cluster from now on; fails if a power cut could still make it "nothing here".
born() {
    rm -f "$UNBORN" && sync "$MOUNT"
}

# An empty data folder, marked so that an end at any point from here on leaves "nothing here".
begin_folder() {
    touch "$UNBORN" && sync "$UNBORN" "$MOUNT" || die "$UNBORN could not be written"
    rm -rf "$DATA" || die "what was begun in $DATA cannot be removed"
    own_data
}

# note UUID BOOTSTRAP: writes the saved state as that of running data, on disk before the
# database runs. Galera does the same but does not flush it: a power cut could bring back the
# seqno of the last clean stop, beside newer data.
note() {
    born || return 1
    printf '# GALERA saved state\nversion: 2.1\nuuid:    %s\nseqno:   -1\nsafe_to_bootstrap: %s\n' \
        "$1" "$2" >"$DATA/grastate.new" &&
        { [ -z "$AS_MYSQL" ] || chown mysql:mysql "$DATA/grastate.new"; } &&
        sync "$DATA/grastate.new" && mv "$DATA/grastate.new" "$DATA/grastate.dat" && sync "$DATA"
}

# launch ARG...: starts the database as a daemon in a session of its own (the state transfer
# scripts kill by process group). It inherits descriptor 9, the volume lock, and keeps none of
# the caller's streams.
launch() {
    make_run
    echo $$ >"$STARTING" || die "$STARTING could not be written"
    rm -f "$DATA/gvwstate.dat" "$SOCKET" "$RECOVERED"
    [ ! -s "$LOG" ] || mv "$LOG" "$LOG.1"
    # The pod's own address; the first that is not of the loopback.
    address=$(hostname -i | tr ' ' '\n' | grep -v -m1 -e '^127\.' -e '^::1$')
    case $address in
        *:*)
            address="[$address]"
            # Galera listens on IPv4 addresses only unless it is told otherwise.
            options=$(my_print_defaults mysqld | sed -n 's/^--wsrep[-_]provider[-_]options=//p' | tail -n 1)
            set -- "$@" "--wsrep_provider_options=$options;gmcast.listen_addr=tcp://[::]:4567"
            ;;
    esac
    # shellcheck disable=SC2086
    setsid $AS_MYSQL mariadbd --wsrep_node_name="$POD_NAME" --wsrep_node_address="$address" "$@" \
        </dev/null >>"$LOG" 2>&1 &
    DB=$!
}

# Whether the launched database is there, and not one that is dead and not yet reaped.
lives() {
    read -r _ _ state _ <"/proc/$DB/stat" && [ "$state" != Z ]
} 2>/dev/null

# Whether a member of its group is connected to the launched database.
has_company() {
    [ -n "$(ss -Htn state established '( sport = :4567 or dport = :4567 )' 2>/dev/null)" ]
}

# Sets MET to when a member was last connected to the database that joins; whether that is too long ago. One that has not
# met any yet ends by itself, and one that takes what it misses may answer for long that it is in no primary component.
is_left_alone() {
    read -r now _ </proc/uptime
    now=${now%.*}
    # A copy may take hours: once a second is enough.
    if [ "$MET" != "$now" ] && has_company; then MET=$now; fi
    [ -n "$MET" ] && [ $((now - MET)) -ge "$FOR_COMPANY" ]
}

# await_service [PEER...]: waits until the launched database serves, by joining these. No limit of its own: the operator
# has one, and a copy takes as long as it takes. A database that cannot get there ends by itself, but for one whose group
# goes away while it joins: that waits for ever, for members that wait for its end to be started anew, and may not end
# when it is asked to. It never served, so nothing that was acknowledged ends with it.
await_service() {
    MET=
    while lives; do
        if [ -S "$SOCKET" ] && look 5 && serves; then
            rm -f "$STARTING"
            born && return 0
            /usr/local/bin/stop.sh
            die "$UNBORN could not be removed for good"
        fi
        if [ $# -gt 0 ] && is_left_alone; then
            echo "no member was connected for $FOR_COMPANY s; it is ended" >&2
            kill -s KILL -- "-$DB"
            break
        fi
        sleep 0.05
    done
    rm -f "$STARTING"
    await_helpers "$DB"
    echo "mariadbd ended before it served:" >&2
    complaints "$LOG" >&2
    return 1
}
