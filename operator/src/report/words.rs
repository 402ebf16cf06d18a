//! Steps and plans in words: the same in the log, in conditions and in events.

use planner::observation::Role;
use planner::plan::Reason;
use planner::{Hold, Plan, Step};

use crate::api::PolicyStatus;
use crate::exec::Purpose;
use crate::policy::record::By;
use crate::policy::{Interface, Judge, Obstacle};

/// The operator's own policy, as the one that answered.
const OWN: &str = "policy largest-integer";

/// Digits of a digest that are enough for people.
const DIGITS: usize = 12;

/// The step's stable name: a condition's reason and a metric's label.
#[must_use]
pub fn step_name(step: &Step) -> &'static str {
    match step {
        Step::Run(run) => Purpose::Guarded(run.command).as_str(),
        Step::Revoke { .. } => "Revoke",
        Step::Recycle { .. } => "Recycle",
        Step::Resize { .. } => "Resize",
        Step::Label { .. } => "Label",
        Step::Recreate => "Recreate",
    }
}

/// A step for people.
#[must_use]
pub fn step(step: &Step) -> String {
    match step {
        Step::Run(run) => format!("{} {}", Purpose::Guarded(run.command).as_str(), run.replica),
        Step::Revoke { replica, attempt, .. } => format!("Revoke attempt {attempt} of {replica}"),
        Step::Recycle { replica, cause, .. } => format!("Recycle {replica} ({cause:?})"),
        Step::Resize { to, if_from, released, cause } => {
            let names: Vec<_> = released.iter().map(|name| format!(" without {name}")).collect();
            format!("Resize from {if_from} to {to}{} ({cause:?})", names.concat())
        }
        Step::Label { replica, active, role, .. } => label(&replica.0, *active, *role),
        Step::Recreate => "Recreate the StatefulSet".to_owned(),
    }
}

fn label(replica: &str, active: bool, role: Option<Role>) -> String {
    let active = if active { "active" } else { "not active" };
    role.map_or_else(
        || format!("Label {replica} {active}"),
        |role| format!("Label {replica} {active}, {role:?}"),
    )
}

/// Several steps for people.
#[must_use]
pub fn steps(steps: &[Step]) -> String {
    steps.iter().map(step).collect::<Vec<_>>().join("; ")
}

/// A policy in few words: its name and version, as far as it has them, and the beginning of its digest.
#[must_use]
pub fn policy(status: Option<&PolicyStatus>) -> String {
    let Some(status) = status else { return "no policy".to_owned() };
    if status.builtin.is_some() {
        return "largest-integer, part of the operator".to_owned();
    }
    let digest = status.digest.map(|digest| format!("sha256:{}", &digest.hex()[..DIGITS]));
    let words = [status.name.clone(), status.version.clone(), digest];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// That what decides is not kept, and why.
#[must_use]
pub fn unkept(judge: &Judge, unkept: &Obstacle) -> String {
    format!("{} decides and is not kept in the cluster: {}", policy(judge.active.as_ref()), unkept.message)
}

/// Who answers what is asked through an interface: what it does not export, the operator's own policy decides.
#[must_use]
pub fn decider(status: Option<&PolicyStatus>, interface: Interface) -> String {
    let Some(status) = status else { return "the policy".to_owned() };
    let is_exported = status.exports.contains(&interface.versioned());
    match status.digest.is_some() && (is_exported || status.exports.is_empty()) {
        true => format!("policy {}", policy(Some(status))),
        false => OWN.to_owned(),
    }
}

/// Who gave an answer that was recorded.
#[must_use]
pub fn by(by: &By) -> String {
    let By { name, version, digest } = by.clone();
    match digest {
        Some(_) => {
            format!(
                "policy {}",
                policy(Some(&PolicyStatus { name, version, digest, ..PolicyStatus::default() }))
            )
        }
        None => OWN.to_owned(),
    }
}

/// Why something waits, with the policy that has a part in it by its name.
#[must_use]
pub fn reason(reason: &Reason, policy: Option<&PolicyStatus>) -> String {
    let interface = match reason {
        Reason::NoSeedVerdict(_) | Reason::SeedRefused { .. } => Interface::Seed,
        Reason::NoOrderVerdict(_) | Reason::OrderRefused { .. } => Interface::Primaries,
        Reason::PolicyHolds(..) | Reason::LeaderRefused { .. } => Interface::Replicas,
        _ => return reason.to_string(),
    };
    reason.told_of(&decider(policy, interface))
}

/// What makes a plan the same as another: its steps, and its holds without what scheduler, kubelet and
/// application say of them, for they number what they repeat.
#[must_use]
pub fn gist(plan: &Plan) -> String {
    let hold = |hold: &Hold| format!("{:?} {}", hold.scope, hold.reason.name());
    plan.steps.iter().map(step).chain(plan.holds.iter().map(hold)).collect::<Vec<_>>().join("; ")
}

/// A plan by this policy in one line. Empty: nothing is left to do.
#[must_use]
pub fn plan(plan: &Plan, policy: Option<&PolicyStatus>) -> String {
    let hold = |hold: &Hold| reason(&hold.reason, policy);
    let said = plan.steps.iter().map(step).chain(plan.holds.iter().map(hold));
    said.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Digest;
    use planner::plan::Scope;

    #[test]
    fn a_plan_is_the_same_while_only_the_words_of_others_change() {
        let waits = |who: &str, why: &str| Plan {
            holds: vec![Hold {
                scope: Scope::Replica(who.into()),
                reason: Reason::NotRunning(who.into(), why.into()),
                keys: Vec::new(),
                cause: None,
            }],
            ..Plan::default()
        };
        assert_eq!(
            gist(&waits("rss-x-0", "container 1 failed")),
            gist(&waits("rss-x-0", "container 2 failed"))
        );
        assert_ne!(gist(&waits("rss-x-0", "")), gist(&waits("rss-x-1", "")));
        let words = |who, why| plan(&waits(who, why), None);
        assert_ne!(words("rss-x-0", "container 1"), words("rss-x-0", "container 2"));
    }

    #[test]
    fn a_hold_names_the_policy_that_was_asked() {
        let (name, version) = (Some("galera".to_owned()), Some("1.2".to_owned()));
        let digest = Some(Digest::of(b""));
        let exports = vec![Interface::Seed.versioned()];
        let galera = PolicyStatus { name, version, digest, exports, ..PolicyStatus::default() };
        let builtin = crate::target::Policy::told(Default::default());
        let seed = Reason::SeedRefused { proposed: "x-1".into(), why: "it lacks 3".to_owned() };
        let order = Reason::NoOrderVerdict("it trapped".to_owned());
        for (why, policy, words) in [
            (
                &seed,
                Some(&galera),
                "policy galera 1.2 sha256:e3b0c44298fc proposed x-1 as seed; refused because it lacks 3",
            ),
            (&order, Some(&galera), "policy largest-integer gave no order of primaries: it trapped"),
            (
                &seed,
                Some(&builtin),
                "policy largest-integer proposed x-1 as seed; refused because it lacks 3",
            ),
            (&order, None, "the policy gave no order of primaries: it trapped"),
            (&Reason::Paused, Some(&galera), "paused: nothing is changed"),
        ] {
            assert_eq!(reason(why, policy), words);
        }
    }
}
