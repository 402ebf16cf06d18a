#!/bin/sh
# Prints the state of the member. Exit codes: 0 the member serves; 7 no database runs; 1 a database runs but does not
# serve; 126 the state is unknown. Lines for the operator: rss.group=ID (the history of the data) and
# rss.progress=TEXT (changes while a start advances).
set -u
# shellcheck source=member.sh
. /usr/local/lib/member.sh

# Prints the size and the newest change of the data folder. The buffer of write-sets does not count: it also grows
# while a copy hangs.
progress() {
    find "$DATA" ! -name galera.cache -printf '%b %T@\n' 2>/dev/null |
        awk '{ blocks += $1; if ($2 > newest) newest = $2 }
             END { printf "rss.progress=%d@%.3f\n", blocks * 512, newest }'
}

# A start is neither stopped nor serving, so its state is "failed". The operator does nothing to such a member within
# the time limit of the start, or while the progress line changes.
coming_up() {
    progress
    echo "starting: $1"
    exit 1
}

database >/dev/null || {
    echo "no database runs"
    exit 7
}
patience=60
if is_starting; then
    # Without a socket no client can get an answer.
    [ -S "$SOCKET" ] || coming_up "the server does not listen yet"
    patience=2
fi
if ! look "$patience"; then
    if is_starting; then coming_up "the server does not listen yet"; fi
    echo "the server did not answer: $REFUSAL"
    case $REFUSAL in *'Too many connections'*) exit 126 ;; *) exit 1 ;; esac
fi

[ "$GROUP" = "$NOBODY" ] || echo "rss.group=$GROUP"
echo "$COMPONENT, $COMMENT, at $COMMITTED"
if serves; then exit 0; fi
if is_starting; then coming_up "$COMMENT"; fi
exit 1
