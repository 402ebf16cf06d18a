//! What happened to a StatefulCluster, told once, each by one word of a closed set.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::runtime::events::{Event, EventType, Recorder};
use stateful_cluster::memory::Why;
use stateful_cluster::plan::Cause;
use stateful_cluster::{Hold, Plan, Step};

use super::session::Session;
use super::words::{needs_a_person, pod, sentence, word};
use crate::api::HoldStatus;
use crate::context::Context;

/// The API server refuses longer notes.
const LONGEST_NOTE: usize = 1024;

/// One event, before it is addressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Happened {
    pub(super) reason: &'static str,
    pub(super) is_warning: bool,
    pub(super) note: String,
}

/// What a plan does to identities, and what a person should look at that the status before did not say.
pub(super) fn of_plan(plan: &Plan, cluster: &str, before: &[HoldStatus]) -> Vec<Happened> {
    let mut all: Vec<_> = plan.steps.iter().filter_map(of_step).collect();
    let matters = |hold: &&Hold| {
        let is_told = |known: &HoldStatus| {
            known.reason == word(hold) && known.blocker.as_deref() == pod(hold).map(|pod| pod.0.as_str())
        };
        (needs_a_person(hold) || matches!(hold, Hold::BudgetSpent { .. })) && !before.iter().any(is_told)
    };
    all.extend(plan.holds.iter().filter(matters).map(|hold| Happened {
        reason: word(hold),
        is_warning: !matches!(hold, Hold::OnDelete(_)),
        note: sentence(hold, cluster),
    }));
    all
}

fn of_step(step: &Step) -> Option<Happened> {
    let happened = |reason, is_warning, note| Some(Happened { reason, is_warning, note });
    match step {
        Step::CreatePod { identity, why: Why::Replacement, .. } => {
            happened("IdentityReplaced", false, format!("{identity} takes the place of one that is gone"))
        }
        Step::CreatePod { identity, .. } => happened("IdentityGiven", false, format!("{identity} is made")),
        Step::SetAside { identity, .. } => happened(
            "PodSetAside",
            true,
            format!("nothing is heard of the node of {identity}: services do not find it any more"),
        ),
        Step::DeletePod { identity, cause, .. } => {
            let (is_warning, why) = match cause {
                Cause::Size => (false, "there are more than are wanted"),
                Cause::Ended => (true, "it ended"),
                Cause::Unhealthy => (true, "it was not healthy for too long"),
                Cause::Stranded => (true, "nothing was heard of its node for too long"),
                Cause::Released => (false, "it was given up"),
            };
            happened("PodRemoved", is_warning, format!("{identity} is removed: {why}"))
        }
        Step::DeleteClaim { identity, template, .. } => {
            happened("ClaimRemoved", false, format!("the claim {template} of {identity} is removed"))
        }
        Step::CreateClaim { .. } | Step::Update { .. } => None,
    }
}

/// Tells people once what keeps it from being looked after, for as long as it is the same.
pub(super) async fn once(
    context: &Context,
    session: &mut Session,
    cluster: &ObjectReference,
    reason: &'static str,
    note: &str,
) {
    if session.told.as_deref() != Some(note) {
        let happened = Happened { reason, is_warning: true, note: note.to_owned() };
        publish(&context.recorder, cluster, &[happened]).await;
        session.told = Some(note.to_owned());
    }
}

/// Tells people. An event that cannot be written is logged: nothing may depend on it.
pub(super) async fn publish(recorder: &Recorder, cluster: &ObjectReference, happened: &[Happened]) {
    for one in happened {
        let mut note = one.note.clone();
        note.truncate(note.floor_char_boundary(LONGEST_NOTE));
        // The recorder takes two for one if all but their notes are the same, so the note's hash is part of the action.
        let hash = crate::children::stable_hash(&note.as_str().into());
        let event = Event {
            type_: if one.is_warning { EventType::Warning } else { EventType::Normal },
            reason: one.reason.to_owned(),
            action: format!("{}-{}", one.reason, &hash[..8]),
            note: Some(note),
            secondary: None,
        };
        if let Err(error) = recorder.publish(&event, cluster).await {
            tracing::warn!(reason = one.reason, %error, "failed to write an event");
        }
    }
}
