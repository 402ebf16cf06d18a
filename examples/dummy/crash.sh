#!/bin/sh
# For tests: the application dies as in a power cut.
set -u
# shellcheck source=member.sh
. /lib/member.sh

crash
