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
        Hold::OwnerRollsOut(_) => "OwnerRollsOut",
        Hold::TakenBack { .. } => "TakenBack",
    }
}

/// The same for people, with what is known beside it: why it is so, where the pods that it is about say that themselves;
/// of a budget that is spent the time at which it is no more.
pub(super) fn sentence(hold: &Hold, cluster: &str, known: Option<&str>) -> String {
    let because = known.map_or_else(String::new, |why| format!(" ({why})"));
    match hold {
        Hold::Paused => "spec.paused is true: nothing is changed".to_owned(),
        Hold::Starting(pod) => format!("{pod} is starting{because}"),
        Hold::Unhealthy(pod) => format!(
            "{pod} is not healthy{because}; if that lasts it is replaced, unless spec.replacement.released decides"
        ),
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
            format!("{pod} ended{because}; after a pause it is made again, with its own claims")
        }
        Hold::Unknown(pod) => format!("the request for {pod} was not answered; it is waited for"),
        Hold::Unreleased(pod) => format!(
            "{pod} cannot stay{because}, and keeps its place until spec.replacement.released names it, or until it is gone: then it is \
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
        Hold::BudgetSpent { spent, budget } => budget_spent(*spent, *budget, known),
        Hold::OnDelete(pods) => format!(
            "these get the wanted template once you delete them, each by another identity with empty claims: {}",
            names_of(pods)
        ),
        Hold::OwnerRollsOut(pods) => format!(
            "whoever writes spec.replacement.released brings these to the wanted template, by deleting them: each is made again \
             with its own claims: {}",
            names_of(pods)
        ),
        Hold::TakenBack { revision, .. } => {
            let name = names::revision_name(cluster, revision);
            format!("template {name} did not become available{because} and was taken back; write another one")
        }
    }
}

/// Who or what it waits for: a pod, or a template.
pub(super) fn blocker(hold: &Hold, cluster: &str) -> Option<String> {
    match hold {
        Hold::PodRefused(revision) | Hold::TakenBack { revision, .. } => {
            Some(names::revision_name(cluster, revision))
        }
        _ => pod(hold).map(|pod| pod.0.clone()),
    }
}

fn budget_spent(spent: u32, budget: u32, next: Option<&str>) -> String {
    if budget == 0 {
        return "spec.replacement.budget is 0: nobody is replaced until you raise it".to_owned();
    }
    let next = next.map_or_else(String::new, |next| format!("at {next}, "));
    format!(
        "{spent} were replaced within spec.replacement.window, and spec.replacement.budget allows {budget}: the next one is \
         {next}once fewer of them are that recent, or the budget is raised"
    )
}

fn names_of(pods: &[Identity]) -> String {
    pods.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
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
        | Hold::OwnerRollsOut(_)
        | Hold::TakenBack { .. } => None,
    }
}

/// Only a person ends it, or an owner.
pub(super) fn needs_a_person(hold: &Hold) -> bool {
    match hold {
        Hold::BudgetSpent { budget, .. } => *budget == 0,
        Hold::ClaimRefused(_)
        | Hold::PodRefused(_)
        | Hold::NoNodeHeard
        | Hold::TakenBack { .. }
        | Hold::OnDelete(_)
        | Hold::Unreleased(_)
        | Hold::NameTaken(_)
        | Hold::Surplus(_) => true,
        _ => false,
    }
}

/// Whether whoever decides who goes is waited for, and nobody else can help.
pub(crate) fn waits_for_its_owner(reason: &str) -> bool {
    let nobody = || Identity(String::new());
    [Hold::Unreleased(nobody()), Hold::Surplus(0)].iter().any(|hold| word(hold) == reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_says_what_it_allows_and_what_ends_the_wait() {
        for (spent, budget, expected) in [
            (0, 0, "spec.replacement.budget is 0: nobody is replaced until you raise it"),
            (3, 0, "spec.replacement.budget is 0: nobody is replaced until you raise it"),
            (3, 2, "3 were replaced within spec.replacement.window, and spec.replacement.budget allows 2: "),
        ] {
            let said = |next| sentence(&Hold::BudgetSpent { spent, budget }, "db", next);
            assert!(said(None).starts_with(expected) && !said(None).contains(" at "), "{}", said(None));
            let timed = said(Some("2026-01-01T10:00:00Z"));
            assert_eq!(timed.contains("the next one is at 2026-01-01T10:00:00Z, "), budget > 0, "{timed}");
        }
    }

    #[test]
    fn a_template_that_an_owner_brings_asks_no_person_for_anything() {
        let pods = vec!["db-a".into(), "db-b".into()];
        let [owned, alone] = [Hold::OwnerRollsOut(pods.clone()), Hold::OnDelete(pods)];
        assert_eq!((needs_a_person(&owned), needs_a_person(&alone)), (false, true));
        let [to_its_owner, to_a_person] = [&owned, &alone].map(|hold| sentence(hold, "db", None));
        assert!(to_its_owner.ends_with(": db-a, db-b"));
        assert!(!to_its_owner.contains("you") && to_a_person.contains("you"));
    }

    #[test]
    fn who_does_not_run_is_told_with_what_its_pod_says_of_it() {
        let why = "ImagePullBackOff: Back-off pulling image \"db:9\"";
        for (hold, expected) in [
            (Hold::Starting("db-a".into()), "db-a is starting"),
            (Hold::Unhealthy("db-a".into()), "db-a is not healthy"),
            (Hold::Ended("db-a".into()), "db-a ended"),
            (Hold::Unreleased("db-a".into()), "db-a cannot stay"),
        ] {
            let said = sentence(&hold, "db", Some(why));
            assert!(said.starts_with(&format!("{expected} ({why})")), "{said}");
            let said = sentence(&hold, "db", None);
            assert!(said.starts_with(expected) && !said.contains('('), "{said}");
        }
    }
}
