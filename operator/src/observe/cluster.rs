//! The StatefulCluster of a set, where it has one.

use std::collections::BTreeSet;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube::api::{Api, ListParams};
use kube::{Client, ResourceExt};
use planner::names::{ReplicaName, Revision};
use planner::observation::Workload;

use super::workload::{Applied, is_current};
use super::{Objects, names};
use crate::api::{NAME_LABEL, StatefulCluster};
use crate::children::is_foreign;
use crate::cluster::{CLAIM_TEMPLATE, CLUSTER_UID, IDENTITY, label_of_revision};

/// Adds the StatefulCluster of a set that has one. The API server is asked for it: a size or a list of names that a cache
/// has of before would be decided on. Where it is somebody else's, so are its pods and claims.
pub async fn find_cluster(client: &Client, objects: &mut Objects) -> kube::Result<()> {
    if !objects.are_given_once() {
        return Ok(());
    }
    let api: Api<StatefulCluster> = Api::namespaced(client.clone(), objects.namespace());
    let Some(found) = api.get_opt(&names::workload(objects.name())).await? else { return Ok(()) };
    let uid = found.uid();
    let set_uid = objects.set.uid().unwrap_or_default();
    if is_foreign(&found.metadata, objects.name(), &set_uid) {
        objects.pods.retain(|_, pod| !has_owner(pod, uid.as_deref()));
        for claims in objects.claims.values_mut() {
            claims.retain(|claim| claim.labels().get(CLUSTER_UID) != uid.as_ref());
        }
        objects.claims.retain(|_, claims| !claims.is_empty());
        return Ok(());
    }
    let templates: Vec<_> =
        found.spec.volume_claim_templates.iter().filter_map(|claim| claim.metadata.name.as_ref()).collect();
    let place = |claim: &Arc<PersistentVolumeClaim>| {
        templates.iter().position(|template| claim.labels().get(CLAIM_TEMPLATE) == Some(template))
    };
    objects.claims.values_mut().for_each(|claims| claims.sort_by_key(place));
    objects.cluster = Some(Arc::new(found));
    Ok(())
}

fn has_owner(pod: &Pod, uid: Option<&str>) -> bool {
    pod.owner_references().iter().any(|owner| Some(owner.uid.as_str()) == uid)
}

/// What the API shows of it. What of it cannot be changed is refused by the API server, and told as that.
pub(super) fn workload(
    seen: &StatefulCluster,
    wanted_generation: i64,
    applied: Option<&Applied>,
) -> Workload {
    let status = seen.status.clone().unwrap_or_default();
    let revision = status.update_revision.unwrap_or_default();
    let label =
        label_of_revision(&revision, &seen.name_any(), seen.metadata.uid.as_deref().unwrap_or_default());
    Workload {
        replicas: u32::try_from(seen.spec.replicas).unwrap_or(0),
        revision: Revision(label.to_owned()),
        immutable: None,
        current: is_current(&seen.metadata, status.observed_generation, wanted_generation, applied),
        released: released(seen).map(|name| ReplicaName(name.clone())).collect(),
    }
}

/// Those of whom a pod or a claim is there. About whom the caches show neither the API server is asked: they may be behind,
/// and whoever is not named any more has its place again if a claim of it is there.
pub(crate) async fn with_something_left(
    client: &Client,
    objects: &Objects,
    mut names: BTreeSet<ReplicaName>,
) -> kube::Result<BTreeSet<ReplicaName>> {
    let is_shown = |name: &ReplicaName| objects.pods.contains_key(name) || objects.claims.contains_key(name);
    if names.iter().all(is_shown) {
        return Ok(names);
    }
    let pods: Api<Pod> = Api::namespaced(client.clone(), objects.namespace());
    let pods = pods.list(&ListParams::default().labels(IDENTITY)).await?;
    let claims: Api<PersistentVolumeClaim> = Api::namespaced(client.clone(), objects.namespace());
    let of_cluster = format!("{NAME_LABEL}={}", names::workload(objects.name()));
    let claims = claims.list(&ListParams::default().labels(&of_cluster)).await?;
    let of_claims = claims.iter().filter_map(names::identity_of_claim).map(|(_, name)| name);
    let there: BTreeSet<_> = pods.iter().map(|pod| ReplicaName(pod.name_any())).chain(of_claims).collect();
    names.retain(|name| is_shown(name) || there.contains(name));
    Ok(names)
}

/// Who was given up.
pub(crate) fn released(cluster: &StatefulCluster) -> impl Iterator<Item = &String> {
    cluster.spec.replacement.iter().filter_map(|replacement| replacement.released.as_ref()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn its_template_is_called_as_its_pods_are_labelled_and_who_was_given_up_is_known() {
        let seen = |observed: i64| -> StatefulCluster {
            serde_json::from_value(json!({"apiVersion": "enge.me/v1alpha1", "kind": "StatefulCluster",
                "metadata": {"name": "rss-x", "uid": "c", "generation": 2},
                "spec": {"replicas": 3, "selector": {}, "template": {}, "replacement": {"released": ["rss-x-a"]}},
                "status": {"observedGeneration": observed, "updateRevision": "rss-x-r1-r2"}}))
            .unwrap()
        };
        let applied = Applied { generation: 7, uid: Some("c".into()), immutable: None };
        let view = workload(&seen(2), 7, Some(&applied));
        assert_eq!((view.replicas, view.revision, view.current), (3, "r1-r2".into(), Some(true)));
        assert_eq!(view.released, ["rss-x-a".into()].into());
        assert_eq!(
            workload(&seen(1), 7, Some(&applied)).current,
            Some(false),
            "its own controller is behind"
        );
        assert_eq!(workload(&seen(2), 8, Some(&applied)).current, None, "the resource changed since");
        assert_eq!(workload(&seen(2), 7, None).current, None, "it was not compared yet");
    }
}
