#!/bin/sh
# Joins as a secondary; or demotes this member if it runs as a primary. In a set without
# primaries nobody is named, and it starts from what is here.
set -u
# shellcheck source=member.sh
. /lib/member.sh

note secondary
fault secondary
if running; then
    echo secondary >"$RUN/role"
    exit 0
fi
[ $# = 0 ] || copy "$@"
launch secondary
