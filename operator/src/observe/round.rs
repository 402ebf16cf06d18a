//! `status`, asked of all replicas at once: the slowest one decides how long the round takes, and
//! it is bounded by its own timeout.

use std::collections::BTreeMap;

use futures::future::join_all;
use planner::names::ReplicaName;
use planner::observation::Status;

use super::{Objects, pods};
use crate::attempts::StatusAsker;
use crate::children::peer;
use crate::exec::ContainerRef;
use crate::target::Target;

/// Asks every replica whose application's container runs. The running primaries of the look before are the
/// peers on the command line.
pub async fn ask_all(
    asker: &StatusAsker,
    objects: &Objects,
    target: &Target,
    peers: &[ReplicaName],
) -> BTreeMap<ReplicaName, Status> {
    let asked = objects.pods.iter().filter_map(|(replica, pod)| {
        let container = pods::running(pod)?;
        let replica = replica.clone();
        let place = ContainerRef {
            namespace: objects.namespace().to_owned(),
            pod: replica.clone(),
            // Of the pod as it runs: the resource may call it otherwise by now.
            name: pods::application_container(pod)?.to_owned(),
        };
        let peers = peers.iter().map(|name| peer(target, &name.0));
        let argv: Vec<String> = target.commands.status.argv.iter().cloned().chain(peers).collect();
        Some(
            async move { (replica, asker.ask(place, container, argv, target.commands.status.timeout).await) },
        )
    });
    join_all(asked).await.into_iter().collect()
}
