use serde_json::json;
use stateful_cluster::observation::Node;
use stateful_cluster::{Hold, Step};

use super::*;
use crate::cluster::names;
use crate::cluster::target::fixture::wanted;

/// Pods that are like this, of the wanted template or of another one.
fn seen(wanted: &Wanted, pods: &[(Life, Node, bool)]) -> Observation {
    let pod = |(at, (life, node, is_new)): (usize, &(Life, Node, bool))| {
        let revision = if *is_new { wanted.heart.revision.clone() } else { names::revision_of("old-1") };
        let pod = observation::Pod {
            uid: format!("u{at}").as_str().into(),
            created: 0,
            revision,
            life: *life,
            trust: Default::default(),
            node: *node,
            leaving: false,
            labelled: true,
            marked: false,
            cached: true,
        };
        (format!("coder-{at}").as_str().into(), pod)
    };
    Observation {
        target: wanted.heart.clone(),
        pods: pods.iter().enumerate().map(pod).collect(),
        taken: Default::default(),
        claims: Default::default(),
        births: Default::default(),
        any_heard: true,
        rejected: Default::default(),
        refused: Default::default(),
        fresh: Vec::new(),
        ages: Default::default(),
    }
}

const WELL: (Life, Node, bool) = (Life::Available, Node::Heard, true);
const OLD: (Life, Node, bool) = (Life::Available, Node::Heard, false);
const UNHEARD: (Life, Node, bool) = (Life::Available, Node::Silent, true);
const STARTS: (Life, Node, bool) = (Life::Starting, Node::Heard, true);

/// What is told of three that are wanted.
fn status(
    pods: &[(Life, Node, bool)],
    plan: &Plan,
    failed: &[Failure],
    trouble: Option<(Reason, String)>,
) -> ClusterStatus {
    status_of(&Objects::of(Vec::new(), Vec::new()), &ClusterStatus::default(), pods, plan, failed, trouble)
}

fn status_of(
    objects: &Objects,
    previous: &ClusterStatus,
    pods: &[(Life, Node, bool)],
    plan: &Plan,
    failed: &[Failure],
    trouble: Option<(Reason, String)>,
) -> ClusterStatus {
    let wanted = wanted(json!({}));
    let told = Told {
        wanted: &wanted,
        seen: &seen(&wanted, pods),
        objects,
        plan,
        previous,
        installation: &Installation { name: "a/b".into(), lease: "a/b".into(), renewed: None },
        trouble,
        failed,
        next: Timestamp::from_second(3600).ok(),
        now: Timestamp::UNIX_EPOCH,
    };
    report(&told)
}

/// A condition's status and reason.
fn condition(status: &ClusterStatus, kind: &str) -> (String, String) {
    let found = status.conditions.iter().find(|condition| condition.type_ == kind).expect("it is told");
    (found.status.clone(), found.reason.clone())
}

#[test]
fn conditions_say_what_is_seen_and_what_is_waited_for() {
    let plan = |holds: Vec<Hold>| Plan { holds, ..Plan::default() };
    let starts = plan(vec![Hold::Starting("coder-2".into())]);
    let kept = plan(vec![Hold::Starting("coder-2".into()), Hold::Unreleased("coder-1".into())]);
    let back = plan(vec![Hold::TakenBack { revision: names::revision_of("old-1"), by: Vec::new() }]);
    let busy = Plan {
        steps: vec![Step::SetAside { identity: "coder-0".into(), if_pod: "u0".into() }],
        ..Plan::default()
    };
    for (sentence, pods, plan, ready, reconciling, stalled) in [
        ("all are well", vec![WELL; 3], plan(vec![]), "True AllAvailable", "False", "False Settled"),
        (
            "one has an older template",
            vec![WELL, WELL, OLD],
            plan(vec![]),
            "True AllAvailable",
            "True",
            "False RollingOut",
        ),
        ("one is missing", vec![WELL; 2], plan(vec![]), "False Scaling", "True", "False Scaling"),
        ("one is too many", vec![WELL; 4], plan(vec![]), "False Scaling", "True", "False Scaling"),
        ("one starts", vec![WELL, WELL, STARTS], starts, "False PodStarting", "True", "False PodStarting"),
        (
            "one is not heard",
            vec![WELL, WELL, UNHEARD],
            busy.clone(),
            "False Settled",
            "True",
            "False Settled",
        ),
        ("a template was taken back", vec![WELL; 3], back, "True AllAvailable", "False", "True TakenBack"),
        ("something is done", vec![WELL; 3], busy, "True AllAvailable", "True", "False Settled"),
        (
            "an owner is waited for",
            vec![WELL, WELL, STARTS],
            kept,
            "False PodStarting",
            "False",
            "True NotReleased",
        ),
    ] {
        let status = status(&pods, &plan, &[], None);
        let of = |kind| {
            let (status, reason) = condition(&status, kind);
            format!("{status} {reason}")
        };
        assert_eq!((of("Ready").as_str(), of("Stalled").as_str()), (ready, stalled), "{sentence}");
        assert_eq!(condition(&status, "Reconciling").0, reconciling, "{sentence}");
        assert_eq!(condition(&status, "Scaling").0 == "True", pods.len() != 3, "{sentence}");
        assert_eq!(condition(&status, "Upgrading").0 == "True", pods.contains(&OLD), "{sentence}");
        assert_eq!(condition(&status, "Available").0, "True", "{sentence}");
        let told = if stalled.starts_with("True") { stalled } else { ready };
        assert_eq!(status.reason.as_deref(), told.split(' ').nth(1), "{sentence}");
    }
}

#[test]
fn what_the_audit_found_comes_before_what_could_not_be_written_and_that_before_holds() {
    let plan = Plan { holds: vec![Hold::Starting("coder-2".into())], ..Plan::default() };
    let pods = [WELL, WELL, STARTS];
    let failed = [Failure::Service("peers".into(), kube::Error::LinesCodecMaxLineLengthExceeded)];
    let told = status(&pods, &plan, &failed, None);
    assert_eq!(condition(&told, "Stalled"), ("True".into(), "ChildrenFailed".into()));
    let holds = told.holds.iter().map(|hold| (hold.reason.as_str(), hold.blocker.as_deref()));
    let expected = [("PodStarting", Some("coder-2")), ("ChildrenFailed", Some("peers"))];
    assert_eq!(holds.collect::<Vec<_>>(), expected);
    let told = status(&pods, &plan, &failed, Some((Reason::Breach, "Room".into())));
    assert_eq!(condition(&told, "Stalled"), ("True".into(), "Breach".into()));
}

#[test]
fn conditions_and_holds_say_what_the_pod_itself_says_of_why_it_does_not_start() {
    let pod = json!({"metadata": {"name": "coder-2"}, "status": {"phase": "Pending", "conditions": [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes are available"}]}});
    let objects = Objects::of(vec![serde_json::from_value(pod).unwrap()], Vec::new());
    let plan = Plan { holds: vec![Hold::Starting("coder-2".into())], ..Plan::default() };
    let told = status_of(&objects, &ClusterStatus::default(), &[WELL, WELL, STARTS], &plan, &[], None);
    let expected = "coder-2 is starting (Unschedulable: 0/3 nodes are available)";
    assert_eq!(told.holds[0].message.as_deref(), Some(expected));
    let reconciling = told.conditions.iter().find(|condition| condition.type_ == "Reconciling").unwrap();
    assert_eq!(reconciling.message, expected);
}

#[test]
fn a_template_that_was_taken_back_is_told_with_who_failed_and_how_for_as_long_as_that_lasts() {
    let waits = json!([{"name": "db", "image": "", "imageID": "", "ready": false, "restartCount": 0,
        "state": {"waiting": {"reason": "ErrImagePull", "message": "no such image"}}}]);
    let pod =
        |status| serde_json::from_value(json!({"metadata": {"name": "coder-2"}, "status": status})).unwrap();
    let fails = Objects::of(vec![pod(json!({"containerStatuses": waits}))], Vec::new());
    let silent = Objects::of(vec![pod(json!({}))], Vec::new());
    let taken_back = |revision: &str, by: &[&str]| {
        let by = by.iter().map(|name| (*name).into()).collect();
        Plan {
            holds: vec![Hold::TakenBack { revision: names::revision_of(revision), by }],
            ..Plan::default()
        }
    };
    let first = |objects: &Objects, before: &ClusterStatus, plan: &Plan| {
        let told = status_of(objects, before, &[WELL; 3], plan, &[], None);
        (told.holds[0].message.clone().unwrap(), told)
    };
    let none = ClusterStatus::default();
    let ends = "and was taken back; write another one";
    let (said, told) = first(&fails, &none, &taken_back("a-1", &["coder-2"]));
    assert_eq!(
        said,
        format!("template coder-a-1 did not become available (coder-2: ErrImagePull: no such image) {ends}")
    );
    assert_eq!(told.holds[0].blocker.as_deref(), Some("coder-a-1"));
    assert_eq!(first(&silent, &told, &taken_back("a-1", &[])).0, said, "it is told on");
    let other = first(&silent, &told, &taken_back("a-12", &["coder-2"])).0;
    assert_eq!(
        other,
        format!("template coder-a-12 did not become available (coder-2 was not available) {ends}")
    );
    let unknown = first(&silent, &told, &taken_back("a", &[])).0;
    assert!(!unknown.contains("coder-2"), "it is told of another one: {unknown}");
}

#[test]
fn a_budget_that_is_spent_says_at_what_time_it_is_no_more() {
    let plan = Plan { holds: vec![Hold::BudgetSpent { spent: 3, budget: 3 }], ..Plan::default() };
    let told = status(&[WELL, WELL, STARTS], &plan, &[], None);
    let said = told.holds[0].message.clone().unwrap();
    assert!(said.contains("the next one is at 1970-01-01T01:00:00Z, "), "{said}");
}
