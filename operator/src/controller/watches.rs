//! The watches: they fill the caches, and say which set a change concerns.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{Node, PersistentVolumeClaim, Pod, Service};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::Api;
use kube::runtime::reflector::store::Writer;
use kube::runtime::watcher::{Config, Event, watcher};
use kube::runtime::{WatchStreamExt, reflector};
use kube::{Client, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use tokio::sync::mpsc::UnboundedSender;

use super::stores::Guarded;
use super::{SetKey, Stores};
use crate::observe::{Ended, names};

/// The label of everything that is made for a set, and of its pods.
const MANAGED: &str = "rss-operator-managed=true";

/// The watches, to be polled for as long as the process lives. Each change of an object sends the sets
/// that it concerns; a new list sends all, because what is missing in it was deleted unseen.
pub(super) fn watches(
    client: &Client,
    namespaces: &[String],
    changed: &UnboundedSender<SetKey>,
) -> (Stores, Vec<BoxFuture<'static, ()>>) {
    let ended = Arc::new(Ended::default());
    let scopes: Vec<Option<&String>> =
        if namespaces.is_empty() { vec![None] } else { namespaces.iter().map(Some).collect() };
    let (nodes, nodes_writer) = reflector::store();
    let mut stores = Stores {
        sets: Vec::new(),
        workloads: Vec::new(),
        pods: Vec::new(),
        claims: Vec::new(),
        services: Vec::new(),
        budgets: Vec::new(),
        nodes,
        ended: Arc::clone(&ended),
    };
    let mut writers = Vec::new();
    for scope in scopes {
        writers.push((scope, Writers::open(&mut stores)));
    }
    let all = Sender { stores: stores.clone(), changed: changed.clone() };
    let node = Source::new(Api::all(client.clone()), Config::default(), nodes_writer);
    let mut watches = vec![node.follow(&all, |_| {}, of_node).boxed()];
    for (scope, writers) in writers {
        watches.extend(writers.follow(client, scope, &all, &ended));
    }
    (stores, watches)
}

/// The writing ends of the caches of one namespace.
struct Writers {
    sets: Writer<Guarded>,
    workloads: Writer<StatefulSet>,
    pods: Writer<Pod>,
    claims: Writer<PersistentVolumeClaim>,
    services: Writer<Service>,
    budgets: Writer<PodDisruptionBudget>,
}

impl Writers {
    fn open(stores: &mut Stores) -> Self {
        let (set, sets) = reflector::store();
        let (workload, workloads) = reflector::store();
        let (pod, pods) = reflector::store();
        let (claim, claims) = reflector::store();
        let (service, services) = reflector::store();
        let (budget, budgets) = reflector::store();
        stores.sets.push(set);
        stores.workloads.push(workload);
        stores.pods.push(pod);
        stores.claims.push(claim);
        stores.services.push(service);
        stores.budgets.push(budget);
        Self { sets, workloads, pods, claims, services, budgets }
    }

    fn follow(
        self,
        client: &Client,
        scope: Option<&String>,
        all: &Sender,
        ended: &Arc<Ended>,
    ) -> [BoxFuture<'static, ()>; 6] {
        let ended = Arc::clone(ended);
        let note = move |pod: &Pod| {
            if let Some(key) = of_pod(pod) {
                ended.note(&key, pod);
            }
        };
        let labelled = Config::default().labels(MANAGED);
        let sets = Source::new(api(client, scope), Config::default(), self.sets);
        let workloads = Source::new(api(client, scope), Config::default(), self.workloads);
        let pods = Source::new(api(client, scope), labelled.clone(), self.pods);
        let services = Source::new(api(client, scope), labelled.clone(), self.services);
        let budgets = Source::new(api(client, scope), labelled, self.budgets);
        let claims = Source::new(api(client, scope), Config::default(), self.claims);
        [
            sets.follow(all, |_| {}, of_set).boxed(),
            workloads.follow(all, |_| {}, of_workload).boxed(),
            pods.follow(all, note, |_, pod| of_pod(pod).into_iter().collect()).boxed(),
            claims.follow(all, |_| {}, of_claim).boxed(),
            services.follow(all, |_| {}, of_owner).boxed(),
            budgets.follow(all, |_| {}, of_owner).boxed(),
        ]
    }
}

/// Where changes are told.
#[derive(Clone)]
struct Sender {
    stores: Stores,
    changed: UnboundedSender<SetKey>,
}

/// One watch and the cache that it fills.
struct Source<K: reflector::Lookup + Clone + 'static>
where
    K::DynamicType: Eq + Hash + Clone,
{
    api: Api<K>,
    config: Config,
    writer: Writer<K>,
}

impl<K> Source<K>
where
    K: Resource<DynamicType = ()>
        + reflector::Lookup<DynamicType = ()>
        + Clone
        + DeserializeOwned
        + Debug
        + Send
        + Sync
        + 'static,
{
    fn new(api: Api<K>, config: Config, writer: Writer<K>) -> Self {
        Self { api, config, writer }
    }

    /// `note` sees each object before the cache does: a deleted one is not in the cache any more.
    fn follow(
        self,
        all: &Sender,
        note: impl Fn(&K) + Send + 'static,
        concerned: fn(&Stores, &K) -> Vec<SetKey>,
    ) -> impl Future<Output = ()> + Send + 'static {
        let Sender { stores, changed } = all.clone();
        let Self { api, config, mut writer } = self;
        async move {
            let mut events = watcher(api, config).default_backoff().boxed();
            while let Some(event) = events.next().await {
                let event = match event {
                    Ok(event) => event.modify(trim),
                    Err(error) => {
                        let kind = <K as Resource>::kind(&());
                        tracing::warn!(%kind, %error, "failed to watch; it is tried again");
                        continue;
                    }
                };
                if let Event::Apply(object) | Event::Delete(object) | Event::InitApply(object) = &event {
                    note(object);
                }
                // What changed shows only beside what the cache still holds, and what is missing only
                // after it is gone there: a deletion is told whatever the object looked like.
                let mut keys = match &event {
                    Event::Apply(object) => concerned(&stores, object),
                    _ => Vec::new(),
                };
                writer.apply_watcher_event(&event);
                match &event {
                    Event::Delete(object) => keys.extend(concerned(&stores, object)),
                    Event::InitDone => keys.extend(stores.keys()),
                    Event::Apply(_) | Event::Init | Event::InitApply(_) => {}
                }
                for key in keys {
                    // Nobody listens while the process ends.
                    let _ = changed.send(key);
                }
            }
        }
    }
}

fn api<K>(client: &Client, namespace: Option<&String>) -> Api<K>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
{
    namespace.map_or_else(|| Api::all(client.clone()), |namespace| Api::namespaced(client.clone(), namespace))
}

/// Who wrote which field, and the manifest in full, are a good half of an object and never looked at.
fn trim<K: Resource>(object: &mut K) {
    object.managed_fields_mut().clear();
    object.annotations_mut().remove("kubectl.kubernetes.io/last-applied-configuration");
}

/// A set's own status is written here, and is no reason to look at it again.
fn of_set(stores: &Stores, set: &Guarded) -> Vec<SetKey> {
    let key = SetKey::beside(set, &set.name_any());
    let is_known = stores.set(&key).is_some_and(|known| same_wish(known.meta(), set.meta()));
    if is_known { Vec::new() } else { vec![key] }
}

/// Nothing but the status changed between two states of an object.
fn same_wish(a: &ObjectMeta, b: &ObjectMeta) -> bool {
    (&a.uid, a.generation, &a.deletion_timestamp) == (&b.uid, b.generation, &b.deletion_timestamp)
        && (&a.labels, &a.annotations) == (&b.labels, &b.annotations)
}

fn of_workload(_: &Stores, workload: &StatefulSet) -> Vec<SetKey> {
    let name = workload.name_any();
    name.strip_prefix("rss-").map(|set| SetKey::beside(workload, set)).into_iter().collect()
}

fn of_pod(pod: &Pod) -> Option<SetKey> {
    Some(SetKey::beside(pod, names::set_of_pod(&pod.name_any())?))
}

fn of_owner<K: Resource>(_: &Stores, child: &K) -> Vec<SetKey> {
    let set = child.owner_references().iter().find(|owner| owner.controller == Some(true));
    set.map(|owner| SetKey::beside(child, &owner.name)).into_iter().collect()
}

fn of_claim(_: &Stores, claim: &PersistentVolumeClaim) -> Vec<SetKey> {
    names::sets_of_claim(&claim.name_any()).map(|set| SetKey::beside(claim, set)).collect()
}

fn of_node(stores: &Stores, node: &Node) -> Vec<SetKey> {
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
