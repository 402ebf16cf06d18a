#!/bin/sh
# Prints how much history this member holds: its last sequence number, one decimal integer.
# Nothing at all for a volume that never held any; fails if that cannot be told.
# UUID:SEQNO goes to stderr, for policies that compare histories and not numbers alone.
set -u
# shellcheck source=member.sh
. /usr/local/lib/member.sh

if database >/dev/null; then
    look 60 || die "$REFUSAL"
    POSITION=$GROUP:$COMMITTED
elif nothing_here; then
    exit 0
else
    position || exit 1
fi

case $POSITION in
*:-*) die "no position yet: $POSITION" ;;
*)
    echo "$POSITION" >&2
    echo "${POSITION##*:}"
    ;;
esac
