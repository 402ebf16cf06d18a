//! Pods and claims that a plan relies on, as the API server tells them at this moment. A command goes to whatever pod has
//! the name by now, and so does the question how a member is. By a cache that is behind, a start would be written down for
//! a container that is gone, the word of another would close one that may still be alive, and what a member held once would
//! be taken for what it holds: who led before may have written on its claim that nothing is known of it any more.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::try_join_all;
use k8s_openapi::api::core::v1 as core;
use kube::{Api, Client, ResourceExt};
use planner::names::{ContainerId, PodUid};
use planner::start::Start;
use planner::{Memory, Observation, Plan, Step};

use super::{Objects, RECORD, Written, pods};

/// A container, in the pod of this name.
type Place = (String, PodUid, ContainerId);

/// Whether each pod that a plan begins a start in, or in which it closes one whose container runs, is the one that was
/// looked at.
pub async fn confirm_pods(
    client: &Client,
    objects: &Objects,
    seen: &Observation,
    memory: &Memory,
    plan: &Plan,
) -> kube::Result<bool> {
    let api: Api<core::Pod> = Api::namespaced(client.clone(), objects.namespace());
    let closed = closed(objects, seen, memory, plan);
    for (name, uid, container) in started(plan).chain(closed).collect::<BTreeSet<_>>() {
        // No version is asked for, so the answer is of this moment and not out of the server's cache.
        let found = api.get_opt(&name).await?;
        if found.as_ref().and_then(place) != Some((name.clone(), uid, container)) {
            tracing::debug!(pod = name, "the cache is behind: it shows another container");
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether every claim tells what it told when a start was planned; where none is, no claim is asked for. One that tells
/// something else is looked at as it is from now on.
pub async fn confirm_claims(
    client: &Client,
    objects: &Objects,
    plan: &Plan,
    written: &mut Written,
) -> kube::Result<bool> {
    if started(plan).next().is_none() {
        return Ok(true);
    }
    let api: Api<core::PersistentVolumeClaim> = Api::namespaced(client.clone(), objects.namespace());
    let held: Vec<_> = objects.claims.values().flatten().collect();
    let names: Vec<String> = held.iter().map(|claim| claim.name_any()).collect();
    let found = try_join_all(names.iter().map(|name| api.get_opt(name))).await?;
    let mut is_as_seen = true;
    for (seen, now) in held.into_iter().zip(found) {
        if now.as_ref().is_some_and(|now| tells_the_same(seen, now)) {
            continue;
        }
        tracing::debug!(claim = seen.name_any(), "the cache is behind: it shows another record");
        is_as_seen = false;
        now.into_iter().for_each(|now| written.keep_claim(Arc::new(now)));
    }
    Ok(is_as_seen)
}

/// It is the same data, with the same record: what others write there says nothing of it.
fn tells_the_same(seen: &core::PersistentVolumeClaim, now: &core::PersistentVolumeClaim) -> bool {
    let record = |claim: &core::PersistentVolumeClaim| claim.annotations().get(RECORD).cloned();
    seen.metadata.uid == now.metadata.uid && record(seen) == record(now)
}

fn started(plan: &Plan) -> impl Iterator<Item = Place> {
    plan.steps.iter().filter_map(|step| match step {
        Step::Run(run) if run.command.is_start() => {
            Some((run.replica.0.clone(), run.if_pod.clone(), run.if_container.clone()))
        }
        _ => None,
    })
}

/// Whatever the proof is: where the container runs it may be the member's own word.
fn closed<'a>(
    objects: &'a Objects,
    seen: &'a Observation,
    memory: &'a Memory,
    plan: &Plan,
) -> impl Iterator<Item = Place> {
    let kept = plan.memory.holders.values().flat_map(|record| &record.open);
    let kept: BTreeSet<_> = kept.map(|start| &start.attempt).collect();
    let claims = seen.replicas.values().flat_map(|replica| &replica.claims);
    let before = memory.holders.values().chain(claims.filter_map(|claim| claim.record.as_ref()));
    let closed = before.flat_map(|record| &record.open).filter(|start| !kept.contains(&start.attempt));
    let closed: Vec<&Start> = closed.collect();
    let places = objects.pods.values().filter_map(|pod| place(pod));
    places.filter(move |(_, uid, container)| {
        closed.iter().any(|start| (&start.pod, &start.container) == (uid, container))
    })
}

/// Where commands are run in this pod.
fn place(pod: &core::Pod) -> Option<Place> {
    Some((pod.name_any(), PodUid(pod.metadata.uid.clone()?), pods::running(pod)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Evidence;
    use crate::observe::fixture::{claim, look, objects, pod, with_start};
    use planner::Record;

    /// A start in the pod `p0`.
    fn started() -> Record {
        let mut record = with_start("p0", "n0");
        record.open[0].container = "c://p0".into();
        record
    }

    fn of(record: Record) -> Memory {
        Memory { holders: [(record.holder.clone(), record)].into(), ..Memory::default() }
    }

    /// The pods in which a plan that remembers this closes a start of the replica, known by its claim, or by Memory.
    fn closes(replica: &str, on_claim: bool, remembered: Memory) -> Vec<PodUid> {
        let mut objects = objects();
        objects.pods = [(replica.into(), pod("p0", "n0"))].into();
        let known = Some(started()).filter(|_| on_claim);
        objects.claims.insert(replica.into(), vec![claim("k0", known.as_ref())]);
        let memory = if on_claim { Memory::default() } else { of(started()) };
        let seen = look(&objects, &memory, Evidence::default());
        let plan = Plan { memory: remembered, ..Plan::default() };
        closed(&objects, &seen, &memory, &plan).map(|(_, pod, _)| pod).collect()
    }

    #[test]
    fn the_pod_of_a_start_that_is_closed_is_asked_for_wherever_that_start_is_written() {
        for (replica, on_claim) in
            [("rss-x-0", true), ("rss-x-0", false), ("rss-x-5", true), ("rss-x-5", false)]
        {
            assert_eq!(closes(replica, on_claim, Memory::default()), ["p0".into()], "{replica} {on_claim}");
            assert!(
                closes(replica, on_claim, of(started())).is_empty(),
                "{replica} {on_claim}: it stays open"
            );
        }
    }
}
