//! What a kubelet tells of a pod of the set.

use planner::names::ContainerId;
use planner::observation::{Container, ContainerState};
use serde_json::{Value, json};

/// When, is of no meaning where time is virtual.
pub(super) const LONG_AGO: &str = "2026-01-01T00:00:00Z";

/// Its container is this one, after one that ended so; nothing may be heard of its node any more.
pub(super) fn pod_status(
    container: Option<&Container>,
    last: &Value,
    is_heard: bool,
    has_reported: impl Fn(&ContainerId) -> bool,
) -> Value {
    let Some(container) = container else { return json!({"phase": "Pending"}) };
    let state = match (&container.state, &container.id) {
        (ContainerState::Running, _) => json!({"running": {}}),
        (ContainerState::Waiting(reason), _) => json!({"waiting": {"reason": reason}}),
        (ContainerState::Terminated(_), Some(id)) => terminated(id, has_reported(id)),
        (ContainerState::Terminated(reason), None) => {
            json!({"terminated": {"exitCode": 1, "reason": reason}})
        }
    };
    let runs = container.state == ContainerState::Running;
    // What ended is started again, and its pod runs meanwhile; what never began does not.
    let began = !matches!(container.state, ContainerState::Waiting(_)) || last["terminated"].is_object();
    // Of a node that is silent its controller says it, for the kubelet cannot.
    let ready = if runs && is_heard { "True" } else { "False" };
    json!({"phase": if began { "Running" } else { "Pending" },
        "conditions": [{"type": "Ready", "status": ready, "lastTransitionTime": LONG_AGO}],
        "containerStatuses": [{"name": "db", "image": "db", "imageID": "",
            "ready": runs, "restartCount": 0, "containerID": container.id.as_ref().map(|id| &id.0),
            "state": state, "lastState": last}]})
}

/// What others wrote beside it stays. A pod is not ready before each of its gates is open.
pub(super) fn gated(mut status: Value, before: &Value, spec: &Value) -> Value {
    let written = before["conditions"].as_array().into_iter().flatten();
    let others: Vec<Value> = written.filter(|condition| condition["type"] != "Ready").cloned().collect();
    let is_open = |gate: &Value| {
        let mut conditions = others.iter();
        conditions.any(|one| one["type"] == gate["conditionType"] && one["status"] == "True")
    };
    let mut gates = spec["readinessGates"].as_array().into_iter().flatten();
    let is_closed = gates.any(|gate| !is_open(gate));
    let mut conditions = status["conditions"].as_array().cloned().unwrap_or_default();
    if is_closed {
        conditions.iter_mut().for_each(|condition| condition["status"] = json!("False"));
    }
    conditions.extend(others);
    if !conditions.is_empty() {
        status["conditions"] = Value::Array(conditions);
    }
    status
}

/// The last that it tells of a pod that was deleted.
pub(super) fn ended_for_good(before: &Value, id: &ContainerId) -> Value {
    let mut status = before.clone();
    status["phase"] = json!("Failed");
    status["conditions"] = json!([{"type": "Ready", "status": "False"}]);
    status["containerStatuses"][0]["ready"] = json!(false);
    status["containerStatuses"][0]["state"] = terminated(id, true);
    status
}

/// How it ended; a kubelet that finds no trace of it says that much.
pub(super) fn terminated(id: &ContainerId, is_reported: bool) -> Value {
    let reason = if is_reported { "Error" } else { "ContainerStatusUnknown" };
    json!({"terminated": {"exitCode": 1, "reason": reason, "containerID": id.0}})
}

pub(super) fn id_of(pod: &Value) -> Option<ContainerId> {
    pod["status"]["containerStatuses"][0]["containerID"].as_str().map(|id| ContainerId(id.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Phase, readiness of the container and of the pod.
    fn told(state: ContainerState, ended_before: bool, is_heard: bool) -> (String, bool, bool) {
        let container = Container { id: Some(ContainerId("c".to_owned())), state };
        let last = if ended_before { terminated(&ContainerId("b".to_owned()), true) } else { Value::Null };
        let status = pod_status(Some(&container), &last, is_heard, |_| true);
        let is_ready = status["containerStatuses"][0]["ready"] == true;
        (
            status["phase"].as_str().unwrap_or_default().to_owned(),
            is_ready,
            status["conditions"][0]["status"] == "True",
        )
    }

    #[test]
    fn a_pod_that_was_deleted_and_has_ended_is_not_ready_and_will_not_run_again() {
        let id = ContainerId("c".to_owned());
        let runs = Container { id: Some(id.clone()), state: ContainerState::Running };
        let last = ended_for_good(&pod_status(Some(&runs), &Value::Null, true, |_| true), &id);
        let container = &last["containerStatuses"][0];
        assert_eq!((&last["phase"], &last["conditions"][0]["status"]), (&json!("Failed"), &json!("False")));
        assert_eq!(
            (&container["ready"], container["state"]["terminated"]["containerID"].as_str()),
            (&json!(false), Some("c"))
        );
    }

    #[test]
    fn a_pod_is_not_ready_before_its_gate_is_open_and_the_gate_stays_as_it_was_written() {
        let spec = json!({"readinessGates": [{"conditionType": "g"}]});
        let told = |gate: Value| {
            let runs = Container { id: Some(ContainerId("c".to_owned())), state: ContainerState::Running };
            let status = pod_status(Some(&runs), &Value::Null, true, |_| true);
            gated(status, &json!({"conditions": [gate, {"type": "Ready", "status": "True"}]}), &spec)["conditions"].clone()
        };
        for (gate, ready) in [("True", "True"), ("False", "False")] {
            let gate = json!({"type": "g", "status": gate});
            let conditions = told(gate.clone());
            assert_eq!((&conditions[0]["status"], &conditions[1]), (&json!(ready), &gate));
            assert_eq!(conditions[2], Value::Null);
        }
        assert_eq!(told(json!({"type": "other"}))[0]["status"], "False", "it was never written");
    }

    #[test]
    fn a_pod_is_ready_while_its_container_runs_and_something_is_heard_of_its_node() {
        let waits = || ContainerState::Waiting("ErrImagePull".to_owned());
        let ended = || ContainerState::Terminated("Error".to_owned());
        for (state, ended_before, is_heard, expected) in [
            (ContainerState::Running, false, true, ("Running", true, true)),
            (ContainerState::Running, true, true, ("Running", true, true)),
            (ContainerState::Running, false, false, ("Running", true, false)),
            (ended(), false, true, ("Running", false, false)),
            (waits(), false, true, ("Pending", false, false)),
            (waits(), true, true, ("Running", false, false)),
        ] {
            let (phase, container, pod) = told(state.clone(), ended_before, is_heard);
            assert_eq!((phase.as_str(), container, pod), expected, "{state:?} {ended_before} {is_heard}");
        }
    }
}
