#!/bin/sh
# Stands for an application with a volume of its own: writes down there who it is, if nobody did, and
# waits. Its arguments are code-server's, and mean nothing here.
set -u

place=/home/coder/project/identity
[ -e "$place" ] || hostname >"$place"
trap 'exit 0' TERM INT
while :; do
    sleep 3600 &
    wait $!
done
