//! The labels by which services, the budget and the workload find the pods of a set. A pod without one of them belongs to none
//! of these, so the operator writes the labels again.

use std::collections::BTreeMap;

use futures::future::join_all;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, Patch, PatchParams};
use kube::{Client, ResourceExt};
use planner::names::ReplicaName;
use serde_json::json;

use crate::api::{self, NAME_LABEL};
use crate::children::pod_labels;
use crate::events::{Happened, Reason};
use crate::observe::Objects;
use crate::target::Target;
use crate::writes::unless_stale;

/// Writes the labels that are missing or changed, and reports each pod that had such a label. The operator logs a failure, and
/// tries again in the next look.
pub(crate) async fn restore(client: &Client, objects: &Objects, target: &Target) -> Vec<Happened> {
    let pods: Api<Pod> = Api::namespaced(client.clone(), objects.namespace());
    let ours = objects.pods.iter().filter(|(_, pod)| is_ours(objects, pod));
    let found = ours.map(|(name, pod)| (name, pod, lacking(pod, target)));
    let restored = found.filter(|(_, _, labels)| !labels.is_empty()).map(|(name, pod, labels)| {
        // A UID in the body that is not the pod's is a conflict.
        let patch = Patch::Merge(json!({"metadata": {"uid": pod.uid(), "labels": labels}}));
        let pods = pods.clone();
        async move {
            let answer = pods.patch(&name.0, &PatchParams::default(), &patch).await.map(drop);
            match unless_stale(answer) {
                Ok(is_written) => is_written.then(|| report(name, &labels)),
                Err(error) => {
                    tracing::warn!(pod = name.0, %error, "failed to restore labels");
                    None
                }
            }
        }
    });
    join_all(restored).await.into_iter().flatten().collect()
}

/// A StatefulSet releases a pod without its labels, and then nothing controls the pod. A StatefulCluster takes all labels from a
/// pod that it sets aside, its own label too. A pod with a foreign controller stays as it is.
fn is_ours(objects: &Objects, pod: &Pod) -> bool {
    let workload = objects.workload.as_ref().and_then(|workload| workload.uid());
    let cluster = objects.cluster.as_ref().and_then(|cluster| cluster.uid());
    let makers: Vec<String> = workload.into_iter().chain(cluster).collect();
    let mut controllers = pod.owner_references().iter().filter(|owner| owner.controller == Some(true));
    let is_set_aside = objects.are_given_once() && !pod.labels().contains_key(NAME_LABEL);
    let is_ours = controllers.all(|owner| makers.contains(&owner.uid)) && !is_set_aside;
    pod.metadata.deletion_timestamp.is_none() && is_ours
}

fn lacking(pod: &Pod, target: &Target) -> BTreeMap<String, String> {
    pod_labels(target).into_iter().filter(|(key, value)| pod.labels().get(key) != Some(value)).collect()
}

fn report(name: &ReplicaName, labels: &BTreeMap<String, String>) -> Happened {
    let labels: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    Happened {
        reason: Reason::Shell(api::Reason::LabelsRestored),
        is_warning: true,
        replica: Some(name.clone()),
        note: format!(
            "{} of pod {name} was missing or changed, and was restored: services and the budget select by it",
            labels.join(",")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::fixture;
    use serde_json::Value;

    /// The labels that the operator restores on a pod with these labels and this controller.
    fn restored(labels: Value, controller: Option<&str>) -> Vec<String> {
        let mut objects = fixture::objects();
        let mut workload = k8s_openapi::api::apps::v1::StatefulSet::default();
        workload.metadata.uid = Some("w".into());
        objects.workload = Some(workload.into());
        let owner = |uid: &str| json!({"apiVersion": "v1", "kind": "StatefulSet", "name": "n", "uid": uid, "controller": true});
        let owners: Vec<Value> = controller.into_iter().map(owner).collect();
        let pod: Pod =
            serde_json::from_value(json!({"metadata": {"labels": labels, "ownerReferences": owners}}))
                .unwrap();
        let target = Target::parse(&objects.set).unwrap();
        if !is_ours(&objects, &pod) {
            return Vec::new();
        }
        lacking(&pod, &target).into_keys().collect()
    }

    #[test]
    fn a_pod_that_a_statefulcluster_set_aside_stays_so() {
        let mut pod = Pod::default();
        let mut objects = fixture::objects();
        assert!(is_ours(&objects, &pod), "it is of a StatefulSet");
        objects.set = std::sync::Arc::new(fixture::set(json!({"workload": "StatefulCluster"})));
        assert!(!is_ours(&objects, &pod));
        pod.labels_mut().insert(NAME_LABEL.to_owned(), "rss-x".to_owned());
        assert!(is_ours(&objects, &pod), "it has the label of the StatefulCluster");
    }

    #[test]
    fn labels_that_services_select_by_are_written_where_they_are_missing_or_changed() {
        for (labels, controller, expected) in [
            (
                json!({"app": "x", "rss-operator-managed": "true", "rss-active-member": "false"}),
                Some("w"),
                vec![],
            ),
            (json!({"app": "y", "rss-operator-managed": "true"}), Some("w"), vec!["app"]),
            (json!({"rss-operator-managed": "true"}), None, vec!["app"]),
            (json!({"app": "x"}), None, vec!["rss-operator-managed"]),
            (json!({}), Some("another"), vec![]),
        ] {
            assert_eq!(restored(labels.clone(), controller), expected, "{labels} {controller:?}");
        }
    }
}
