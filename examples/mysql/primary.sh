#!/bin/sh
# Makes this running secondary the primary: it applies all that it received, then takes writes. It
# starts nothing: the one primary of a set begins with seed.sh.
set -u
# shellcheck source=member.sh
. /usr/local/lib/member.sh
# shellcheck source=replication.sh
. /usr/local/lib/replication.sh

database >/dev/null || die "no database runs here, and a set of this application has one primary (spec.primaries: 1)"
begin_turn
look 10 || die "$REFUSAL"
if [ "$READ_ONLY" = 1 ]; then
    sql 60 'STOP SLAVE IO_THREAD' || die "it does not stop following $FOLLOWED"
    apply_received || exit 1
fi
take_writes || die "the server does not take writes"
rm -f "$LEADER"
look 10 && echo "primary of $GROUP at $POSITION"
