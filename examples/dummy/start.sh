#!/bin/sh
# Joins the running members named on the command line as a primary; or promotes this member if
# it runs as a secondary.
set -u
# shellcheck source=member.sh
. /lib/member.sh

note primary
fault primary
if running; then
    echo primary >"$RUN/role"
    exit 0
fi
[ $# -gt 0 ] || die "no running member to join was named"
copy "$@"
launch primary
