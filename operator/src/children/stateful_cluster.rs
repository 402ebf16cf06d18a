//! The StatefulCluster of a set whose members are given their identities once: it makes pods and claims, and takes nobody
//! away whom the set has not given up.

use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::{Client, ResourceExt};
use serde_json::Value;

use super::apply::{Live, Round, Settled, as_json};
use super::fingerprint::APPLIED_HASH;
use super::names::{headless_service_name, metadata, pod_labels, workload_name};
use super::outcome::{Child, ChildKind, Error, Outcome};
use super::stateful_set::retention;
use super::{pod_template, workload};
use crate::api::{ClusterSpec, Replacement, StatefulCluster};
use crate::target::Target;
use crate::writes::post;

/// The StatefulCluster as it is made: with nobody in it, and with an owner that decides who goes.
#[must_use]
pub fn build(target: &Target) -> StatefulCluster {
    let spec = ClusterSpec {
        selector: LabelSelector { match_labels: Some(pod_labels(target)), ..LabelSelector::default() },
        template: pod_template::build(target),
        volume_claim_templates: target.template.claims.clone(),
        service_name: Some(headless_service_name(target)),
        persistent_volume_claim_retention_policy: Some(retention(target)),
        replacement: Some(Replacement { released: Some(Vec::new()), ..Replacement::default() }),
        ..ClusterSpec::default()
    };
    let mut cluster = StatefulCluster::new(&workload_name(target), spec);
    cluster.metadata = metadata(target, workload_name(target));
    cluster.metadata.annotations = (!target.annotations.is_empty()).then(|| target.annotations.clone());
    cluster
}

/// The same without what is changed by steps alone: how many there are, and who was given up.
fn applied(target: &Target) -> Value {
    let mut cluster = as_json(&build(target));
    if let Some(spec) = cluster["spec"].as_object_mut() {
        spec.retain(|field, _| !["replicas", "replacement"].contains(&field.as_str()));
    }
    cluster
}

pub(super) async fn apply(round: &mut Round<'_>, live: &Live) -> Child {
    let name = workload_name(round.target);
    let outcome = bring(round, &name, live.stateful_cluster.as_deref()).await;
    Child { kind: ChildKind::StatefulCluster, name, outcome }
}

/// Gives the StatefulCluster the pod template of an earlier revision back, as [`super::take_back`] does a StatefulSet.
pub async fn give_back(
    client: &Client,
    target: &Target,
    live: &StatefulCluster,
    revision: &ControllerRevision,
    settled: &mut Settled,
) -> Result<Outcome, Error> {
    let mut round = Round { client, target, settled };
    if let Some(stop) = round.hands_off(live) {
        return Ok(stop);
    }
    let mut wanted = applied(target);
    wanted["spec"]["template"] = as_json(&workload::template_of(revision).ok_or(Error::NoTemplate)?);
    let (kind, name) = (ChildKind::StatefulCluster, workload_name(target));
    Box::pin(round.write_fields(kind, &name, wanted, Some(live))).await
}

/// Created, not applied: an apply that finds the object there after all would set a running set to 0.
async fn bring(round: &mut Round<'_>, name: &str, found: Option<&StatefulCluster>) -> Result<Outcome, Error> {
    let Some(found) = found else {
        let made = round.api().create(&post(), &build(round.target)).await;
        return made.map(|_| Outcome::Created).map_err(Error::Create);
    };
    if let Some(stop) = round.hands_off(found) {
        return Ok(stop);
    }
    if !found.annotations().contains_key(APPLIED_HASH) {
        workload::own_fields::<StatefulCluster>(round, name).await?;
    }
    let wanted = applied(round.target);
    round.write_fields(ChildKind::StatefulCluster, name, wanted, Some(found)).await
}
