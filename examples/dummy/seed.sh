#!/bin/sh
# Begins from what is here. A new member begins a group, and has the number 1 from then on.
set -u
# shellcheck source=member.sh
. /lib/member.sh

note seed
fault seed
if running; then die "it runs already"; fi
[ -n "$(group)" ] || store group "$(cat /proc/sys/kernel/random/uuid)"
[ "$(number)" != 0 ] || store sequence 1
if [ -e "$DATA/fault/seed-late" ]; then
    # Says that it failed, and comes up all the same.
    (sleep "$(cat "$DATA/fault/seed-late")" && launch primary) </dev/null >/dev/null 2>&1 &
    die "failed, as was asked for"
fi
launch primary
