//! What happened to a StatefulCluster, told once, each by one word of a closed set.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::runtime::events::Recorder;
use stateful_cluster::memory::Why;
use stateful_cluster::plan::Cause;
use stateful_cluster::{Hold, Step};

use super::session::Session;
use super::words::{needs_a_person, word};
use crate::context::Context;
use crate::events;

/// One event, before it is addressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Happened {
    pub(super) reason: &'static str,
    pub(super) is_warning: bool,
    pub(super) note: String,
}

/// What was done to identities, each with why, and what a person should look at that the status before did not say.
pub(super) fn of_plan(
    done: &[(&Step, Option<String>)],
    holds: &[Hold],
    say: impl Fn(&Hold) -> String,
    is_told: impl Fn(&Hold) -> bool,
) -> Vec<Happened> {
    let mut all: Vec<_> = done.iter().filter_map(|(step, why)| of_step(step, why.as_deref())).collect();
    let matters =
        |hold: &&Hold| (needs_a_person(hold) || matches!(hold, Hold::BudgetSpent { .. })) && !is_told(hold);
    all.extend(holds.iter().filter(matters).map(|hold| Happened {
        reason: word(hold),
        is_warning: !matches!(hold, Hold::OnDelete(_)),
        note: say(hold),
    }));
    all
}

fn of_step(step: &Step, why: Option<&str>) -> Option<Happened> {
    let happened = |reason, is_warning, note| Some(Happened { reason, is_warning, note });
    match step {
        Step::CreatePod { identity, why: Why::Replacement, .. } => {
            let whose = why.unwrap_or("one that is gone");
            happened("IdentityReplaced", false, format!("{identity} takes the place of {whose}"))
        }
        Step::CreatePod { identity, why: Why::Return, .. } => {
            happened("IdentityReturned", false, format!("{identity} is made again, with its own claims"))
        }
        Step::CreatePod { identity, .. } => happened("IdentityGiven", false, format!("{identity} is made")),
        Step::SetAside { identity, .. } => happened(
            "PodSetAside",
            true,
            format!("nothing is heard of the node of {identity}: services do not find it any more"),
        ),
        Step::DeletePod { identity, cause, .. } => {
            let is_warning = matches!(cause, Cause::Ended | Cause::Unhealthy | Cause::Stranded);
            let because = why.map_or_else(String::new, |why| format!(": {why}"));
            happened("PodRemoved", is_warning, format!("{identity} is removed{because}"))
        }
        Step::DeleteClaim { identity, template, .. } => {
            happened("ClaimRemoved", false, format!("the claim {template} of {identity} is removed"))
        }
        Step::CreateClaim { .. } | Step::Update { .. } => None,
    }
}

/// Tells people once what keeps it from being looked after, for as long as it is the same.
pub(super) fn once(
    context: &Context,
    session: &mut Session,
    cluster: &ObjectReference,
    reason: &'static str,
    note: &str,
) {
    if session.told.as_deref() != Some(note) {
        let happened = Happened { reason, is_warning: true, note: note.to_owned() };
        publish(&context.recorder, cluster, &[happened]);
        session.told = Some(note.to_owned());
    }
}

/// Tells people.
pub(super) fn publish(recorder: &Recorder, cluster: &ObjectReference, happened: &[Happened]) {
    let told = |one: &Happened| events::told(one.reason, one.is_warning, &one.note);
    events::write(recorder, cluster, happened.iter().map(told).collect());
}

#[cfg(test)]
mod tests {
    use super::*;
    use stateful_cluster::target::Revision;

    fn said(done: &[(&Step, Option<String>)], holds: &[Hold], before: &[Hold]) -> Vec<(&'static str, bool)> {
        let all = of_plan(done, holds, |hold| format!("{hold:?}"), |hold| before.contains(hold));
        all.into_iter().map(|one| (one.reason, one.is_warning)).collect()
    }

    #[test]
    fn what_was_done_to_an_identity_is_told_by_its_word_and_as_a_warning_where_somebody_should_look() {
        let (identity, if_pod) = (|| "db-a".into(), || "u".into());
        let made = |why| Step::CreatePod { identity: identity(), revision: Revision::default(), why };
        let removed = |cause| Step::DeletePod { identity: identity(), if_pod: if_pod(), cause };
        let (template, if_claim) = ("data".into(), "k".into());
        let claim = Step::DeleteClaim { identity: identity(), template, if_claim };
        let template = "data".into();
        for (step, expected) in [
            (made(Why::Growth), Some(("IdentityGiven", false))),
            (made(Why::Update), Some(("IdentityGiven", false))),
            (made(Why::Replacement), Some(("IdentityReplaced", false))),
            (made(Why::Return), Some(("IdentityReturned", false))),
            (Step::SetAside { identity: identity(), if_pod: if_pod() }, Some(("PodSetAside", true))),
            (removed(Cause::Size), Some(("PodRemoved", false))),
            (removed(Cause::Released), Some(("PodRemoved", false))),
            (removed(Cause::Ended), Some(("PodRemoved", true))),
            (removed(Cause::Unhealthy), Some(("PodRemoved", true))),
            (removed(Cause::Stranded), Some(("PodRemoved", true))),
            (claim, Some(("ClaimRemoved", false))),
            (Step::CreateClaim { identity: identity(), template, if_pod: if_pod() }, None),
        ] {
            assert_eq!(said(&[(&step, None)], &[], &[]), Vec::from_iter(expected), "{step:?}");
        }
    }

    #[test]
    fn a_hold_that_somebody_should_look_at_is_told_when_it_appears_and_not_again() {
        let holds = [
            Hold::Starting("db-a".into()),
            Hold::Unreleased("db-b".into()),
            Hold::BudgetSpent { spent: 3, budget: 3 },
            Hold::OnDelete(Vec::new()),
        ];
        let all = [("NotReleased", true), ("BudgetSpent", true), ("OnDelete", false)];
        assert_eq!(said(&[], &holds, &[]), all);
        assert_eq!(said(&[], &holds, &[Hold::Unreleased("db-b".into())]), all[1..]);
        assert_eq!(said(&[], &holds, &[Hold::Unreleased("db-c".into())]), all, "of another pod");
    }

    #[test]
    fn who_is_replaced_and_why_stands_in_one_sentence_and_so_does_why_one_is_removed() {
        let (identity, if_pod) = (|| "db-n".into(), || "u".into());
        let made =
            Step::CreatePod { identity: identity(), revision: Revision::default(), why: Why::Replacement };
        let removed = Step::DeletePod { identity: identity(), if_pod: if_pod(), cause: Cause::Ended };
        for (step, why, expected) in [
            (&made, Some("db-a: it ended"), "db-n takes the place of db-a: it ended"),
            (&made, None, "db-n takes the place of one that is gone"),
            (&removed, Some("it ended (Evicted)"), "db-n is removed: it ended (Evicted)"),
        ] {
            let all = of_plan(&[(step, why.map(str::to_owned))], &[], |_| String::new(), |_| false);
            assert_eq!(all[0].note, expected);
        }
    }
}
