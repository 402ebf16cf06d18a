#!/bin/sh
# The container's own command: waits, reaps what is left behind, and on SIGTERM stops the
# application and ends. It starts nothing: the operator does.
set -u

trap '/dummy stop; exit 0' TERM INT
while :; do
    sleep 3600 &
    wait $!
done
