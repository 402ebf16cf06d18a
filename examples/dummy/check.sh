#!/bin/sh
# 8 a primary runs, 0 a secondary runs, 7 nothing runs, 1 a start is under way.
set -u
# shellcheck source=member.sh
. /lib/member.sh

fault status
# Read first: of a member that dies meanwhile, the role is gone before the process is looked for.
role=$(role)
if ! running; then
    [ -e "$RUN/progress" ] || exit 7
    echo "rss.progress=$(cat "$RUN/progress")"
    exit 1
fi
echo "rss.group=$(group)"
echo "$role at $(number)"
case $role in
primary) exit 8 ;;
secondary) exit 0 ;;
*) exit 1 ;;
esac
