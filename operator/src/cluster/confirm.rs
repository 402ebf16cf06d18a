//! What a plan gives up or gives away is asked of the API server itself at that moment: a cache may be behind, and a
//! watch broken.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1 as core;
use kube::ResourceExt;
use kube::api::{Api, ListParams};
use stateful_cluster::memory::Why;
use stateful_cluster::names::Identity;
use stateful_cluster::observation::{Node, Taken};
use stateful_cluster::plan::Cause;
use stateful_cluster::{Memory, Observation, Plan, Step};

use super::names::{IDENTITY, is_claim_of, is_of_name, is_owned, selector_of_claims};
use super::objects::{Claims, Objects, by_key};
use super::session::Shared;
use super::{Wanted, pods};
use crate::observe::WatchedNode;

/// What the API server was asked in one look: each question once.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// What it said of nodes.
    pub(super) nodes: BTreeMap<String, Node>,
    /// Whether it has some node that is heard of, if it was asked.
    pub(super) any_heard: Option<bool>,
    /// The claims are those that it has.
    claims: bool,
    /// Who was asked for before a pod of it is made again.
    names: BTreeSet<Identity>,
    /// Whose name another pod has.
    pub(super) taken: BTreeMap<Identity, Taken>,
}

/// Asks for what the plan rests on. True: something may be otherwise than the caches have it, and the plan is made anew.
pub(super) async fn confirm(
    shared: &Shared,
    wanted: &Wanted,
    objects: &mut Objects,
    memory: &Memory,
    (seen, plan): (&Observation, &Plan),
) -> kube::Result<bool> {
    let mut is_asked = false;
    if objects.asked.any_heard.is_none() && rests_on_silence(seen, plan) {
        ask_for_nodes(shared, objects, seen).await?;
        is_asked = true;
    }
    // A claim that the cache does not have yet keeps the place of a pod that is gone.
    if !objects.asked.claims && seen.target.released.is_some() && gives(plan) {
        objects.claims = claims(shared, wanted).await?;
        objects.asked.claims = true;
        objects.look_who_mounts(shared, wanted, memory).await?;
        is_asked = true;
    }
    Ok(ask_for_names(shared, wanted, objects, plan).await? || is_asked)
}

/// Whatever pod has a name keeps it until it is gone. One of ours that the cache does not have yet is looked after as all
/// are; any other is left alone.
async fn ask_for_names(
    shared: &Shared,
    wanted: &Wanted,
    objects: &mut Objects,
    plan: &Plan,
) -> kube::Result<bool> {
    let api: Api<core::Pod> = Api::namespaced(shared.context.clients.reads.clone(), &wanted.namespace);
    let mut is_found = false;
    for identity in returns(plan) {
        if !objects.asked.names.insert(identity.clone()) {
            continue;
        }
        let Some(pod) = api.get_opt(&identity.0).await? else { continue };
        if is_ours(&pod, wanted) {
            objects.pods.insert(identity.clone(), Arc::new(pod));
        } else {
            objects.asked.taken.insert(identity.clone(), taken(&pod, wanted));
        }
        is_found = true;
    }
    Ok(is_found)
}

/// It was made for this resource, and the caches will have it.
fn is_ours(pod: &core::Pod, wanted: &Wanted) -> bool {
    is_owned(&pod.metadata, &wanted.uid) && pod.labels().get(IDENTITY) == pod.metadata.name.as_ref()
}

/// The garbage collector ends the pods of a former resource of the name.
fn taken(pod: &core::Pod, wanted: &Wanted) -> Taken {
    let is_former = is_of_name(&pod.metadata, &wanted.name) && !is_owned(&pod.metadata, &wanted.uid);
    match pod.metadata.deletion_timestamp.is_some() || is_former {
        true => Taken::Leaving,
        false => Taken::Standing,
    }
}

fn returns(plan: &Plan) -> impl Iterator<Item = &Identity> {
    plan.steps.iter().filter_map(|step| match step {
        Step::CreatePod { identity, why: Why::Return, .. } => Some(identity),
        _ => None,
    })
}

fn gives(plan: &Plan) -> bool {
    plan.steps.iter().any(|step| matches!(step, Step::CreatePod { .. }))
}

/// Somebody is given up because nothing is heard of a node, or is not counted among those that are alive.
fn rests_on_silence(seen: &Observation, plan: &Plan) -> bool {
    let is_for_silence = |step: &Step| match step {
        Step::DeletePod { cause, .. } => *cause == Cause::Stranded,
        Step::SetAside { .. } => true,
        _ => false,
    };
    let is_set_aside = seen.pods.values().any(|pod| pod.leaving && pod.is_unheard());
    plan.steps.iter().any(is_for_silence) || (is_set_aside && gives(plan))
}

async fn ask_for_nodes(shared: &Shared, objects: &mut Objects, seen: &Observation) -> kube::Result<()> {
    let api: Api<WatchedNode> = Api::all(shared.context.clients.reads.clone());
    let silent = seen.pods.iter().filter(|(_, pod)| pod.is_unheard());
    let silent = silent.filter_map(|(identity, _)| pods::node_name(objects.pods.get(identity)?));
    let silent: BTreeSet<_> = silent.map(str::to_owned).collect();
    for name in silent {
        let found = api.get_opt(&name).await?;
        objects.asked.nodes.insert(name, pods::node(found.as_ref()));
    }
    let mut any_heard = objects.asked.nodes.values().any(|node| *node == Node::Heard);
    for node in shared.stores.heard().into_iter().flatten() {
        // One is enough.
        if any_heard {
            break;
        }
        any_heard = pods::node(api.get_opt(&node.name_any()).await?.as_ref()) == Node::Heard;
    }
    objects.asked.any_heard = Some(any_heard);
    Ok(())
}

async fn claims(shared: &Shared, wanted: &Wanted) -> kube::Result<Claims> {
    let api: Api<core::PersistentVolumeClaim> =
        Api::namespaced(shared.context.clients.reads.clone(), &wanted.namespace);
    let found = api.list(&ListParams::default().labels(&selector_of_claims(wanted))).await?;
    Ok(by_key(found.into_iter().filter(|claim| is_claim_of(claim, wanted)).map(Arc::new)))
}
