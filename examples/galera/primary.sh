#!/bin/sh
# Joins the cluster of the members named on the command line (each as POD.SERVICE): takes what
# it misses (IST) where its own history allows, else a full copy (SST), which replaces its data.
# Returns 0 once the member serves; otherwise fails and says why. Never begins a cluster.
set -u
# shellcheck source=member.sh
. /usr/local/lib/member.sh

# A name may be late in the DNS; Galera asks for it only once. A server of names keeps the answer that there is no such name
# for 30 s, as CoreDNS does by default.
await_name() {
    tries=0
    until getent hosts "$@" >/dev/null; do
        tries=$((tries + 1))
        [ "$tries" -lt 400 ] || die "no address known for any of: $*"
        sleep 0.1
    done
}

[ $# -gt 0 ] || die "no running member to join was named"
if database >/dev/null; then die "a database runs here already"; fi
await_name "$@"
peers=gcomm://$(IFS=, && echo "$*")

if nothing_here; then
    # A full copy brings all files with it; none need be made first.
    begin_folder
    launch --wsrep_cluster_address="$peers"
else
    own_data
    if position; then
        note "${POSITION%:*}" 0 || die "grastate.dat could not be written"
        launch --wsrep_cluster_address="$peers" --wsrep_start_position="$POSITION"
    else
        echo "a full copy is needed" >&2
        launch --wsrep_cluster_address="$peers"
    fi
fi
await_service "$@" || exit 1
echo "joined $GROUP at $COMMITTED"
