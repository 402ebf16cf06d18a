//! Steps and holds in words: the same in conditions, events and metrics.

use stateful_cluster::names::Identity;
use stateful_cluster::{Hold, Step};

use super::names;

/// The step's stable name: a metric's label.
pub(super) fn step_name(step: &Step) -> &'static str {
    match step {
        Step::CreatePod { .. } => "CreatePod",
        Step::CreateClaim { .. } => "CreateClaim",
        Step::Update { .. } => "Update",
        Step::SetAside { .. } => "SetAside",
        Step::DeletePod { .. } => "DeletePod",
        Step::DeleteClaim { .. } => "DeleteClaim",
    }
}

/// The hold's stable name: a condition's reason, an event's and a metric's label.
pub(super) fn word(hold: &Hold) -> &'static str {
    match hold {
        Hold::Paused => "Paused",
        Hold::Starting(_) => "PodStarting",
        Hold::Unhealthy(_) => "PodUnhealthy",
        Hold::Unheard(_) => "NodeUnheard",
        Hold::NoNodeHeard => "NoNodeHeard",
        Hold::ClaimRefused(_) => "ClaimRefused",
        Hold::PodRefused(_) => "PodRefused",
        Hold::Leaving(_) => "PodLeaving",
        Hold::Ended(_) => "PodEnded",
        Hold::Unknown(_) => "CreationUnknown",
        Hold::Unreleased(_) => "NotReleased",
        Hold::NameTaken(_) => "NameTaken",
        Hold::Surplus(_) => "SurplusKept",
        Hold::BudgetSpent { .. } => "BudgetSpent",
        Hold::OnDelete(_) => "OnDelete",
        Hold::TakenBack(_) => "TakenBack",
    }
}

/// The same for people.
pub(super) fn sentence(hold: &Hold, cluster: &str) -> String {
    match hold {
        Hold::Paused => "spec.paused is true: nothing is changed".to_owned(),
        Hold::Starting(pod) => format!("{pod} is starting"),
        Hold::Unhealthy(pod) => {
            format!(
                "{pod} is not healthy; if that lasts it is replaced, unless spec.replacement.released decides"
            )
        }
        Hold::Unheard(pod) => format!(
            "nothing is heard of the node of {pod}; if that lasts it is replaced, unless spec.replacement.released \
             decides"
        ),
        Hold::NoNodeHeard => {
            "nothing is heard of any node: nobody is given up for that, until one is heard again".to_owned()
        }
        Hold::ClaimRefused(pod) => format!(
            "a claim of {pod} was refused (event StepFailed says why); it is asked for again, and the pod is not replaced for it"
        ),
        Hold::PodRefused(revision) => format!(
            "the API server refuses pods of template {} (event StepFailed says why); they are asked for again: make room in \
             the quota, or mend the template",
            names::revision_name(cluster, revision)
        ),
        Hold::Leaving(pod) => format!("{pod} ends, and until it has there is no room for another"),
        Hold::Ended(pod) => {
            format!(
                "{pod} ended (its own status says why); after a pause it is made again, with its own claims"
            )
        }
        Hold::Unknown(pod) => format!("the request for {pod} was not answered; it is waited for"),
        Hold::Unreleased(pod) => format!(
            "{pod} cannot stay, and keeps its place until spec.replacement.released names it, or until it is gone: then it is \
             made again with its own claims"
        ),
        Hold::NameTaken(pod) => format!(
            "a pod of the name {pod} is there that is not of this resource, or has lost its label {}; nothing is done about \
             it, and {pod} is made again with its own claims once you delete it",
            names::IDENTITY
        ),
        Hold::Surplus(number) => {
            format!("{number} more than spec.replicas stand until spec.replacement.released names who goes")
        }
        Hold::BudgetSpent { spent, budget } => {
            format!("{spent} of {budget} replacements of this window are made (spec.replacement.budget)")
        }
        Hold::OnDelete(pods) => {
            let names: Vec<_> = pods.iter().map(ToString::to_string).collect();
            let names = names.join(", ");
            format!(
                "these get the wanted template once they are deleted: by another identity or, where spec.replacement.released \
                 is given, with their own claims: {names}"
            )
        }
        Hold::TakenBack(revision) => format!(
            "template {} did not become available and was taken back; write another one",
            names::revision_name(cluster, revision)
        ),
    }
}

/// Whom it is about, if it is about one.
pub(super) fn pod(hold: &Hold) -> Option<&Identity> {
    match hold {
        Hold::Starting(pod)
        | Hold::Unhealthy(pod)
        | Hold::Unheard(pod)
        | Hold::ClaimRefused(pod)
        | Hold::Leaving(pod)
        | Hold::Ended(pod)
        | Hold::Unknown(pod)
        | Hold::NameTaken(pod)
        | Hold::Unreleased(pod) => Some(pod),
        Hold::Paused
        | Hold::NoNodeHeard
        | Hold::PodRefused(_)
        | Hold::Surplus(_)
        | Hold::BudgetSpent { .. }
        | Hold::OnDelete(_)
        | Hold::TakenBack(_) => None,
    }
}

/// Only a person ends it, or an owner.
pub(super) fn needs_a_person(hold: &Hold) -> bool {
    match hold {
        Hold::BudgetSpent { budget, .. } => *budget == 0,
        Hold::ClaimRefused(_)
        | Hold::PodRefused(_)
        | Hold::NoNodeHeard
        | Hold::TakenBack(_)
        | Hold::OnDelete(_)
        | Hold::Unreleased(_)
        | Hold::NameTaken(_)
        | Hold::Surplus(_) => true,
        _ => false,
    }
}
