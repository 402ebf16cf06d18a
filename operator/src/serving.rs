//! The readiness gate of the pods: Kubernetes counts a pod as Ready only while the operator says that its member serves.
//!
//! The gate has the value of the label by which clients find the member. While the label stays, also of a member that gives no
//! answer, the gate stays too. While no operator leads, neither changes. No rule of a recovery reads whether a pod is Ready.

use futures::future::join_all;
use k8s_openapi::api::core::v1::{Pod, PodCondition};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, Patch, PatchParams};
use kube::{Client, ResourceExt};
use planner::names::ReplicaName;
use planner::{Plan, Step};
use serde_json::json;

use crate::children::{ACTIVE_MEMBER, SERVING};
use crate::observe::Objects;
use crate::writes::unless_stale;

/// The readiness gate of a pod was not written.
#[derive(Debug, thiserror::Error)]
#[error("failed to write the readiness gate of pod {0}")]
pub(crate) struct Error(ReplicaName, #[source] kube::Error);

/// Writes each gate that differs from the label which the pod has after this plan. All gates are tried, and the first failure
/// is the answer.
pub(crate) async fn write_gates(
    client: &Client,
    objects: &Objects,
    plan: &Plan,
    now: Timestamp,
) -> Result<(), Error> {
    let pods: Api<Pod> = Api::namespaced(client.clone(), objects.namespace());
    let differing =
        objects.pods.iter().filter_map(|(name, pod)| Some((name, pod, differs(name, pod, plan)?)));
    let written = differing.map(|(name, pod, serves)| {
        // A UID in the body that is not the pod's is a conflict.
        let body =
            json!({"metadata": {"uid": pod.uid()}, "status": {"conditions": [condition(serves, now)]}});
        let pods = pods.clone();
        async move {
            let patch = Patch::Strategic(body);
            let answer = pods.patch_status(&name.0, &PatchParams::default(), &patch).await.map(drop);
            unless_stale(answer).map(drop).map_err(|error| Error(name.clone(), error))
        }
    });
    join_all(written).await.into_iter().find(Result::is_err).unwrap_or(Ok(()))
}

/// The wanted value of the gate of a pod, if the gate has another value. A pod of an earlier template has no gate. A gate that was
/// never written keeps its pod from being Ready, too.
fn differs(name: &ReplicaName, pod: &Pod, plan: &Plan) -> Option<bool> {
    let gates = pod.spec.as_ref()?.readiness_gates.as_deref().unwrap_or_default();
    let has_gate = gates.iter().any(|gate| gate.condition_type == SERVING);
    let is_leaving = pod.metadata.deletion_timestamp.is_some();
    let serves = planned(name, pod, plan).unwrap_or_else(|| is_labelled(pod));
    (has_gate && !is_leaving && serves != is_open(pod)).then_some(serves)
}

/// The label that this plan writes on the pod.
fn planned(name: &ReplicaName, pod: &Pod, plan: &Plan) -> Option<bool> {
    plan.steps.iter().find_map(|step| match step {
        Step::Label { replica, if_pod, active, .. } => {
            (replica == name && pod.metadata.uid.as_ref() == Some(&if_pod.0)).then_some(*active)
        }
        _ => None,
    })
}

fn is_labelled(pod: &Pod) -> bool {
    pod.labels().get(ACTIVE_MEMBER).is_some_and(|value| value == "true")
}

fn is_open(pod: &Pod) -> bool {
    let mut conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.any(|condition| condition.type_ == SERVING && condition.status == "True")
}

fn condition(serves: bool, now: Timestamp) -> PodCondition {
    let (status, reason, message) = match serves {
        true => ("True", "Serves", "the member runs and belongs to the newest epoch"),
        false => ("False", "DoesNotServe", "the member does not run, or does not belong to the newest epoch"),
    };
    PodCondition {
        type_: SERVING.to_owned(),
        status: status.to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message.to_owned()),
        last_transition_time: Some(Time(now)),
        ..PodCondition::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// A pod with this label whose gate says this.
    fn pod(label: &str, gate: Option<&str>) -> Value {
        let conditions: Vec<Value> =
            gate.iter().map(|status| json!({"type": SERVING, "status": status})).collect();
        json!({"metadata": {"name": "rss-x-0", "uid": "u0", "labels": {ACTIVE_MEMBER: label}},
            "spec": {"containers": [], "readinessGates": [{"conditionType": SERVING}]},
            "status": {"conditions": conditions}})
    }

    /// The value that is written, if this is planned.
    fn written(pod: Value, planned: Option<(&str, bool)>) -> Option<bool> {
        let label = |(uid, active): (&str, bool)| Step::Label {
            replica: "rss-x-0".into(),
            if_pod: uid.into(),
            active,
            role: None,
        };
        let plan = Plan { steps: planned.map(label).into_iter().collect(), ..Plan::default() };
        differs(&"rss-x-0".into(), &serde_json::from_value(pod).unwrap(), &plan)
    }

    #[test]
    fn the_gate_follows_the_label_and_is_written_only_where_it_differs() {
        for (label, gate, expected) in [
            ("true", None, Some(true)),
            ("true", Some("False"), Some(true)),
            ("true", Some("True"), None),
            ("false", None, None),
            ("false", Some("False"), None),
            ("false", Some("True"), Some(false)),
        ] {
            assert_eq!(written(pod(label, gate), None), expected, "{label} {gate:?}");
        }
    }

    #[test]
    fn a_label_of_the_same_plan_counts_if_it_is_for_this_pod() {
        assert_eq!(written(pod("false", None), Some(("u0", true))), Some(true));
        assert_eq!(written(pod("true", Some("True")), Some(("u0", false))), Some(false));
        assert_eq!(written(pod("false", None), Some(("u1", true))), None, "another pod had the name");
    }

    #[test]
    fn a_pod_without_the_gate_and_one_that_is_being_deleted_are_left_alone() {
        let mut older = pod("true", None);
        older["spec"]["readinessGates"] = json!([]);
        assert_eq!(written(older, None), None);
        let mut leaving = pod("true", None);
        leaving["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        assert_eq!(written(leaving, None), None);
    }
}
