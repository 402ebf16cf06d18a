# What the scripts of the dummy share; sourced, never run, so some of what is set is used elsewhere.
# shellcheck shell=sh disable=SC2034

# With a volume the state is on it; without one (the ancestor's shape) it is the container's own.
DATA=/state
[ ! -d /data ] || DATA=/data
RUN=/run/dummy
PORT=8080

die() {
    echo "$*" >&2
    exit 1
}

# note NAME: one line in DATA/log for each command that began, so that a test can count them.
note() {
    mkdir -p "$DATA"
    echo "$1 $(number) epoch ${RSS_EPOCH:--} attempt ${RSS_ATTEMPT:--}" >>"$DATA/log"
}

# fault NAME: does what a test has asked for in DATA/fault/; see the README.
fault() {
    [ -d "$DATA/fault" ] || return 0
    if [ -e "$DATA/fault/$1-clings" ]; then sleep 3600 9>&- & fi
    if [ -e "$DATA/fault/$1-noise" ]; then cat "$DATA/fault/$1-noise"; fi
    while [ -e "$DATA/fault/$1-hang" ]; do sleep 1; done
    if [ -e "$DATA/fault/$1-slow" ]; then crawl "$(cat "$DATA/fault/$1-slow")"; fi
    if [ -e "$DATA/fault/$1-exit" ]; then exit "$(cat "$DATA/fault/$1-exit")"; fi
}

# Takes its time, and lets status see that it gets on.
crawl() {
    mkdir -p "$RUN"
    for second in $(seq "$1"); do
        echo "$second of $1" >"$RUN/progress"
        sleep 1
    done
    rm -f "$RUN/progress"
}

# The application: a process that is alive and no zombie. It leads a group of its own.
running() {
    pid=$(cat "$RUN/pid" 2>/dev/null) || return 1
    state=$(sed -n 's/^State:[^A-Z]*\(.\).*/\1/p' "/proc/$pid/status" 2>/dev/null)
    [ -n "$state" ] && [ "$state" != Z ]
}

number() { cat "$DATA/sequence" 2>/dev/null || echo 0; }
group() { cat "$DATA/group" 2>/dev/null; }
role() { cat "$RUN/role" 2>/dev/null; }

# store FILE TEXT: whole and on disk, or not at all.
store() {
    mkdir -p "$DATA"
    echo "$2" >"$DATA/.$1.new" && sync && mv "$DATA/.$1.new" "$DATA/$1" && sync
}

# alone COMMAND...: one at a time of those that read the number and then store another.
alone() {
    until mkdir "$RUN/busy" 2>/dev/null; do sleep 0.02; done
    "$@"
    rmdir "$RUN/busy"
}

# fetch HOST FILE: what a running member says, one line. A frozen one is connected to and says
# nothing. (Debian's static wget crashes.)
fetch() {
    line=$(printf 'GET /%s HTTP/1.0\r\n\r\n' "$2" | timeout 2 nc -w 1 "$1" "$PORT" 2>/dev/null 9>&- |
        sed -n '1{/ 200 /!q};$p')
    # Of one that was killed while it answered the last line is the one before the body, or none.
    case $line in
    "" | *"$(printf '\r')"*) return 1 ;;
    esac
    echo "$line"
}

# launch ROLE: starts the application and returns once it answers. It inherits descriptor 9,
# the volume lock, and keeps none of the caller's streams.
launch() {
    mkdir -p "$RUN"
    crash
    echo "$1" >"$RUN/role"
    setsid /app.sh </dev/null >/proc/1/fd/1 2>&1 &
    for _ in $(seq 50); do
        fetch 127.0.0.1 sequence >/dev/null && running && return 0
        sleep 0.1
    done
    die "the application does not answer"
}

# Ends whatever of an application is left, at once.
crash() {
    # The whole group. Busybox takes no -- before it.
    if [ -e "$RUN/pid" ]; then kill -9 "-$(cat "$RUN/pid")" 2>/dev/null; fi
    rm -rf "$RUN/pid" "$RUN/role" "$RUN/busy"
}

# copy PEER...: takes over the number and the group of the first that answers.
copy() {
    for peer in "$@"; do
        if theirs=$(fetch "$peer" sequence) && id=$(fetch "$peer" group); then
            store group "$id" && store sequence "$theirs"
            return
        fi
    done
    die "no running member could be copied: $*"
}
