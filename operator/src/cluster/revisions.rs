//! Templates that pods have or had, each kept as a ControllerRevision: one that does not become available is taken back
//! to the one before it, which the resource does not tell any more.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;
use kube::ResourceExt;
use kube::api::{Api, DeleteParams, PostParams, Preconditions};
use serde_json::json;
use stateful_cluster::Memory;
use stateful_cluster::target::Revision;

use super::Wanted;
use super::names::{self, FIELD_MANAGER};
use super::observe::Objects;
use super::session::Shared;
use crate::promise::is_stale;

/// The template of a revision: the wanted one, or one that is kept.
pub(super) fn template(wanted: &Wanted, objects: &Objects, revision: &Revision) -> Option<PodTemplateSpec> {
    if wanted.heart.revision == *revision {
        return Some(wanted.template.clone());
    }
    let name = names::revision_name(&wanted.name, revision);
    let kept = objects.revisions.iter().find(|kept| kept.name_any() == name)?;
    serde_json::from_value(kept.data.as_ref()?.0["spec"]["template"].clone()).ok()
}

/// Keeps the wanted template, before a pod has it.
pub(super) async fn keep(shared: &Shared, wanted: &Wanted, objects: &Objects) -> kube::Result<()> {
    let name = names::revision_name(&wanted.name, &wanted.heart.revision);
    if objects.revisions.iter().any(|kept| kept.name_any() == name) {
        return Ok(());
    }
    let number = objects.revisions.iter().map(|kept| kept.revision).max().unwrap_or(0) + 1;
    let revision = ControllerRevision {
        metadata: ObjectMeta {
            name: Some(name),
            namespace: Some(wanted.namespace.clone()),
            labels: Some(names::own_label(&wanted.name)),
            owner_references: Some(vec![names::owner(&wanted.name, &wanted.uid)]),
            ..ObjectMeta::default()
        },
        data: Some(RawExtension(json!({"spec": {"template": wanted.template}}))),
        revision: number,
    };
    let params = PostParams { field_manager: Some(FIELD_MANAGER.into()), ..PostParams::default() };
    match api(shared, wanted).create(&params, &revision).await {
        Ok(_) => Ok(()),
        // The caches do not have it yet.
        Err(kube::Error::Api(status)) if status.code == 409 => Ok(()),
        Err(error) => Err(error),
    }
}

/// Removes what no pod has and the history does not ask for, the oldest first.
pub(super) async fn trim(
    shared: &Shared,
    wanted: &Wanted,
    objects: &Objects,
    memory: &Memory,
) -> kube::Result<()> {
    for extra in extra(wanted, objects, memory) {
        let preconditions = Preconditions { uid: extra.uid(), ..Preconditions::default() };
        let params = DeleteParams::default().preconditions(preconditions);
        match api(shared, wanted).delete(&extra.name_any(), &params).await {
            Err(error) if !is_stale(&error) => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn extra(wanted: &Wanted, objects: &Objects, memory: &Memory) -> Vec<Arc<ControllerRevision>> {
    let labels = objects.pods.values().filter_map(|pod| pod.labels().get(names::REVISION));
    let mut used: Vec<String> = labels.map(|label| format!("{}-{label}", wanted.name)).collect();
    let remembered = [Some(&wanted.heart.revision), memory.proven.as_ref(), memory.failed.as_ref()];
    used.extend(remembered.into_iter().flatten().map(|one| names::revision_name(&wanted.name, one)));
    let is_unused = |kept: &&Arc<ControllerRevision>| !used.contains(&kept.name_any());
    let mut unused: Vec<_> = objects.revisions.iter().filter(is_unused).cloned().collect();
    unused.sort_by_key(|kept| kept.revision);
    unused.truncate(unused.len().saturating_sub(wanted.history));
    unused
}

fn api(shared: &Shared, wanted: &Wanted) -> Api<ControllerRevision> {
    Api::namespaced(shared.context.clients.writes.clone(), &wanted.namespace)
}
