//! A pod of Kubernetes as the heart sees it.

use std::time::Duration;

use k8s_openapi::api::core::v1 as core;
use k8s_openapi::jiff::Timestamp;
use stateful_cluster::names::PodUid;
use stateful_cluster::observation::{Life, Node, Pod, Trust};

use super::Wanted;
use super::images::{is_ending, restarts};
use super::names::{REVISION, revision_of};
use crate::api::MARKED;
use crate::observe::{self, WatchedNode};

/// What the API shows of a pod.
pub(super) fn pod(pod: &core::Pod, wanted: &Wanted, node: Node, cached: bool, now: Timestamp) -> Pod {
    let meta = &pod.metadata;
    let labels = meta.labels.clone().unwrap_or_default();
    let created = meta.creation_timestamp.as_ref().map_or(0, |at| at.0.as_second());
    let marked = meta.annotations.as_ref().and_then(|all| all.get(MARKED));
    Pod {
        uid: PodUid(meta.uid.clone().unwrap_or_default()),
        created: u64::try_from(created).unwrap_or(0),
        revision: revision_of(labels.get(REVISION).map_or("", String::as_str)),
        life: life(pod, wanted.min_ready, now),
        trust: trust(pod, wanted.min_ready, now),
        node,
        leaving: meta.deletion_timestamp.is_some(),
        labelled: wanted.labels.iter().all(|(key, value)| labels.get(key) == Some(value)),
        marked: marked.is_some_and(|value| value == "true"),
        cached,
    }
}

fn life(pod: &core::Pod, min_ready: Duration, now: Timestamp) -> Life {
    let status = pod.status.clone().unwrap_or_default();
    if matches!(status.phase.as_deref(), Some("Failed" | "Succeeded")) {
        return Life::Ended;
    }
    if is_ready(pod) && !restarts(pod) {
        let is_long_enough = until_available(pod, min_ready, now).is_none();
        return if is_long_enough { Life::Available } else { Life::Unready };
    }
    let containers = status.container_statuses.unwrap_or_default();
    let has_started = |container: &core::ContainerStatus| {
        let state = container.state.as_ref();
        container.restart_count > 0
            || state.is_some_and(|state| state.running.is_some() || state.terminated.is_some())
    };
    let all = !containers.is_empty() && containers.iter().all(has_started);
    if all { Life::Unready } else { Life::Starting }
}

/// A container that started anew has to run for so long before it is believed.
const BELIEVED: Duration = Duration::from_secs(60);

fn trust(pod: &core::Pod, min_ready: Duration, now: Timestamp) -> Trust {
    let containers = pod.status.as_ref().and_then(|status| status.container_statuses.as_deref());
    let all = containers.unwrap_or_default().iter();
    all.map(|container| of_container(pod, container, min_ready.max(BELIEVED), now)).max().unwrap_or_default()
}

/// Of one that does not run its pod's readiness tells.
fn of_container(pod: &core::Pod, container: &core::ContainerStatus, long: Duration, now: Timestamp) -> Trust {
    let state = container.state.as_ref().and_then(|state| state.running.as_ref());
    let Some(since) = state.and_then(|running| running.started_at.as_ref()) else { return Trust::Sound };
    if container.restart_count == 0 || between(since.0, now) >= long {
        return Trust::Sound;
    }
    let former = container.last_state.as_ref().and_then(|state| state.terminated.as_ref());
    // How long one ran that was ended for another image says nothing of that image.
    let former = former.filter(|run| !is_ending(pod, run.container_id.as_deref()));
    let ran = former.and_then(|run| Some(between(run.started_at.as_ref()?.0, run.finished_at.as_ref()?.0)));
    if ran.is_some_and(|ran| ran < long) { Trust::Flaps } else { Trust::Fresh }
}

fn between(begin: Timestamp, end: Timestamp) -> Duration {
    Duration::try_from(end.duration_since(begin)).unwrap_or_default()
}

/// Why a pod does not run, where it says so itself: whichever of its containers it is.
pub(super) fn trouble(pod: &core::Pod) -> Option<String> {
    let containers = pod.status.as_ref().and_then(|status| status.container_statuses.as_deref());
    observe::trouble(pod, containers.unwrap_or_default()).map(observe::cut)
}

/// Why Kubernetes ends a pod, where it does.
pub(super) fn disruption(pod: &core::Pod) -> Option<String> {
    let mut conditions = pod.status.as_ref()?.conditions.iter().flatten();
    let found = conditions.find(|one| one.type_ == "DisruptionTarget" && one.status == "True")?;
    Some(observe::cut(observe::in_words(found.reason.as_deref()?, found.message.as_deref())))
}

/// Its condition Ready is True.
pub(super) fn is_ready(pod: &core::Pod) -> bool {
    ready(pod).is_some_and(|condition| condition.status == "True")
}

fn ready(pod: &core::Pod) -> Option<&core::PodCondition> {
    pod.status.as_ref()?.conditions.as_ref()?.iter().find(|condition| condition.type_ == "Ready")
}

/// How long a pod that is ready must stay so; `None`: it has been for long enough, or is not ready.
pub(super) fn until_available(pod: &core::Pod, min_ready: Duration, now: Timestamp) -> Option<Duration> {
    let condition = ready(pod).filter(|condition| condition.status == "True")?;
    // A container may have been followed by another one without a report in between.
    let status = pod.status.as_ref().and_then(|status| status.container_statuses.as_deref());
    let running = status.unwrap_or_default().iter().filter_map(|container| container.state.as_ref());
    let started = running.filter_map(|state| state.running.as_ref()?.started_at.as_ref()).map(|at| at.0);
    let since = condition.last_transition_time.as_ref().map(|at| at.0).into_iter().chain(started).max()?;
    min_ready.checked_sub(between(since, now)).filter(|left| !left.is_zero())
}

/// The node that it was given.
pub(super) fn node_name(pod: &core::Pod) -> Option<&str> {
    pod.spec.as_ref()?.node_name.as_deref()
}

/// Whether the kubelet of a node reports.
pub(super) fn node(found: Option<&WatchedNode>) -> Node {
    let Some(found) = found else { return Node::Gone };
    // A kubelet reports True or False. The node controller writes Unknown when the kubelet is silent.
    if found.facts.ready.as_deref() == Some("Unknown") { Node::Silent } else { Node::Heard }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::names::ENDING;
    use crate::cluster::target::fixture::wanted;
    use serde_json::{Value, json};

    fn of(status: Value) -> core::Pod {
        serde_json::from_value(json!({"metadata": {"name": "coder-a", "uid": "u0", "labels": {
            "app": "coder", "enge.me/statefulcluster": "coder", "controller-revision-hash": "a-1"}},
            "status": status}))
        .unwrap()
    }

    fn running(state: Value, restarts: u32) -> Value {
        json!({"phase": "Running", "containerStatuses": [{"name": "db", "image": "", "imageID": "",
            "ready": false, "restartCount": restarts, "state": state}]})
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn life_is_what_the_conditions_say() {
        let is_ready = json!({"phase": "Running", "conditions": [
            {"type": "Ready", "status": "True", "lastTransitionTime": "1970-01-01T00:01:40Z"}]});
        for (sentence, status, expected) in [
            ("nothing is known", json!({}), Life::Starting),
            ("it waits for a node", json!({"phase": "Pending"}), Life::Starting),
            ("it pulls", running(json!({"waiting": {"reason": "ContainerCreating"}}), 0), Life::Starting),
            ("it runs", running(json!({"running": {}}), 0), Life::Unready),
            ("it crashed", running(json!({"waiting": {"reason": "CrashLoopBackOff"}}), 3), Life::Unready),
            ("it is ready", is_ready, Life::Available),
            ("it was evicted", json!({"phase": "Failed"}), Life::Ended),
        ] {
            let seen = pod(&of(status), &wanted(json!({})), Node::Heard, true, at(200));
            assert_eq!(seen.life, expected, "{sentence}");
        }
    }

    #[test]
    fn any_container_of_a_pod_may_say_why_it_does_not_run_and_not_at_any_length() {
        let waiting = |name: &str, reason: &str, message: &str| {
            json!({"name": name, "image": "", "imageID": "", "ready": false, "restartCount": 0,
                "state": {"waiting": {"reason": reason, "message": message}}})
        };
        let of = |message: &str| {
            let containers =
                [waiting("db", "ContainerCreating", ""), waiting("side", "ErrImagePull", message)];
            trouble(&of(json!({"phase": "Pending", "containerStatuses": containers})))
        };
        assert_eq!(of("no such image").as_deref(), Some("ErrImagePull: no such image"));
        let said = of(&"ä".repeat(observe::LONGEST)).unwrap();
        assert!(said.len() <= observe::LONGEST && said.len() > observe::LONGEST - 2, "{said}");
    }

    #[test]
    fn a_pod_is_available_once_it_was_ready_for_long_enough() {
        let status = json!({"conditions": [
            {"type": "Ready", "status": "True", "lastTransitionTime": "1970-01-01T00:01:40Z"}]});
        let wanted = wanted(json!({"minReadySeconds": 30}));
        let seen = |now| pod(&of(status.clone()), &wanted, Node::Heard, true, at(now)).life;
        assert_eq!((seen(129), seen(130)), (Life::Unready, Life::Available));
        let left = until_available(&of(status.clone()), wanted.min_ready, at(129));
        assert_eq!(left, Some(Duration::from_secs(1)));
    }

    #[test]
    fn a_pod_whose_image_was_changed_is_not_available_until_its_container_is_another_one() {
        let of = |image: &str, id: &str, ending: Option<&str>| {
            let mut pod = of(json!({"phase": "Running",
                "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "1970-01-01T00:00:00Z"}],
                "containerStatuses": [{"name": "db", "image": image, "imageID": "", "containerID": id,
                    "ready": true, "restartCount": 0, "state": {"running": {}}}]}));
            pod.spec =
                serde_json::from_value(json!({"containers": [{"name": "db", "image": "new"}]})).unwrap();
            pod.metadata.annotations = ending.map(|ids| [(ENDING.to_owned(), ids.to_owned())].into());
            life(&pod, Duration::ZERO, at(200))
        };
        for (sentence, image, id, ending, expected) in [
            ("nothing was changed", "old:1", "c://a", None, Life::Available),
            ("what is reported is of before", "old:1", "c://a", Some("c://a"), Life::Unready),
            ("one of several", "old:1", "c://a", Some("c://x,c://a"), Life::Unready),
            ("it is another container", "new", "c://b", Some("c://a"), Life::Available),
            (
                "it was changed back unseen",
                "docker.io/library/new:latest",
                "c://a",
                Some("c://a"),
                Life::Available,
            ),
        ] {
            assert_eq!(of(image, id, ending), expected, "{sentence}");
        }
    }

    #[test]
    fn a_container_that_restarts_is_believed_once_it_runs_for_long_enough() {
        let of = |restarts: u32, last: [&str; 2], now: i64| {
            let [began, ended] = last.map(|at| format!("1970-01-01T00:0{at}Z"));
            let mut status = running(json!({"running": {"startedAt": "1970-01-01T00:05:00Z"}}), restarts);
            let ended = json!({"exitCode": 1, "startedAt": began, "finishedAt": ended});
            status["containerStatuses"][0]["lastState"] = json!({"terminated": ended});
            pod(&of(status), &wanted(json!({})), Node::Heard, true, at(now)).trust
        };
        let (short, long) = (["4:00", "4:03"], ["0:00", "4:03"]);
        for (sentence, restarts, last, now, expected) in [
            ("it is the first", 0, short, 301, Trust::Sound),
            ("it crashed soon after it had started", 1, short, 301, Trust::Flaps),
            ("nearly long enough", 1, short, 359, Trust::Flaps),
            ("it runs for long", 1, short, 360, Trust::Sound),
            ("the one before ran for long", 1, long, 301, Trust::Fresh),
        ] {
            assert_eq!(of(restarts, last, now), expected, "{sentence}");
        }
    }

    #[test]
    fn a_run_that_ended_for_another_image_was_no_crash() {
        let seen = |ending: &str, last: &str| {
            let mut status = running(json!({"running": {"startedAt": "1970-01-01T00:05:00Z"}}), 1);
            status["containerStatuses"][0]["lastState"] = json!({"terminated": {"exitCode": 0, "containerID": last,
                "startedAt": "1970-01-01T00:04:00Z", "finishedAt": "1970-01-01T00:04:03Z"}});
            let mut pod = of(status);
            pod.metadata.annotations = Some([(ENDING.to_owned(), ending.to_owned())].into());
            trust(&pod, Duration::ZERO, at(301))
        };
        assert_eq!(seen("c://x,c://a", "c://a"), Trust::Fresh, "we ended it");
        assert_eq!(seen("c://a", "c://b"), Trust::Flaps, "it has the new image and crashed");
    }

    #[test]
    fn a_pod_without_the_selectors_labels_is_set_aside() {
        let mut aside = of(json!({}));
        let seen = pod(&aside, &wanted(json!({})), Node::Heard, true, at(0));
        assert!(seen.labelled && !seen.marked && !seen.leaving);
        assert_eq!(seen.revision, revision_of("a-1"));
        aside.metadata.labels.as_mut().unwrap().remove("app");
        aside.metadata.annotations = Some([(MARKED.to_owned(), "true".to_owned())].into());
        let seen = pod(&aside, &wanted(json!({})), Node::Heard, true, at(0));
        assert!(!seen.labelled && seen.marked);
    }

    #[test]
    fn a_node_is_silent_when_somebody_else_says_so_in_its_place() {
        let of = |status: &str| -> WatchedNode {
            serde_json::from_value(json!({"metadata": {"name": "n"},
                "status": {"conditions": [{"type": "Ready", "status": status}]}}))
            .unwrap()
        };
        let all = ["True", "False", "Unknown"].map(|status| node(Some(&of(status))));
        assert_eq!(all, [Node::Heard, Node::Heard, Node::Silent]);
        assert_eq!(node(None), Node::Gone);
    }
}
