//! The one way in which children reach the API server.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kube::api::{Patch, PatchParams};
use kube::{Api, Client, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::fingerprint::{APPLIED_HASH, fingerprint, hash, includes};
use super::names::FIELD_MANAGER;
use super::outcome::{Child, ChildKind, Error, Outcome};
use super::ownership::{foreign, is_ours};
use super::unchanged::Unchanged;
use super::{client_service, disruption_budget, headless_service, stateful_cluster, workload};
use crate::api::{StatefulCluster, Workload};
use crate::promise::is_stale;
use crate::target::Target;
use crate::writes::only;

/// What the caches hold of a set's namespace.
#[derive(Clone, Debug, Default)]
pub struct Live {
    /// The StatefulSet of the set's name.
    pub stateful_set: Option<Arc<StatefulSet>>,
    /// The StatefulCluster of the set, where it is to have one.
    pub stateful_cluster: Option<Arc<StatefulCluster>>,
    /// At least every service that has the set as controller.
    pub services: Vec<Arc<Service>>,
    /// At least every budget that has the set as controller.
    pub budgets: Vec<Arc<PodDisruptionBudget>>,
}

/// What the API server answered to the last apply of each child, for as long as the operator runs. It lets a
/// child be settled that the server spells otherwise than it was written.
#[derive(Clone, Debug, Default)]
pub struct Settled {
    answers: BTreeMap<(ChildKind, String), u64>,
    /// What the last round looked at, if it found all of them settled.
    last: Option<Unchanged>,
}

impl Settled {
    /// Whether a live object carries our hash, and holds what we wrote: as we wrote it or as the server answered it.
    pub(super) fn is(&self, key: &(ChildKind, String), live: &Value, wanted: &Value) -> bool {
        live["metadata"]["annotations"][APPLIED_HASH] == wanted["metadata"]["annotations"][APPLIED_HASH]
            && (includes(live, wanted) || self.answers.get(key) == Some(&fingerprint(live)))
    }

    fn remember(&mut self, key: (ChildKind, String), answered: &Value) {
        self.answers.insert(key, fingerprint(answered));
        self.last = None;
    }
}

/// Brings every child of a set to what is wanted: the services first, so that a first pod finds its name.
///
/// `client` must not retry by itself: an apply that was answered by silence is repeated in a later round.
///
/// Where neither what is wanted nor what is there changed since all were settled, they are, and nothing is compared.
pub async fn apply(client: &Client, target: &Target, live: &Live, settled: &mut Settled) -> Vec<Child> {
    if let Some(last) = settled.last.as_ref().filter(|last| last.is_of(target, live)) {
        return last.children();
    }
    let services: Vec<_> = [Some(headless_service::build(target)), client_service::build(target)]
        .into_iter()
        .flatten()
        .collect();
    let budgets: Vec<_> = disruption_budget::build(target).into_iter().collect();
    let mut children = Vec::new();
    let mut round = Round { client, target, settled };
    children.extend(round.all(ChildKind::Service, &services, &live.services).await);
    children.push(match target.workload {
        Workload::StatefulSet => Box::pin(workload::apply(&mut round, live)).await,
        Workload::StatefulCluster => Box::pin(stateful_cluster::apply(&mut round, live)).await,
    });
    children.extend(round.all(ChildKind::PodDisruptionBudget, &budgets, &live.budgets).await);
    settled.last = Unchanged::after(target, live, &children);
    children
}

/// What every step of a round needs.
pub(super) struct Round<'a> {
    pub(super) client: &'a Client,
    pub(super) target: &'a Target,
    pub(super) settled: &'a mut Settled,
}

impl Round<'_> {
    pub(super) fn api<K>(&self) -> Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.client.clone(), &self.target.namespace)
    }

    /// The wanted ones of a kind are applied, others of ours deleted.
    async fn all<K>(&mut self, kind: ChildKind, wanted: &[K], live: &[Arc<K>]) -> Vec<Child>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
        K: Clone + Debug + Serialize + DeserializeOwned,
    {
        let mut children = Vec::new();
        for child in wanted {
            let name = child.name_any();
            let found = live.iter().find(|live| live.name_any() == name).map(|live| (**live).clone());
            let outcome = Box::pin(self.one(kind, child, found)).await;
            children.push(Child { kind, name, outcome });
        }
        for extra in live {
            let name = extra.name_any();
            let is_wanted = wanted.iter().any(|wanted| wanted.name_any() == name);
            let leaving = extra.meta().deletion_timestamp.is_some();
            if !is_wanted && !leaving && is_ours(extra.meta(), &self.target.uid) {
                let outcome = Box::pin(self.delete(&**extra)).await;
                children.push(Child { kind, name, outcome });
            }
        }
        children
    }

    async fn one<K>(&mut self, kind: ChildKind, wanted: &K, cached: Option<K>) -> Result<Outcome, Error>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
        K: Clone + Debug + Serialize + DeserializeOwned,
    {
        let found = match cached {
            Some(cached) => Some(cached),
            None => self.api::<K>().get_opt(&wanted.name_any()).await.map_err(Error::Read)?,
        };
        if let Some(stop) = found.as_ref().and_then(|found| self.hands_off(found)) {
            return Ok(stop);
        }
        let outcome = self.write(kind, wanted, found.as_ref()).await?;
        Ok(if found.is_none() { Outcome::Created } else { outcome })
    }

    /// Why an object of a name that is wanted may not be touched now.
    pub(super) fn hands_off<K: Resource>(&self, found: &K) -> Option<Outcome> {
        if let Some(why) = foreign(found.meta(), &self.target.name, &self.target.uid) {
            return Some(Outcome::Foreign(why));
        }
        found.meta().deletion_timestamp.is_some().then_some(Outcome::Terminating)
    }

    /// Server-side apply, unless it would change nothing. Forced: whoever else wrote one of our fields was wrong. It names
    /// the object that was looked at: of one that is gone it would make another, with the defaults of all that it leaves out.
    pub(super) async fn write<K>(
        &mut self,
        kind: ChildKind,
        wanted: &K,
        found: Option<&K>,
    ) -> Result<Outcome, Error>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
        K: Clone + Debug + Serialize + DeserializeOwned,
    {
        self.write_fields(kind, &wanted.name_any(), as_json(wanted), found).await
    }

    /// The same of an object of which some fields are changed by others.
    pub(super) async fn write_fields<K>(
        &mut self,
        kind: ChildKind,
        name: &str,
        wanted: Value,
        found: Option<&K>,
    ) -> Result<Outcome, Error>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
        K: Clone + Debug + Serialize + DeserializeOwned,
    {
        let key = (kind, name.to_owned());
        let mut wanted = with_hash(wanted);
        if found.is_some_and(|found| self.settled.is(&key, &as_json(found), &wanted)) {
            return Ok(Outcome::Settled);
        }
        if let Some(found) = found {
            wanted["metadata"]["uid"] = json!(found.uid());
        }
        let params = PatchParams::apply(FIELD_MANAGER).force();
        let answer = match self.api::<K>().patch(name, &params, &Patch::Apply(&wanted)).await {
            Err(error) if found.is_some() && is_stale(&error) => return Ok(Outcome::Stale),
            answer => answer.map_err(Error::Apply)?,
        };
        self.settled.remember(key, &as_json(&answer));
        Ok(Outcome::Applied)
    }

    async fn delete<K>(&self, extra: &K) -> Result<Outcome, Error>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
        K: Clone + Debug + DeserializeOwned,
    {
        match self.api::<K>().delete(&extra.name_any(), &only(extra.uid())).await {
            Ok(_) => Ok(Outcome::Deleted),
            Err(kube::Error::Api(status)) if status.is_not_found() => Ok(Outcome::Deleted),
            Err(error) => Err(Error::Delete(error)),
        }
    }
}

pub(super) fn as_json<K: Serialize>(object: &K) -> Value {
    serde_json::to_value(object).expect("an object of Kubernetes is plain JSON")
}

fn with_hash(mut wanted: Value) -> Value {
    let hash = hash(&wanted);
    if wanted["metadata"]["annotations"].is_null() {
        wanted["metadata"]["annotations"] = json!({});
    }
    wanted["metadata"]["annotations"][APPLIED_HASH] = Value::String(hash);
    wanted
}
