#!/bin/sh
# How the member is: 0 it serves; 7 no database runs; 1 a database runs but does not serve;
# 126 it cannot be told. Facts for the operator: rss.group=ID (the history it is in) and
# rss.progress=TEXT (changes as long as a start gets on).
set -u
# shellcheck source=member.sh
. /usr/local/lib/member.sh

# Bytes and newest change of the data folder, without the buffer of write-sets: that one
# fills while a copy hangs, too.
progress() {
    find "$DATA" ! -name galera.cache -printf '%b %T@\n' 2>/dev/null |
        awk '{ blocks += $1; if ($2 > newest) newest = $2 }
             END { printf "rss.progress=%d@%.3f\n", blocks * 512, newest }'
}

# Not up yet: neither stopped nor serving, so "failed"; within a start's time limit, or while
# the progress line changes, the operator leaves such a member alone.
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
if is_starting; then patience=2; fi
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
