//! What a failed test leaves, told before it is removed.
#![expect(clippy::print_stderr, reason = "it is for whoever reads why a test failed")]

use std::fmt::Debug;

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::api::events::v1::Event;
use kube::api::{Api, ListParams, LogParams};
use kube::{Resource, ResourceExt};
use operator::api::ReplicatedStatefulSet;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Space;

/// The last lines of each container.
const TAIL: i64 = 60;

/// Print why it failed, sets, pods, claims, events and logs. A part that cannot be had is left out.
pub(crate) async fn tell(space: &Space, why: &str) {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    eprintln!("=== {test} failed in namespace {}: {why}; what it left:", space.name);
    for mut set in list::<ReplicatedStatefulSet>(space).await {
        set.metadata.managed_fields = None;
        eprintln!("{}", serde_saphyr::to_string(&set).unwrap_or_default());
    }
    for claim in list::<PersistentVolumeClaim>(space).await {
        eprintln!("claim {} {:?}", claim.name_any(), claim.metadata.annotations);
    }
    let mut events = list::<Event>(space).await;
    events.sort_by_key(|event| event.metadata.creation_timestamp.clone().map(|time| time.0));
    for event in events {
        let about = event.regarding.and_then(|about| about.name).unwrap_or_default();
        let (reason, note) = (event.reason.unwrap_or_default(), event.note.unwrap_or_default());
        eprintln!("event {:?} {about} {reason}: {note}", event.event_time.map(|time| time.0));
    }
    let pods = space.all::<Pod>();
    for pod in list::<Pod>(space).await {
        tell_pod(&pods, &pod).await;
    }
    eprintln!("=== end of what {test} left");
}

async fn tell_pod(pods: &Api<Pod>, pod: &Pod) {
    let (status, labels) = (pod.status.as_ref(), &pod.metadata.labels);
    let phase = status.and_then(|status| status.phase.as_deref()).unwrap_or_default();
    let containers = status.and_then(|status| status.container_statuses.as_ref());
    eprintln!("pod {} {phase} uid {:?} {labels:?}", pod.name_any(), pod.metadata.uid);
    for container in containers.into_iter().flatten() {
        eprintln!("  restarts {} {:?}", container.restart_count, container.state);
    }
    let parameters = LogParams { tail_lines: Some(TAIL), ..LogParams::default() };
    let log = pods.logs(&pod.name_any(), &parameters).await.unwrap_or_default();
    log.lines().for_each(|line| eprintln!("  | {line}"));
}

async fn list<K>(space: &Space) -> Vec<K>
where
    K: Resource<Scope = k8s_openapi::NamespaceResourceScope, DynamicType = ()>
        + Clone
        + Debug
        + Serialize
        + DeserializeOwned,
{
    space.all::<K>().list(&ListParams::default()).await.map(|list| list.items).unwrap_or_default()
}
