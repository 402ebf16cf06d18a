//! Steps and plans in words: the same in the log, in conditions and in events.

use planner::observation::Role;
use planner::{Hold, Plan, Step};

use crate::api::PolicyStatus;
use crate::exec::Purpose;

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
        Step::Resize { to, if_from, cause } => format!("Resize from {if_from} to {to} ({cause:?})"),
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

/// What makes a plan the same as another: its steps, and its holds without what scheduler, kubelet and
/// application say of them, for they number what they repeat.
#[must_use]
pub fn gist(plan: &Plan) -> String {
    let hold = |hold: &Hold| format!("{:?} {}", hold.scope, hold.reason.name());
    plan.steps.iter().map(step).chain(plan.holds.iter().map(hold)).collect::<Vec<_>>().join("; ")
}

/// A plan in one line. Empty: nothing is left to do.
#[must_use]
pub fn plan(plan: &Plan) -> String {
    let hold = |hold: &Hold| hold.reason.to_string();
    let said = plan.steps.iter().map(step).chain(plan.holds.iter().map(hold));
    said.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use planner::plan::{Reason, Scope};

    #[test]
    fn a_plan_is_the_same_while_only_the_words_of_others_change() {
        let waits = |who: &str, why: &str| Plan {
            holds: vec![Hold {
                scope: Scope::Replica(who.into()),
                reason: Reason::NotRunning(who.into(), why.into()),
                keys: Vec::new(),
            }],
            ..Plan::default()
        };
        assert_eq!(
            gist(&waits("rss-x-0", "container 1 failed")),
            gist(&waits("rss-x-0", "container 2 failed"))
        );
        assert_ne!(gist(&waits("rss-x-0", "")), gist(&waits("rss-x-1", "")));
        assert_ne!(plan(&waits("rss-x-0", "container 1")), plan(&waits("rss-x-0", "container 2")));
    }
}
