#!/bin/sh
# Prints the number that this member holds, running or not; 0 for one that is new.
set -u
# shellcheck source=member.sh
. /lib/member.sh

note sequence
fault sequence
number
