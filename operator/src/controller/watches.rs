//! The watches that there are, and the cache that each of them fills.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, Service};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kube::api::Api;
use kube::runtime::reflector;
use kube::runtime::reflector::store::Writer;
use kube::runtime::watcher::Config;
use kube::{Client, Resource};
use tokio::sync::mpsc::UnboundedSender;

use super::concerned::{of_claim, of_node, of_owner, of_pod, of_set, of_workload};
use super::follow::{Sender, Source};
use super::{Guarded, SetKey, Stores};
use crate::api::ReplicatedStatefulSet;
use crate::observe::Ended;

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
    sets: Writer<Guarded<ReplicatedStatefulSet>>,
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
        all: &Sender<Stores>,
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

pub(crate) fn api<K>(client: &Client, namespace: Option<&String>) -> Api<K>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
{
    namespace.map_or_else(|| Api::all(client.clone()), |namespace| Api::namespaced(client.clone(), namespace))
}
