//! Boots of nodes as the API server tells them at this moment. That a node started anew can close a start, so neither
//! the boot that a start is written with nor a later one is taken from a cache: that may be behind.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube::{Api, Client, Resource, ResourceExt};
use planner::names::{BootId, NodeName};
use planner::record::Record;
use planner::{Memory, Observation, Plan};

use super::{Objects, WatchedNode, pods};

/// A boot of a node, as it is written with a start.
type Boot = (NodeName, BootId);

/// What the API server told of boots.
#[derive(Clone, Debug, Default)]
pub struct Boots {
    /// Of nodes where a start was to be promised, for as long as the cache says otherwise.
    told: BTreeMap<NodeName, BootId>,
    /// Boots that starts were written with, and that are over: none comes back.
    over: BTreeSet<Boot>,
}

impl Boots {
    /// Takes each node from the API server of which the cache is not enough: a start there is of another boot than it
    /// shows, something else was told when a start was promised there, or it does not show the node of a pod that runs.
    pub async fn look(
        &mut self,
        client: &Client,
        objects: &mut Objects,
        records: &[Record],
    ) -> kube::Result<()> {
        let (written, places) = (written(records), places(objects));
        let Some(nodes) = objects.nodes.as_mut() else { return Ok(()) };
        let known = written.iter().map(|(name, _)| name).chain(&places).chain(self.told.keys());
        let names: BTreeSet<NodeName> = known.cloned().collect();
        let cached = boots(nodes, &names);
        for name in self.doubtful(&cached, &written, &places) {
            let node = node(client, &name).await?;
            nodes.retain(|known| known.meta().name.as_ref() != Some(&name.0));
            nodes.extend(node.map(Arc::new));
        }
        let now = boots(nodes, &names);
        self.over.extend(written.into_iter().filter(|boot| is_over(boot, &now)));
        self.told.retain(|name, told| {
            *told = now.get(name).cloned().unwrap_or_default();
            cached.get(name).is_some_and(|cached| cached != told)
        });
        Ok(())
    }

    fn doubtful(
        &self,
        cached: &BTreeMap<NodeName, BootId>,
        written: &BTreeSet<Boot>,
        places: &BTreeSet<NodeName>,
    ) -> BTreeSet<NodeName> {
        let others = written.iter().filter(|boot| is_over(boot, cached) && !self.over.contains(boot));
        let others = others.map(|(name, _)| name.clone());
        let told = self.told.keys().filter(|name| cached.contains_key(name)).cloned();
        let unknown = places.iter().filter(|name| !cached.contains_key(name)).cloned();
        others.chain(told).chain(unknown).collect()
    }

    /// Whether every boot that is about to be written with a start is the one that the API server tells now. Where
    /// nodes may not be seen none is written.
    pub async fn confirm(
        &mut self,
        client: &Client,
        objects: &Objects,
        observation: &Observation,
        memory: &Memory,
        plan: &Plan,
    ) -> kube::Result<bool> {
        let mut is_so = true;
        for (name, boot) in new(observation, memory, plan) {
            if objects.nodes.is_none() {
                continue;
            }
            let told = node(client, &name).await?.map(|node| node.facts.boot).unwrap_or_default();
            if told != boot {
                tracing::debug!(node = name.0, "the cache is behind: it shows another boot");
                is_so = false;
                self.told.insert(name, told);
            }
        }
        Ok(is_so)
    }
}

/// No version is asked for, so the answer is of this moment and not out of the server's cache.
async fn node(client: &Client, name: &NodeName) -> kube::Result<Option<WatchedNode>> {
    Api::all(client.clone()).get_opt(&name.0).await
}

fn boots(nodes: &[Arc<WatchedNode>], names: &BTreeSet<NodeName>) -> BTreeMap<NodeName, BootId> {
    let named = nodes.iter().map(|node| (NodeName(node.name_any()), node));
    named
        .filter(|(name, _)| names.contains(name))
        .map(|(name, node)| (name, node.facts.boot.clone()))
        .collect()
}

/// Another boot is known of this node.
fn is_over((name, boot): &Boot, now: &BTreeMap<NodeName, BootId>) -> bool {
    let is_other = |now: &BootId| !now.0.is_empty() && now != boot;
    !boot.0.is_empty() && now.get(name).is_some_and(is_other)
}

/// The boots that open starts were written with.
fn written(records: &[Record]) -> BTreeSet<Boot> {
    let starts = records.iter().flat_map(|record| &record.open);
    starts.map(|start| (start.node.clone(), start.boot.clone())).collect()
}

/// Where pods run.
fn places(objects: &Objects) -> BTreeSet<NodeName> {
    let running = objects.pods.values().filter(|pod| pods::running(pod).is_some());
    running.filter_map(|pod| pod.spec.as_ref()?.node_name.clone()).map(NodeName).collect()
}

/// The boots of starts that a plan adds, or writes anew for a start that is known.
fn new(observation: &Observation, memory: &Memory, plan: &Plan) -> BTreeSet<Boot> {
    let claims = observation.replicas.values().flat_map(|replica| &replica.claims);
    let before = memory.holders.values().chain(claims.filter_map(|claim| claim.record.as_ref()));
    let known: BTreeSet<_> =
        before.flat_map(|record| &record.open).map(|start| (&start.attempt, &start.boot)).collect();
    let planned = plan.memory.holders.values().flat_map(|record| &record.open);
    let new = planned.filter(|start| !known.contains(&(&start.attempt, &start.boot)));
    new.map(|start| (start.node.clone(), start.boot.clone())).collect()
}

#[cfg(test)]
mod tests;
