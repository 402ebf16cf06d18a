#!/bin/sh
# How the member is: 8 it takes writes; 0 it follows a primary, or waits for that one; 7 no database
# runs; 1 a database runs and does neither; 126 it cannot be told. Facts for the operator:
# rss.group=ID (the line of history it is in) and rss.progress=TEXT (changes while a start gets on).
set -u
# shellcheck source=member.sh
. /usr/local/lib/member.sh
# shellcheck source=replication.sh
. /usr/local/lib/replication.sh

# Bytes and newest change of the data folder.
progress() {
    find "$DATA" -printf '%b %T@\n' 2>/dev/null |
        awk '{ blocks += $1; if ($2 > newest) newest = $2 }
             END { printf "rss.progress=%d@%.3f\n", blocks * 512, newest }'
}

database >/dev/null || {
    echo "no database runs"
    exit 7
}
patience=60
if is_starting; then patience=2; fi
if ! look "$patience"; then
    if is_starting; then progress && echo "starting: the server does not listen yet" && exit 1; fi
    echo "the server did not answer: $REFUSAL"
    case $REFUSAL in *'Too many connections'*) exit 126 ;; *) exit 1 ;; esac
fi

echo "rss.group=$GROUP"
if is_starting; then
    progress
    echo "starting: at $POSITION${FOLLOWED:+, following $FOLLOWED}${FAULT:+. $FAULT}"
    exit 1
fi
if [ "$READ_ONLY" = 0 ]; then
    echo "primary at $POSITION"
    exit 8
fi
if is_turning; then
    echo "is being turned at $POSITION"
    exit 0
fi
told=$(cat "$LEADER" 2>/dev/null)
case $RECEIVING/$APPLYING in
Yes/Yes | Connecting/Yes | Preparing/Yes)
    [ "$FOLLOWED" = "$told" ] || { echo "follows $FOLLOWED, was told to follow $told" && exit 1; }
    echo "follows $FOLLOWED at $POSITION${FAULT:+. $FAULT}"
    exit 0
    ;;
esac
echo "neither primary nor follows ${told:-anybody}: $FAULT"
exit 1
