//! Templates that pods have or had, each kept as a ControllerRevision: one that does not become available is taken back
//! to the one before it, which the resource does not tell any more.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;
use kube::ResourceExt;
use kube::api::Api;
use serde_json::json;
use stateful_cluster::Memory;
use stateful_cluster::target::Revision;

use super::Wanted;
use super::bytes;
use super::children::Failure;
use super::names;
use super::objects::Objects;
use super::session::Shared;
use crate::writes::{only, unless_stale};

/// The template of a revision: the wanted one, or one that is kept.
pub(super) fn template(wanted: &Wanted, objects: &Objects, revision: &Revision) -> Option<PodTemplateSpec> {
    if wanted.heart.revision == *revision {
        return Some(wanted.template.clone());
    }
    let kept = kept(wanted, objects, revision)?;
    serde_json::from_value(kept.data.as_ref()?.0["spec"]["template"].clone()).ok()
}

/// The name of the ControllerRevision of a template, as it is or will be.
pub(super) fn name(wanted: &Wanted, objects: &Objects, revision: &Revision) -> String {
    let kept = kept(wanted, objects, revision).map(|kept| kept.name_any());
    kept.unwrap_or_else(|| names::revision_name(&wanted.name, revision))
}

/// Of those that the resource has: of another's template nobody knows when it goes.
fn kept<'a>(
    wanted: &Wanted,
    objects: &'a Objects,
    revision: &Revision,
) -> Option<&'a Arc<ControllerRevision>> {
    let names = names_of(wanted, revision);
    objects.revisions.iter().find(|kept| names.contains(&kept.name_any()))
}

fn names_of(wanted: &Wanted, revision: &Revision) -> [String; 2] {
    names::kept_as(&names::revision_label(revision), &wanted.name, &wanted.uid)
}

/// Keeps the wanted template, before a pod has it.
pub(super) async fn keep(shared: &Shared, wanted: &Wanted, objects: &Objects) -> Result<(), Failure> {
    if kept(wanted, objects, &wanted.heart.revision).is_some() {
        return Ok(());
    }
    let [name, own] = names_of(wanted, &wanted.heart.revision);
    let failed = |name: &str| {
        let name = name.to_owned();
        move |error| Failure::Template(name, error)
    };
    if create(shared, wanted, objects, &name).await.map_err(failed(&name))? {
        return Ok(());
    }
    create(shared, wanted, objects, &own).await.map(drop).map_err(failed(&own))
}

/// False: another one has the name. One that is ours already is only not in the caches yet.
async fn create(shared: &Shared, wanted: &Wanted, objects: &Objects, name: &str) -> kube::Result<bool> {
    let number = objects.revisions.iter().map(|kept| kept.revision).max().unwrap_or(0) + 1;
    let revision = ControllerRevision {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            namespace: Some(wanted.namespace.clone()),
            labels: Some(names::own_label(&wanted.name)),
            owner_references: Some(vec![names::owner(&wanted.name, &wanted.uid)]),
            ..ObjectMeta::default()
        },
        data: Some(RawExtension(json!({"spec": {"template": wanted.template}}))),
        revision: number,
    };
    match bytes::create(&shared.context.clients.writes, &wanted.namespace, &revision).await {
        Err(kube::Error::Api(status)) if status.code == 409 => {
            let known: Api<ControllerRevision> =
                Api::namespaced(shared.context.clients.reads.clone(), &wanted.namespace);
            match known.get_opt(name).await? {
                Some(found) => Ok(names::is_owned(&found.metadata, &wanted.uid)),
                // Nobody has it any more.
                None => Err(kube::Error::Api(status)),
            }
        }
        answer => answer.map(|_| true),
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
        let answer = api(shared, wanted).delete(&extra.name_any(), &only(extra.uid())).await.map(drop);
        unless_stale(answer)?;
    }
    Ok(())
}

fn extra(wanted: &Wanted, objects: &Objects, memory: &Memory) -> Vec<Arc<ControllerRevision>> {
    let labels = objects.pods.values().filter_map(|pod| pod.labels().get(names::REVISION));
    let of_pods = labels.map(|label| names::revision_of(label));
    let remembered = [Some(&wanted.heart.revision), memory.proven.as_ref(), memory.failed.as_ref()];
    let used = of_pods.chain(remembered.into_iter().flatten().cloned());
    let used: Vec<_> = used.flat_map(|revision| names_of(wanted, &revision)).collect();
    let is_unused = |kept: &&Arc<ControllerRevision>| !used.contains(&kept.name_any());
    let mut unused: Vec<_> = objects.revisions.iter().filter(is_unused).cloned().collect();
    unused.sort_by_key(|kept| kept.revision);
    unused.truncate(unused.len().saturating_sub(wanted.history));
    unused
}

fn api(shared: &Shared, wanted: &Wanted) -> Api<ControllerRevision> {
    Api::namespaced(shared.context.clients.writes.clone(), &wanted.namespace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::target::fixture::wanted;
    use k8s_openapi::api::core::v1::Pod;

    fn revision(name: &str, number: i64) -> ControllerRevision {
        ControllerRevision {
            metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },
            data: None,
            revision: number,
        }
    }

    fn pod(label: &str) -> Pod {
        let meta = json!({"name": "coder-a", "labels": {names::REVISION: label}});
        serde_json::from_value(json!({"metadata": meta})).unwrap()
    }

    fn of(label: &str) -> Revision {
        names::revision_of(label)
    }

    #[test]
    fn what_no_pod_has_and_nobody_goes_back_to_is_removed_beyond_the_history_the_oldest_first() {
        let wanted = |history: u32| wanted(json!({"revisionHistoryLimit": history}));
        let now = names::revision_label(&wanted(0).heart.revision);
        let kept = ["old-1", "older-1", "pods-1", "own-1-c0", "proven-1", "failed-1", &now];
        let numbers = [6, 1, 2, 3, 4, 5, 7];
        let kept =
            kept.iter().zip(numbers).map(|(label, number)| revision(&format!("coder-{label}"), number));
        let objects = Objects::of(vec![pod("pods-1")], kept.collect());
        let memory =
            Memory { proven: Some(of("proven-1")), failed: Some(of("failed-1")), ..Memory::default() };
        let gone = |history| -> Vec<_> {
            extra(&wanted(history), &objects, &memory).iter().map(|one| one.name_any()).collect()
        };
        assert_eq!(gone(0), ["coder-older-1", "coder-own-1-c0", "coder-old-1"]);
        assert_eq!(gone(1), ["coder-older-1", "coder-own-1-c0"]);
        assert_eq!(gone(3), [""; 0]);
    }

    #[test]
    fn a_template_is_found_by_either_of_its_names() {
        let wanted = wanted(json!({}));
        let (label, other) = ("a-1", of("b-1"));
        for name in ["coder-a-1", "coder-a-1-c0"] {
            let objects = Objects::of(Vec::new(), vec![revision(name, 1)]);
            assert_eq!(super::name(&wanted, &objects, &of(label)), name);
            assert_eq!(super::name(&wanted, &objects, &other), "coder-b-1", "as it will be");
        }
    }
}
