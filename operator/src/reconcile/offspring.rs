//! The children of a set: brought to what is wanted after the steps were taken, because a failure
//! here must not hold up the recovery of what runs.

use k8s_openapi::api::apps::v1::ControllerRevision;
use kube::{Api, ResourceExt};

use super::{Session, chain};
use crate::api::condition::{self, ConditionType};
use crate::api::{Reason, SetStatus, StatefulCluster};
use crate::children::{self, Child, ChildKind, Outcome};
use crate::cluster::{kept_as, waits_for_its_owner};
use crate::context::Context;
use crate::observe::{Applied, Objects};
use crate::report::{Told, Trouble};
use crate::target::Target;

/// Failures in a row that are not worth a word: somebody else wrote at the same moment, or the API
/// server was away for a second.
pub(super) const BLIPS: u32 = 3;

/// Brings services, StatefulSet and budget to what is wanted.
pub(super) async fn apply(context: &Context, session: &mut Session, objects: &Objects, told: &Told<'_>) {
    if told.target.paused || !context.leads() {
        return;
    }
    let all = if told.plan.memory.refused == Some(told.target.generation) {
        take_back(context, session, objects, told).await.into_iter().collect()
    } else {
        let live = context.stores.children(objects);
        children::apply(&context.clients.writes, told.target, &live, &mut session.settled).await
    };
    session.applied = Some(applied(&all, objects, told.target));
    session.child_failures =
        if all.iter().any(|child| child.outcome.is_err()) { session.child_failures + 1 } else { 0 };
    let lasts = session.child_failures >= BLIPS || was_told(told.previous);
    session.trouble = trouble(&all, lasts).or_else(|| stalled(objects.cluster.as_deref()?));
}

/// Whether status says so already: an operator that has just begun to lead has not seen how long it lasts.
fn was_told(previous: &SetStatus) -> bool {
    let failed = Some(Reason::ChildrenFailed.as_str());
    previous.conditions.iter().any(|condition| Some(condition.reason.as_str()) == failed)
}

/// No pod could start with the template that is wanted: the workload gets the last good one back.
async fn take_back(
    context: &Context,
    session: &mut Session,
    objects: &Objects,
    told: &Told<'_>,
) -> Option<Child> {
    let good = &told.plan.memory.good.as_ref()?.0;
    let (writes, target, settled) = (&context.clients.writes, told.target, &mut session.settled);
    let revisions = Api::namespaced(context.clients.reads.clone(), objects.namespace());
    if let Some(live) = &objects.cluster {
        let [name, own] = kept_as(good, &live.name_any(), &live.uid().unwrap_or_default());
        let outcome = match kept(&revisions, &[own, name]).await {
            Ok(revision) => children::give_back(writes, target, live, &revision, settled).await,
            Err(error) => Err(error),
        };
        return Some(Child { kind: ChildKind::StatefulCluster, name: live.name_any(), outcome });
    }
    let live = objects.workload.as_ref()?;
    let outcome = match kept(&revisions, std::slice::from_ref(good)).await {
        Ok(revision) => children::take_back(writes, target, live, &revision, settled).await,
        Err(error) => Err(error),
    };
    Some(Child { kind: ChildKind::StatefulSet, name: live.name_any(), outcome })
}

/// The first of these that is there.
async fn kept(
    revisions: &Api<ControllerRevision>,
    names: &[String],
) -> Result<ControllerRevision, children::Error> {
    for name in names {
        if let Some(found) = revisions.get_opt(name).await.map_err(children::Error::Read)? {
            return Ok(found);
        }
    }
    Err(children::Error::NoTemplate)
}

/// Whether the StatefulSet in the cache is what is wanted; what was written just now shows in the next look.
fn applied(children: &[Child], objects: &Objects, target: &Target) -> Applied {
    let found = found(children, objects);
    Applied { generation: target.generation, ..found.unwrap_or_default() }
}

fn found(children: &[Child], objects: &Objects) -> Option<Applied> {
    let makes_pods =
        |child: &&Child| matches!(child.kind, ChildKind::StatefulSet | ChildKind::StatefulCluster);
    let of_set = children.iter().find(makes_pods)?;
    let immutable = match of_set.outcome.as_ref().ok()? {
        Outcome::Settled => None,
        Outcome::Immutable(fields) => {
            Some(fields.iter().map(|field| field.as_str()).collect::<Vec<_>>().join(", "))
        }
        Outcome::Created
        | Outcome::Applied
        | Outcome::Deleted
        | Outcome::Stale
        | Outcome::Terminating
        | Outcome::Foreign(_) => return None,
    };
    let uid = match &objects.cluster {
        Some(cluster) => cluster.uid(),
        None => objects.workload.as_ref()?.uid(),
    };
    Some(Applied { uid, immutable, ..Applied::default() })
}

/// What a person should know of the children.
fn trouble(children: &[Child], lasts: bool) -> Option<Trouble> {
    children.iter().find_map(|child| {
        let (kind, name) = (child.kind, &child.name);
        let (reason, message) = match &child.outcome {
            Err(error) if lasts => (Reason::ChildrenFailed, format!("{kind} {name}: {}", chain(error))),
            Ok(Outcome::Foreign(why)) => (Reason::ForeignObject, format!("{kind} {name}: {why}")),
            _ => return None,
        };
        Some(Trouble { reason, message })
    })
}

/// Who makes the pods waits for a person, in its own words. What it waits for from us our own holds say.
fn stalled(cluster: &StatefulCluster) -> Option<Trouble> {
    let conditions = &cluster.status.as_ref()?.conditions;
    let said = condition::get(conditions, ConditionType::Stalled).filter(|said| said.status == "True")?;
    if waits_for_its_owner(&said.reason) {
        return None;
    }
    let message = format!("StatefulCluster {}: {}: {}", cluster.name_any(), said.reason, said.message);
    Some(Trouble { reason: Reason::WorkloadStalled, message })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::condition::{Finding, Truth};
    use crate::observe::fixture;
    use k8s_openapi::api::apps::v1::StatefulSet;
    use k8s_openapi::jiff::Timestamp;
    use serde_json::json;
    use std::sync::Arc;

    fn child(outcome: Result<Outcome, children::Error>) -> [Child; 1] {
        [Child { kind: ChildKind::StatefulSet, name: "rss-x".into(), outcome }]
    }

    fn failed() -> Result<Outcome, children::Error> {
        Err(children::Error::NoTemplate)
    }

    #[test]
    fn a_failure_that_does_not_last_is_not_worth_a_word() {
        assert_eq!(trouble(&child(failed()), false), None);
        assert_eq!(trouble(&child(failed()), true).map(|t| t.reason), Some(Reason::ChildrenFailed));
        let foreign = child(Ok(Outcome::Foreign(children::Foreign::Controlled("Deployment y".into()))));
        let told = trouble(&foreign, false).unwrap();
        assert_eq!(told.reason, Reason::ForeignObject);
        assert!(told.message.contains("Deployment y"));
    }

    #[test]
    fn what_a_stuck_statefulcluster_waits_for_is_told_of_the_set() {
        let said = |status: &str, reason: &str| {
            let told = json!({"type": "Stalled", "status": status, "reason": reason, "message": "no such volume",
                "lastTransitionTime": "2026-01-01T00:00:00Z"});
            let cluster = json!({"apiVersion": "enge.me/v1alpha1", "kind": "StatefulCluster",
                "metadata": {"name": "rss-x"}, "spec": {"selector": {}, "template": {}}, "status": {"conditions": [told]}});
            stalled(&serde_json::from_value(cluster).unwrap())
        };
        let trouble = said("True", "PodRefused").unwrap();
        assert_eq!(trouble.reason, Reason::WorkloadStalled);
        assert_eq!(trouble.message, "StatefulCluster rss-x: PodRefused: no such volume");
        assert_eq!(said("False", "PodRefused"), None);
        for reason in ["NotReleased", "SurplusKept"] {
            assert_eq!(said("True", reason), None, "who goes is for the set to say");
        }
    }

    #[test]
    fn a_failure_that_stands_in_the_status_lasts_for_a_new_leader_too() {
        let mut status = SetStatus::default();
        assert!(!was_told(&status));
        let (kind, reason) = (ConditionType::Stalled, Reason::ChildrenFailed.as_str());
        let finding = Finding { kind, truth: Truth::True, reason, message: String::new() };
        condition::set(&mut status.conditions, finding, 1, Timestamp::UNIX_EPOCH);
        assert!(was_told(&status));
    }

    #[test]
    fn the_statefulset_is_what_is_wanted_only_if_nothing_had_to_be_written() {
        let mut objects = fixture::objects();
        let target = Target::parse(&objects.set).unwrap();
        let seen = |objects: &Objects, outcome| applied(&child(outcome), objects, &target);
        let other = Applied { generation: 2, ..Applied::default() };
        assert_eq!(seen(&objects, Ok(Outcome::Settled)), other, "there is none in the cache");
        let mut workload = StatefulSet::default();
        workload.metadata.uid = Some("w".into());
        objects.workload = Some(Arc::new(workload));
        let same = Applied { uid: Some("w".into()), ..other.clone() };
        assert_eq!(seen(&objects, Ok(Outcome::Settled)), same);
        for outcome in [Ok(Outcome::Applied), Ok(Outcome::Created), failed()] {
            assert_eq!(seen(&objects, outcome), other);
        }
        assert_eq!(applied(&[], &objects, &target), other, "it was not told what became of it");
    }
}
