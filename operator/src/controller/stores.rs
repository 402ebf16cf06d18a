//! The caches: what the watches hold of the cluster at this moment.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, Service};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kube::runtime::reflector::{self, ObjectRef, Store};
use kube::{Resource, ResourceExt};
use planner::names::ReplicaName;

use super::concerned::of_pod;
use super::follow::Caches;
use super::{Guarded, SetKey};
use crate::api::ReplicatedStatefulSet;
use crate::children::{Foreign, Live, foreign_stateful_set};
use crate::observe::{Ended, Objects, RECORD, WatchedNode, Written, is_guarded, names, templates};
#[cfg(test)]
use crate::telemetry::Kind;
use crate::telemetry::Watches;

/// How long nodes may take that can be seen.
const NODES: Duration = Duration::from_secs(5);

/// Pods by their names.
type Pods = BTreeMap<ReplicaName, Arc<Pod>>;

/// Claims by whose they are.
type Claims = BTreeMap<ReplicaName, Vec<Arc<PersistentVolumeClaim>>>;

/// All caches. One store for each namespace that is watched, or one for all.
#[derive(Clone)]
pub struct Stores {
    pub(super) sets: Vec<Store<Guarded<ReplicatedStatefulSet>>>,
    pub(super) workloads: Vec<Store<StatefulSet>>,
    pub(super) pods: Vec<Store<Pod>>,
    pub(super) claims: Vec<Store<PersistentVolumeClaim>>,
    pub(super) services: Vec<Store<Service>>,
    pub(super) budgets: Vec<Store<PodDisruptionBudget>>,
    pub(super) nodes: Store<WatchedNode>,
    /// Containers that were reported terminated.
    pub ended: Arc<Ended>,
    /// Which namespaces are ready.
    pub(super) watches: Watches,
}

impl Caches for Stores {
    fn keys(&self) -> Vec<SetKey> {
        Self::keys(self)
    }

    fn has(&self, key: &SetKey) -> bool {
        self.watches.is_ready(&key.namespace) && self.set(key).is_some()
    }
}

impl Stores {
    /// Waits until everything was listed once in one namespace. The others become ready on their own. Nodes are not
    /// waited for long: an operator that has rights in its own namespaces only never sees them.
    pub(super) async fn ready(&self) {
        self.watches.some_ready().await;
        let _ = tokio::time::timeout(NODES, self.nodes.wait_until_ready()).await;
    }

    /// Every set of the namespaces that are ready, readable or not. In another namespace the
    /// operator knows only a part of a set, so it does nothing for that set.
    #[must_use]
    pub fn keys(&self) -> Vec<SetKey> {
        let all = self.sets.iter().flat_map(Store::state);
        let keys = all.map(|set| SetKey::beside(set.as_ref(), &set.name_any()));
        keys.filter(|key| self.watches.is_ready(&key.namespace)).collect()
    }

    /// The sets of this namespace are known as they are now.
    pub(super) fn is_current(&self, namespace: &str) -> bool {
        self.watches.is_current(namespace)
    }

    /// A resource, if there is one of this name.
    #[must_use]
    pub(crate) fn set(&self, key: &SetKey) -> Option<Arc<Guarded<ReplicatedStatefulSet>>> {
        find(&self.sets, key, &key.name)
    }

    /// The sets that have a pod on this node.
    #[must_use]
    pub fn on_node(&self, node: &str) -> Vec<SetKey> {
        let here = |pod: &Pod| pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()) == Some(node);
        let pods = self.pods.iter().flat_map(|store| store.state_filter(here));
        pods.filter_map(|pod| of_pod(&pod)).collect()
    }

    /// All objects of a set; of those that promises were written to none is older than that write.
    #[must_use]
    pub fn objects(&self, set: Arc<ReplicatedStatefulSet>, written: &mut Written) -> Objects {
        let set = written.newest_set(set);
        let key = SetKey::beside(set.as_ref(), &set.name_any());
        let (workload, stranger) = match self.named_workload(&set) {
            Some(found) if is_foreign(&found, &set) => (None, Some(found)),
            ours => (ours, None),
        };
        let strangers = stranger.and_then(|stranger| stranger.uid());
        let mut objects = Objects {
            pods: self.pods_of(&key, strangers.as_deref()),
            claims: self.claims_of(&key, &templates(&set, workload.as_deref()), written),
            nodes: self.nodes.wait_until_ready().now_or_never().map(|_| self.nodes.state()),
            elsewhere: BTreeSet::new(),
            workload,
            cluster: None,
            set,
        };
        let (pods, claims) = (self.identities(&key), self.claims_of_identities(&key, written));
        if objects.are_given_once() {
            objects.elsewhere = left(&objects.pods, &objects.claims);
            objects.pods.extend(pods);
            objects.claims.extend(claims);
        } else {
            objects.elsewhere = left(&pods, &claims);
        }
        objects
    }

    /// The StatefulSet that has the name of the set's and is another's, and why.
    #[must_use]
    pub fn stranger(&self, objects: &Objects) -> Option<(String, Foreign)> {
        let set = &objects.set;
        let found = self.named_workload(set)?;
        let uid = set.metadata.uid.as_deref().unwrap_or_default();
        Some((found.name_any(), foreign_stateful_set(&found, objects.name(), uid)?))
    }

    fn named_workload(&self, set: &ReplicatedStatefulSet) -> Option<Arc<StatefulSet>> {
        let key = SetKey::beside(set, &set.name_any());
        find(&self.workloads, &key, &names::workload(&key.name))
    }

    /// What of a set's children there is.
    #[must_use]
    pub fn children(&self, objects: &Objects) -> Live {
        let uid = objects.set.metadata.uid.as_deref();
        Live {
            stateful_set: self.named_workload(&objects.set),
            stateful_cluster: objects.cluster.clone(),
            services: owned(&self.services, objects.namespace(), uid),
            budgets: owned(&self.budgets, objects.namespace(), uid),
        }
    }

    /// The pods by their names, without those of a StatefulSet of this UID that is not the set's.
    fn pods_of(&self, key: &SetKey, stranger: Option<&str>) -> Pods {
        let ordinal = |pod: &Pod| names::pod_ordinal(&key.name, pod.metadata.name.as_deref()?);
        let ours = |pod: &Pod| {
            let is_strangers = || pod.owner_references().iter().any(|o| Some(o.uid.as_str()) == stranger);
            pod.metadata.namespace.as_deref() == Some(&key.namespace)
                && ordinal(pod).is_some()
                && !is_strangers()
        };
        let pods = self.pods.iter().flat_map(|store| store.state_filter(ours));
        pods.map(|pod| (ReplicaName(pod.name_any()), pod)).collect()
    }

    /// The pods of those whose names were given once.
    fn identities(&self, key: &SetKey) -> Pods {
        let ours = |pod: &Pod| {
            pod.metadata.namespace.as_deref() == Some(&key.namespace)
                && names::set_of_identity(pod) == Some(key.name.as_str())
        };
        let pods = self.pods.iter().flat_map(|store| store.state_filter(ours));
        pods.map(|pod| (ReplicaName(pod.name_any()), pod)).collect()
    }

    /// Their claims.
    fn claims_of_identities(&self, key: &SetKey, written: &mut Written) -> Claims {
        let whose = |claim: &PersistentVolumeClaim| {
            names::identity_of_claim(claim).filter(|(set, _)| *set == key.name).map(|(_, name)| name)
        };
        let ours = |claim: &PersistentVolumeClaim| {
            claim.metadata.namespace.as_deref() == Some(&key.namespace) && whose(claim).is_some()
        };
        let mut all = Claims::new();
        for claim in self.claims.iter().flat_map(|store| store.state_filter(ours)) {
            if let Some(name) = whose(&claim) {
                all.entry(name).or_default().push(written.newest_claim(claim));
            }
        }
        all
    }

    fn claims_of(&self, key: &SetKey, templates: &[String], written: &mut Written) -> Claims {
        let place = |claim: &PersistentVolumeClaim| {
            let name = claim.metadata.name.as_deref()?;
            let number = |template: &String| names::claim_ordinal(&key.name, template, name);
            templates.iter().enumerate().find_map(|(at, template)| Some((number(template)?, at)))
        };
        let ours = |claim: &PersistentVolumeClaim| {
            claim.metadata.namespace.as_deref() == Some(&key.namespace) && place(claim).is_some()
        };
        let found = self.claims.iter().flat_map(|store| store.state_filter(ours));
        let mut placed: Vec<_> = found.filter_map(|claim| Some((place(&claim)?, claim))).collect();
        placed.sort_by_key(|(place, _)| *place);
        let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for ((ordinal, _), claim) in placed {
            all.entry(names::replica(&key.name, ordinal)).or_default().push(written.newest_claim(claim));
        }
        all
    }
}

#[cfg(test)]
impl Stores {
    /// Caches without objects.
    pub(super) fn empty() -> Self {
        Self {
            sets: Vec::new(),
            workloads: Vec::new(),
            pods: Vec::new(),
            claims: Vec::new(),
            services: Vec::new(),
            budgets: Vec::new(),
            nodes: reflector::store().0,
            ended: Arc::default(),
            watches: Watches::answered(Kind::ReplicatedStatefulSet),
        }
    }
}

fn find<K>(stores: &[Store<K>], key: &SetKey, name: &str) -> Option<Arc<K>>
where
    K: reflector::Lookup + Clone + 'static,
    K::DynamicType: Eq + Hash + Clone + Default,
{
    let reference = ObjectRef::<K>::new(name).within(&key.namespace);
    stores.iter().find_map(|store| store.get(&reference))
}

/// What of these may be, or hold, a database: pods that commands of ours run in, and claims that records were written to.
fn left(pods: &Pods, claims: &Claims) -> BTreeSet<String> {
    let pods = pods.values().filter(|pod| is_guarded(pod)).map(|pod| format!("pod {}", pod.name_any()));
    let has_record = |claim: &&Arc<PersistentVolumeClaim>| claim.annotations().contains_key(RECORD);
    let claims = claims.values().flatten().filter(has_record);
    pods.chain(claims.map(|claim| format!("claim {}", claim.name_any()))).collect()
}

/// A StatefulSet that only has the name of the set's: its size and its pods are another's.
fn is_foreign(found: &StatefulSet, set: &ReplicatedStatefulSet) -> bool {
    let uid = set.metadata.uid.as_deref().unwrap_or_default();
    foreign_stateful_set(found, &set.name_any(), uid).is_some()
}

/// Every object of a namespace that has the set as controller.
fn owned<K>(stores: &[Store<K>], namespace: &str, uid: Option<&str>) -> Vec<Arc<K>>
where
    K: Resource<DynamicType = ()> + reflector::Lookup<DynamicType = ()> + Clone + 'static,
{
    let ours = |object: &K| {
        let mut owners = object.meta().owner_references.iter().flatten();
        object.meta().namespace.as_deref() == Some(namespace)
            && owners.any(|owner| owner.controller == Some(true) && Some(owner.uid.as_str()) == uid)
    };
    stores.iter().flat_map(|store| store.state_filter(ours)).collect()
}
