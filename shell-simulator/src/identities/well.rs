//! When a story of a StatefulCluster is over.

use serde_json::{Value, json};

use super::kubelets::Power;
use super::object::{CLUSTER_PATH, claims, has_failed, is_leaving, is_ready, mounts, name, node_of, pods};
use crate::api_server::State;
use crate::rest::Asked;

pub(super) const ASKED: Asked = Asked {
    is_well,
    // Of what befalls these nothing needs a person.
    waits_for_a_person: |_| false,
    told,
};

fn told(state: &State) -> String {
    let cluster = state.store.get(CLUSTER_PATH).cloned().unwrap_or_default();
    let pods = pods(&state.store);
    let pods: Vec<_> = pods.iter().map(|(_, pod)| format!("{} {}", name(pod), pod["status"])).collect();
    format!("{}\n{}", pods.join("\n"), cluster["status"])
}

/// All that are asked for are available, and the status says so; nobody else stands or is awaited.
fn is_well(state: &State) -> Result<(), String> {
    let cluster = state.store.get(CLUSTER_PATH).cloned().unwrap_or_default();
    let replicas = cluster["spec"]["replicas"].as_u64().unwrap_or(0);
    let (pods, on) = (pods(&state.store), state.identities.kubelets.with(Power::On));
    let is_on = |pod: &Value| node_of(pod).is_none_or(|node| on.iter().any(|on| on == node));
    let (leaving, standing): (Vec<_>, Vec<_>) = pods.iter().partition(|(_, pod)| is_leaving(pod));
    let well =
        standing.iter().filter(|(_, pod)| is_ready(pod) && is_on(pod) && !has_failed(pod)).count() as u64;
    if well != replicas || standing.len() as u64 != replicas {
        return Err(format!("{well} of {} are available, and {replicas} are wanted", standing.len()));
    }
    if let Some((_, pod)) = leaving.iter().find(|(_, pod)| is_on(pod)) {
        return Err(format!("{} ends", name(pod)));
    }
    let status = &cluster["status"];
    if status["ready"] != format!("{replicas}/{replicas}") || status["memory"]["given"] != json!({}) {
        return Err(format!("the status tells {status}"));
    }
    let is_kept = cluster["spec"]["persistentVolumeClaimRetentionPolicy"]["whenScaled"] == "Retain";
    let claims = claims(&state.store);
    let is_left = |claim: &Value| !pods.iter().any(|(_, pod)| mounts(pod).contains(&name(claim)));
    match claims.iter().find(|(_, claim)| !is_kept && is_left(claim)) {
        Some((_, claim)) => Err(format!("{} is left", name(claim))),
        None => Ok(()),
    }
}
