//! The StatefulSet has rules of its own: its replicas are never applied, and some of its fields cannot be.

use std::fmt::Debug;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::{ControllerRevision, StatefulSet};
use k8s_openapi::api::core::v1::{Pod, PodTemplateSpec};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PropagationPolicy};
use kube::{Api, Client, Resource, ResourceExt};
use serde::de::DeserializeOwned;

use super::apply::{Live, Round, Settled};
use super::fingerprint::APPLIED_HASH;
use super::names::{FIELD_MANAGER, selector, workload_name};
use super::outcome::{Child, ChildKind, Error, Outcome};
use super::ownership::{foreign_stateful_set, take_over};
use super::stateful_set::{build, keep_immutable};
use crate::observe::names::pod_ordinal;
use crate::target::Target;
use crate::writes::{only, post, unless_stale};

pub(super) async fn apply(round: &mut Round<'_>, live: &Live) -> Child {
    let name = workload_name(round.target);
    let outcome = bring(round, &name, live).await;
    Child { kind: ChildKind::StatefulSet, name, outcome }
}

async fn bring(round: &mut Round<'_>, name: &str, live: &Live) -> Result<Outcome, Error> {
    let cached = live.stateful_set.as_deref().cloned();
    let mut created = false;
    let found = match cached {
        Some(cached) => cached,
        None => match round.api::<StatefulSet>().get_opt(name).await.map_err(Error::Read)? {
            Some(found) => found,
            None => {
                created = true;
                create(round, left(round, name).await?).await?
            }
        },
    };
    if let Some(stop) = hands_off(round, &found) {
        return Ok(stop);
    }
    if !found.annotations().contains_key(APPLIED_HASH) {
        own_fields::<StatefulSet>(round, name).await?;
    }
    let mut wanted = build(round.target);
    let immutable = keep_immutable(&mut wanted, &found);
    let outcome = round.write(ChildKind::StatefulSet, &wanted, Some(&found)).await?;
    Ok(match outcome {
        Outcome::Stale => outcome,
        _ if created => Outcome::Created,
        _ if !immutable.is_empty() => Outcome::Immutable(immutable),
        outcome => outcome,
    })
}

fn hands_off(round: &Round<'_>, found: &StatefulSet) -> Option<Outcome> {
    let foreign = foreign_stateful_set(found, &round.target.name, &round.target.uid);
    foreign.map(Outcome::Foreign).or_else(|| round.hands_off(found))
}

/// Gives the StatefulSet the pod template of an earlier revision back, in the place of [`super::apply`] for as long as
/// the template of the resource is refused. The rest of it stays as the resource wants it; asked again, it is settled.
pub async fn take_back(
    client: &Client,
    target: &Target,
    live: &StatefulSet,
    revision: &ControllerRevision,
    settled: &mut Settled,
) -> Result<Outcome, Error> {
    let mut round = Round { client, target, settled };
    if let Some(stop) = hands_off(&round, live) {
        return Ok(stop);
    }
    let mut wanted = build(target);
    if let Some(spec) = wanted.spec.as_mut() {
        spec.template = template_of(revision).ok_or(Error::NoTemplate)?;
    }
    keep_immutable(&mut wanted, live);
    Box::pin(round.write(ChildKind::StatefulSet, &wanted, Some(live))).await
}

/// A revision of a StatefulSet is a patch that replaces the template; one of a StatefulCluster only names it.
pub(super) fn template_of(revision: &ControllerRevision) -> Option<PodTemplateSpec> {
    let mut template = revision.data.as_ref()?.0.get("spec")?.get("template")?.clone();
    template.as_object_mut()?.remove("$patch");
    serde_json::from_value(template).ok()
}

/// With how many replicas a missing StatefulSet is made: one more than the highest ordinal among the pods that a
/// StatefulSet of this name left, so that one deleted from above its pods does not take them with it. Asked of the API
/// server: caches may show the pods of another moment.
async fn left(round: &Round<'_>, name: &str) -> Result<u32, Error> {
    let of_set = ListParams::default().labels(&selector(round.target));
    let pods = round.api::<Pod>().list(&of_set).await.map_err(Error::Read)?;
    let is_left = |pod: &Pod| {
        let mut controllers = pod.owner_references().iter().filter(|owner| owner.controller == Some(true));
        controllers.all(|owner| owner.kind == "StatefulSet" && owner.name == name)
    };
    let number = |pod: &Pod| pod_ordinal(&round.target.name, &pod.name_any());
    let numbers = pods.items.iter().filter(|pod| is_left(pod)).filter_map(number);
    Ok(numbers.max().map_or(0, |highest: u32| highest.saturating_add(1)))
}

/// Created, not applied: an apply that finds the object there after all would set a running set to 0.
async fn create(round: &Round<'_>, replicas: u32) -> Result<StatefulSet, Error> {
    let mut first = build(round.target);
    if let Some(spec) = first.spec.as_mut() {
        spec.replicas = i32::try_from(replicas).ok();
    }
    round.api().create(&post(), &first).await.map_err(Error::Create)
}

/// Asked of the API server, not of the cache: caches are free to drop who owns which field.
pub(super) async fn own_fields<K>(round: &Round<'_>, name: &str) -> Result<(), Error>
where
    K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
    K: Clone + Debug + DeserializeOwned,
{
    let api = round.api::<K>();
    let fresh = api.get(name).await.map_err(Error::Read)?;
    let Some(patch) = take_over(fresh.meta()) else { return Ok(()) };
    let patch = serde_json::from_value(patch).expect("a JSON patch");
    let params = PatchParams { field_manager: Some(FIELD_MANAGER.into()), ..PatchParams::default() };
    api.patch(name, &params, &Patch::Json::<()>(patch)).await.map(drop).map_err(Error::TakeOver)
}

/// Deletes exactly this StatefulSet and leaves its pods running, so that it can be made again with other immutable
/// fields. It is then made for as many as it left.
pub async fn release(client: &Client, live: &StatefulSet) -> Result<(), Error> {
    let api: Api<StatefulSet> = Api::namespaced(client.clone(), &live.namespace().unwrap_or_default());
    let params = DeleteParams { propagation_policy: Some(PropagationPolicy::Orphan), ..only(live.uid()) };
    let answer = api.delete(&live.name_any(), &params).await.map(drop);
    unless_stale(answer).map(drop).map_err(Error::Delete)
}
