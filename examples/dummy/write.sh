#!/bin/sh
# write.sh N: adds N to the number, as a client of a running primary would; prints the new one.
set -u
# shellcheck source=member.sh
. /lib/member.sh

running || die "nothing runs here"
[ "$(role)" = primary ] || die "this member is no primary"
add() { store sequence "$(($(number) + $1))" && number; }
alone add "${1:-1}"
