//! The watches that there are, and the cache that each of them fills.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, Service};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kube::Client;
use kube::api::Api;
use kube::runtime::reflector;
use kube::runtime::reflector::store::Writer;
use kube::runtime::watcher::Config;
use tokio::sync::mpsc::UnboundedSender;

use super::concerned::{of_claim, of_node, of_owner, of_pod, of_set, of_workload};
use super::follow::{Sender, Source};
use super::scope::Scope;
use super::{Guarded, SetKey, Stores};
use crate::api::ReplicatedStatefulSet;
use crate::observe::Ended;
use crate::telemetry::{Kind, Watches};

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
        watches: Watches::new(Kind::ReplicatedStatefulSet),
    };
    let scopes = Scope::each(client, namespaces, &stores.watches);
    let scopes: Vec<_> = scopes.into_iter().map(|scope| (scope, Writers::open(&mut stores))).collect();
    let all = Sender { stores: stores.clone(), changed: changed.clone() };
    let node = Source::new(Api::all(client.clone()), Config::default(), nodes_writer);
    let mut watches = vec![node.follow(&all, |_| {}, of_node).boxed()];
    for (scope, writers) in scopes {
        watches.extend(writers.follow(&scope, &all, &ended));
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

    fn follow(self, scope: &Scope, all: &Sender<Stores>, ended: &Arc<Ended>) -> [BoxFuture<'static, ()>; 6] {
        let ended = Arc::clone(ended);
        let note = move |pod: &Pod| {
            if let Some(key) = of_pod(pod) {
                ended.note(&key, pod);
            }
        };
        let labelled = Config::default().labels(MANAGED);
        let sets = scope.source(Config::default(), self.sets);
        let workloads = scope.source(Config::default(), self.workloads);
        let pods = scope.source(labelled.clone(), self.pods);
        let services = scope.source(labelled.clone(), self.services);
        let budgets = scope.source(labelled, self.budgets);
        let claims = scope.source(Config::default(), self.claims);
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
