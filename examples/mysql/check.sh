#!/bin/sh
# Prints the state of the member. Exit codes: 8 the member takes writes; 0 it follows a primary, or waits for its
# primary; 7 no database runs; 1 a database runs and does neither; 126 the state is unknown. Lines for the operator:
# rss.group=ID (the history of the data) and rss.progress=TEXT (changes while a start advances).
set -u
# shellcheck source=member.sh
. /usr/local/lib/member.sh
# shellcheck source=replication.sh
. /usr/local/lib/replication.sh

# Prints the size and the newest change of the data folder.
progress() {
    find "$DATA" -printf '%b %T@\n' 2>/dev/null |
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

echo "rss.group=$GROUP"
if is_starting; then coming_up "at $POSITION${FOLLOWED:+, following $FOLLOWED}${FAULT:+. $FAULT}"; fi
if [ "$READ_ONLY" = 0 ]; then
    echo "primary at $POSITION"
    exit 8
fi
if is_turning; then
    echo "is being turned at $POSITION"
    exit 0
fi
leader=
{ read -r leader <"$LEADER"; } 2>/dev/null
case $RECEIVING/$APPLYING in
Yes/Yes | Connecting/Yes | Preparing/Yes)
    # A person may have pointed the member to another primary while no operator ran. The member is healthy all the same,
    # and the operator points it to the primary that it finds.
    other=
    [ "$FOLLOWED" = "$leader" ] || other=", not ${leader:-a primary}, which the operator chose"
    echo "follows $FOLLOWED$other at $POSITION${FAULT:+. $FAULT}"
    exit 0
    ;;
esac
echo "neither primary nor follows ${leader:-anybody}: $FAULT"
exit 1
