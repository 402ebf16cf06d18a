//! A pod of Kubernetes as the planner sees it.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{self as core, ContainerStatus};
use planner::names::{ContainerId, NodeName, PodUid, Revision};
use planner::observation::{Container, ContainerState, Pod, Role, Status};

use super::trouble::{ORDINARY, trouble};
use crate::children::{ACTIVE_MEMBER, ROLE};
use crate::guard::{FOLDER, POD_UID_ENV};

/// The label by which the StatefulSet controller names a pod's template.
const REVISION: &str = "controller-revision-hash";

/// What the API shows of a pod, with what `status` answered in it.
pub(crate) fn pod(pod: &core::Pod, status: Status, unanswered: &BTreeSet<ContainerId>) -> Pod {
    let labels = pod.metadata.labels.clone().unwrap_or_default();
    let silent = running(pod).is_some_and(|container| unanswered.contains(&container));
    Pod {
        uid: PodUid(pod.metadata.uid.clone().unwrap_or_default()),
        node: pod.spec.as_ref().and_then(|spec| spec.node_name.clone()).map(NodeName),
        terminating: pod.metadata.deletion_timestamp.is_some(),
        finished: matches!(phase(pod), Some("Failed" | "Succeeded")),
        container: container(pod),
        never_ran: never_ran(pod),
        trouble: trouble(pod, application_status(pod)),
        guarded: is_guarded(pod),
        // Where `status` gets none either it is the way there, and no fault of the container.
        unguardable: silent && matches!(status, Status::Answer(_)),
        revision: Revision(labels.get(REVISION).cloned().unwrap_or_default()),
        active: labels.get(ACTIVE_MEMBER).map(|value| value == "true"),
        role: labels.get(ROLE).and_then(|value| role(value)),
        status,
    }
}

/// The running instance of the application's container, where commands are run.
pub(crate) fn running(pod: &core::Pod) -> Option<ContainerId> {
    let container = container(pod)?;
    let is_running = container.state == ContainerState::Running && pod.metadata.deletion_timestamp.is_none();
    container.id.filter(|_| is_running)
}

/// The label's word for a role.
pub(crate) fn role_name(role: Role) -> &'static str {
    match role {
        Role::Primary => "primary",
        Role::Secondary => "secondary",
        Role::Stopped => "stopped",
    }
}

fn role(value: &str) -> Option<Role> {
    [Role::Primary, Role::Secondary, Role::Stopped].into_iter().find(|role| role_name(*role) == value)
}

pub(super) fn phase(pod: &core::Pod) -> Option<&str> {
    pod.status.as_ref()?.phase.as_deref()
}

fn container(pod: &core::Pod) -> Option<Container> {
    let status = application_status(pod)?;
    let id = status.container_id.clone().filter(|id| !id.is_empty()).map(ContainerId);
    Some(Container { id, state: container_state(status) })
}

/// The name of the container that commands run in.
pub(crate) fn application_container(pod: &core::Pod) -> Option<&str> {
    application(pod).map(|container| container.name.as_str())
}

/// The container that the operator guards. A webhook may put others before it. Where no container has the whole guard,
/// the one with a part of it, then the first.
fn application(pod: &core::Pod) -> Option<&core::Container> {
    let containers = &pod.spec.as_ref()?.containers;
    let guarded = containers.iter().find(|container| has_variable(container) && has_folder(container));
    let in_part = || containers.iter().find(|container| has_variable(container) || has_folder(container));
    guarded.or_else(in_part).or_else(|| containers.first())
}

pub(super) fn application_status(pod: &core::Pod) -> Option<&ContainerStatus> {
    let name = application_container(pod)?;
    pod.status.as_ref()?.container_statuses.as_ref()?.iter().find(|status| status.name == name)
}

/// The kubelet tells of the application's container, and not that it was ever made. Commands run in that one alone: what
/// others of the pod did does not matter.
fn never_ran(pod: &core::Pod) -> bool {
    application_status(pod).is_some_and(is_before_first_run)
}

fn is_before_first_run(status: &ContainerStatus) -> bool {
    let state = status.state.as_ref();
    let waits = state.is_some_and(|state| state.waiting.is_some() && state.terminated.is_none());
    let last = status.last_state.clone().unwrap_or_default();
    let unmade = status.container_id.as_ref().is_none_or(String::is_empty);
    waits && unmade && status.restart_count == 0 && last.terminated.is_none() && last.running.is_none()
}

fn container_state(status: &ContainerStatus) -> ContainerState {
    let state = status.state.clone().unwrap_or_default();
    if state.running.is_some() {
        return ContainerState::Running;
    }
    if let Some(ended) = state.terminated {
        let reason = ended.reason.unwrap_or_else(|| format!("exit {}", ended.exit_code));
        return ContainerState::Terminated(reason);
    }
    let reason = state.waiting.and_then(|waiting| waiting.reason);
    ContainerState::Waiting(reason.unwrap_or_else(|| ORDINARY[0].to_owned()))
}

/// Whether the guard can be used in the application's container.
pub(crate) fn is_guarded(pod: &core::Pod) -> bool {
    application(pod).is_some_and(|container| has_variable(container) && has_folder(container))
}

fn has_variable(container: &core::Container) -> bool {
    container.env.iter().flatten().any(|env| env.name == POD_UID_ENV)
}

fn has_folder(container: &core::Container) -> bool {
    container.volume_mounts.iter().flatten().any(|mount| mount.mount_path == FOLDER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn of(status: Value) -> core::Pod {
        serde_json::from_value(json!({
            "metadata": {"name": "rss-x-0", "uid": "u0", "labels": {
                "controller-revision-hash": "rss-x-1", "rss-active-member": "true",
                "clusterlabs.org/role": "secondary"}},
            "spec": {"nodeName": "n0", "containers": [
                {"name": "db", "env": [{"name": "RSS_POD_UID", "value": "u0"}],
                 "volumeMounts": [{"name": "rss-run", "mountPath": "/run/rss"}]},
                {"name": "side"}]},
            "status": status,
        }))
        .unwrap()
    }

    fn running_status() -> Value {
        json!({"phase": "Running", "containerStatuses": [
            {"name": "side", "containerID": "c://side", "state": {"waiting": {"reason": "CrashLoopBackOff"}},
             "image": "", "imageID": "", "ready": false, "restartCount": 0},
            {"name": "db", "containerID": "c://db", "state": {"running": {}},
             "image": "", "imageID": "", "ready": true, "restartCount": 0}]})
    }

    #[test]
    fn the_first_container_of_the_template_is_the_one_that_counts() {
        let seen = pod(&of(running_status()), Status::NotAsked, &BTreeSet::new());
        assert_eq!(seen.container.as_ref().unwrap().id, Some("c://db".into()));
        assert_eq!(seen.container.unwrap().state, ContainerState::Running);
        assert_eq!((seen.node, seen.revision), (Some("n0".into()), "rss-x-1".into()));
        assert_eq!((seen.active, seen.role), (Some(true), Some(Role::Secondary)));
        assert!(seen.guarded && !seen.finished && !seen.terminating && seen.trouble.is_none());
        assert_eq!(running(&of(running_status())), Some("c://db".into()));
    }

    #[test]
    fn the_container_with_the_guard_counts_though_another_was_put_before_it() {
        let mut value = serde_json::to_value(of(running_status())).unwrap();
        let containers = value["spec"]["containers"].as_array_mut().unwrap();
        containers.rotate_left(1);
        assert_eq!(containers[0]["name"], "side");
        let injected: core::Pod = serde_json::from_value(value).unwrap();
        let seen = pod(&injected, Status::NotAsked, &BTreeSet::new());
        assert!(seen.guarded);
        assert_eq!(seen.container.unwrap().id, Some("c://db".into()));
        assert_eq!(application_container(&injected), Some("db"));
        assert_eq!(running(&injected), Some("c://db".into()));
    }

    #[test]
    fn a_pod_without_the_folder_or_without_the_variable_is_not_guarded() {
        for without in ["env", "volumeMounts"] {
            let mut value = serde_json::to_value(of(running_status())).unwrap();
            value["spec"]["containers"][0].as_object_mut().unwrap().remove(without);
            let pod_without = serde_json::from_value(value).unwrap();
            assert!(!pod(&pod_without, Status::NotAsked, &BTreeSet::new()).guarded, "{without}");
        }
    }

    #[test]
    fn nothing_is_asked_in_a_pod_that_is_being_deleted() {
        let mut terminating = of(running_status());
        terminating.metadata.deletion_timestamp =
            Some(serde_json::from_value(json!("2026-01-01T00:00:00Z")).unwrap());
        assert_eq!(running(&terminating), None);
        assert!(pod(&terminating, Status::NotAsked, &BTreeSet::new()).terminating);
    }

    #[test]
    fn what_keeps_the_first_container_from_running_is_its_pods_trouble() {
        let mut status = running_status();
        status["containerStatuses"][1]["state"] = json!({"waiting": {"reason": "ErrImagePull"}});
        let seen = pod(&of(status), Status::NotAsked, &BTreeSet::new());
        assert_eq!(seen.trouble.as_deref(), Some("ErrImagePull"));
    }

    #[test]
    fn a_pod_never_ran_only_if_its_application_waits_for_its_first_container() {
        let waiting = json!({"name": "db", "image": "", "imageID": "", "ready": false, "restartCount": 0,
            "state": {"waiting": {"reason": "ErrImagePull"}}});
        let of_changed = |field: &str, value: Value| {
            let mut status = waiting.clone();
            status[field] = value;
            of(json!({"phase": "Pending", "containerStatuses": [status]}))
        };
        let ended = json!({"terminated": {"exitCode": 0}});
        for (sentence, pod, expected) in [
            ("it waits for its image", of_changed("ready", json!(false)), true),
            ("nothing is told of it", of(json!({"phase": "Pending"})), false),
            ("it has an id", of_changed("containerID", json!("c://db")), false),
            ("it was restarted", of_changed("restartCount", json!(1)), false),
            ("it ended before", of_changed("lastState", ended.clone()), false),
            ("it ended", of_changed("state", ended), false),
            ("it runs", of(running_status()), false),
        ] {
            assert_eq!(never_ran(&pod), expected, "{sentence}");
        }
    }

    #[test]
    fn a_container_that_ended_tells_why() {
        let ended = json!({"phase": "Running", "containerStatuses": [{"name": "db", "image": "", "imageID": "",
            "ready": false, "restartCount": 1, "containerID": "c://db",
            "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]});
        let container = pod(&of(ended), Status::NotAsked, &BTreeSet::new()).container.unwrap();
        assert_eq!(container.state, ContainerState::Terminated("OOMKilled".into()));
    }

    #[test]
    fn a_container_without_answers_is_unguardable_only_where_status_answers() {
        let of_running = of(running_status());
        let container = running(&of_running).unwrap();
        let unanswered = BTreeSet::from([container.clone()]);
        let answer = planner::observation::Answer {
            code: 7,
            container,
            group: None,
            progress: None,
            text: String::new(),
        };
        assert!(pod(&of_running, Status::Answer(answer.clone()), &unanswered).unguardable);
        assert!(!pod(&of_running, Status::Answer(answer), &BTreeSet::new()).unguardable);
        assert!(!pod(&of_running, Status::Silent("no route".into()), &unanswered).unguardable);
    }
}
