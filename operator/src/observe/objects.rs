//! The Kubernetes objects of one set, as the watches hold them at one moment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use planner::names::{ClaimUid, ReplicaName};

use super::{WatchedNode, names};
use crate::api::{ReplicatedStatefulSet, StatefulCluster, Workload};

/// More members than this are not looked at where there is neither pod nor claim: a size with a few
/// digits too many must not take the memory of the whole operator.
const MOST: u32 = 10_000;

/// All that Kubernetes knows of one set.
#[derive(Clone, Debug)]
pub struct Objects {
    /// The resource, never older than what was last written to it.
    pub set: Arc<ReplicatedStatefulSet>,
    /// The StatefulSet, once it is there.
    pub workload: Option<Arc<StatefulSet>>,
    /// The StatefulCluster, once it is there and the API server was asked for it.
    pub cluster: Option<Arc<StatefulCluster>>,
    /// Its pods.
    pub pods: BTreeMap<ReplicaName, Arc<Pod>>,
    /// Its claims by whose they are, in the order of the templates.
    pub claims: BTreeMap<ReplicaName, Vec<Arc<PersistentVolumeClaim>>>,
    /// Pods and claims with a record that a set of this name has on its other workload.
    pub elsewhere: BTreeSet<String>,
    /// The nodes; none where they may not be seen.
    pub nodes: Option<Vec<Arc<WatchedNode>>>,
}

impl Objects {
    /// The name of the resource.
    #[must_use]
    pub fn name(&self) -> &str {
        self.set.metadata.name.as_deref().unwrap_or_default()
    }

    /// The namespace of the resource.
    #[must_use]
    pub fn namespace(&self) -> &str {
        self.set.metadata.namespace.as_deref().unwrap_or_default()
    }

    /// The identities of its members are given once.
    #[must_use]
    pub fn are_given_once(&self) -> bool {
        self.set.spec.workload == Some(Workload::StatefulCluster)
    }

    /// Every member that has a place or may hold data, with its number: below the sizes that are wanted and set, and
    /// wherever a pod or a claim is. Who has none is called 0.
    #[must_use]
    pub fn members(&self) -> BTreeMap<ReplicaName, u32> {
        let number = |name: &ReplicaName| names::pod_ordinal(self.name(), &name.0);
        let found = self.pods.keys().chain(self.claims.keys()).cloned();
        if self.are_given_once() {
            return found.map(|name| (name.clone(), number(&name).unwrap_or(0))).collect();
        }
        let current = self.workload.as_ref().and_then(|workload| workload.spec.as_ref()?.replicas);
        let wanted = self.set.spec.replicas.max(current.unwrap_or(0));
        let wanted = u32::try_from(wanted).unwrap_or(0).min(MOST);
        let wanted = (0..wanted).map(|ordinal| names::replica(self.name(), ordinal));
        wanted
            .chain(found)
            .filter_map(|name| Some((number(&name)?, name)))
            .map(|(n, name)| (name, n))
            .collect()
    }

    /// The pod of a replica.
    #[must_use]
    pub fn pod(&self, replica: &ReplicaName) -> Option<&Arc<Pod>> {
        self.pods.get(replica)
    }

    /// Whether a pod of this name would be one of its members'.
    pub(super) fn may_be_named(&self, replica: &ReplicaName) -> bool {
        let of_ours = format!("{}-", names::workload(self.name()));
        let is_identity = self.are_given_once() && replica.0.starts_with(&of_ours);
        is_identity || names::pod_ordinal(self.name(), &replica.0).is_some()
    }

    /// The claim with this UID.
    #[must_use]
    pub fn claim(&self, uid: &ClaimUid) -> Option<&Arc<PersistentVolumeClaim>> {
        self.claims.values().flatten().find(|claim| claim.metadata.uid.as_ref() == Some(&uid.0))
    }
}

/// The names of the claim templates, in order: those of the StatefulSet where there is one, because
/// it is the one that makes the claims, else those of the resource.
#[must_use]
pub fn templates(set: &ReplicatedStatefulSet, workload: Option<&StatefulSet>) -> Vec<String> {
    let existing = workload.and_then(|workload| workload.spec.as_ref()?.volume_claim_templates.as_ref());
    let templates = existing.unwrap_or(&set.spec.pod.volume_claim_templates);
    templates.iter().filter_map(|template| template.metadata.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn set(replicas: i32) -> ReplicatedStatefulSet {
        let claims = json!([{"metadata": {"name": "wanted"}}]);
        serde_json::from_value(json!({
            "apiVersion": "clusterlabs.org/v1alpha1", "kind": "ReplicatedStatefulSet",
            "metadata": {"name": "x", "namespace": "ns"},
            "spec": {"replicas": replicas,
                "pod": {"commands": {}, "containers": [], "volumeClaimTemplates": claims}},
        }))
        .unwrap()
    }

    #[test]
    fn data_beyond_the_size_is_looked_at_too() {
        let workload: StatefulSet = serde_json::from_value(json!({"spec": {"replicas": 2,
            "selector": {}, "serviceName": "", "template": {}}}))
        .unwrap();
        let objects = Objects {
            set: Arc::new(set(-1)),
            workload: Some(Arc::new(workload)),
            cluster: None,
            pods: BTreeMap::from([(names::replica("x", 4), Arc::default())]),
            claims: BTreeMap::from([(names::replica("x", 7), Vec::new())]),
            elsewhere: BTreeSet::new(),
            nodes: None,
        };
        assert_eq!(
            objects.members(),
            [0, 1, 4, 7].map(|number| (names::replica("x", number), number)).into()
        );
    }

    #[test]
    fn claims_are_looked_for_by_the_templates_that_make_them() {
        let existing: StatefulSet = serde_json::from_value(json!({"spec": {"selector": {}, "serviceName": "",
            "template": {}, "volumeClaimTemplates": [{"metadata": {"name": "b"}}, {"metadata": {"name": "a"}}]}}))
        .unwrap();
        assert_eq!(templates(&set(1), None), ["wanted"]);
        assert_eq!(templates(&set(1), Some(&existing)), ["b", "a"]);
    }
}
