//! Which sets a changed object concerns.

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{Node, PersistentVolumeClaim, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{Resource, ResourceExt};

use super::{Guarded, SetKey, Stores};
use crate::api::ReplicatedStatefulSet;
use crate::observe::names;

/// A set's own status is written here, and is no reason to look at it again.
pub(super) fn of_set(stores: &Stores, set: &Guarded<ReplicatedStatefulSet>) -> Vec<SetKey> {
    let key = SetKey::beside(set, &set.name_any());
    let is_known = stores.set(&key).is_some_and(|known| same_wish(known.meta(), set.meta()));
    if is_known { Vec::new() } else { vec![key] }
}

/// Nothing but the status changed between two states of an object.
fn same_wish(a: &ObjectMeta, b: &ObjectMeta) -> bool {
    (&a.uid, a.generation, &a.deletion_timestamp) == (&b.uid, b.generation, &b.deletion_timestamp)
        && (&a.labels, &a.annotations) == (&b.labels, &b.annotations)
}

pub(super) fn of_workload(_: &Stores, workload: &StatefulSet) -> Vec<SetKey> {
    let name = workload.name_any();
    name.strip_prefix("rss-").map(|set| SetKey::beside(workload, set)).into_iter().collect()
}

pub(super) fn of_pod(pod: &Pod) -> Option<SetKey> {
    let name = pod.name_any();
    Some(SetKey::beside(pod, names::set_of_pod(&name).or_else(|| names::set_of_identity(pod))?))
}

pub(super) fn of_owner<K: Resource>(_: &Stores, child: &K) -> Vec<SetKey> {
    let set = child.owner_references().iter().find(|owner| owner.controller == Some(true));
    set.map(|owner| SetKey::beside(child, &owner.name)).into_iter().collect()
}

pub(super) fn of_claim(_: &Stores, claim: &PersistentVolumeClaim) -> Vec<SetKey> {
    let name = claim.name_any();
    let by_label = names::identity_of_claim(claim).map(|(set, _)| set);
    names::sets_of_claim(&name).chain(by_label).map(|set| SetKey::beside(claim, set)).collect()
}

pub(super) fn of_node(stores: &Stores, node: &Node) -> Vec<SetKey> {
    stores.on_node(&node.name_any())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_write_of_the_status_is_no_reason_to_look_again() {
        let meta = ObjectMeta {
            uid: Some("u".into()),
            generation: Some(1),
            resource_version: Some("1".into()),
            ..ObjectMeta::default()
        };
        let written = ObjectMeta { resource_version: Some("2".into()), ..meta.clone() };
        assert!(same_wish(&meta, &written));
        let text = || Some([("clusterlabs.org/allow".to_owned(), "key".to_owned())].into());
        for changed in [
            ObjectMeta { generation: Some(2), ..meta.clone() },
            ObjectMeta { annotations: text(), ..meta.clone() },
            ObjectMeta { labels: text(), ..meta.clone() },
            ObjectMeta { uid: Some("v".into()), ..meta.clone() },
            ObjectMeta {
                deletion_timestamp: Some(serde_json::from_str("\"2026-01-01T00:00:00Z\"").unwrap()),
                ..meta.clone()
            },
        ] {
            assert!(!same_wish(&meta, &changed), "{changed:?}");
        }
    }
}
