//! Steps and plans in words: the same in the log, in conditions and in events.

use planner::observation::Role;
use planner::{Hold, Plan, Step};

use crate::exec::Purpose;

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

/// A plan in one line, the same for as long as the same is planned. Empty: nothing is left to do.
#[must_use]
pub fn plan(plan: &Plan) -> String {
    let hold = |hold: &Hold| hold.reason.to_string();
    let said = plan.steps.iter().map(step).chain(plan.holds.iter().map(hold));
    said.collect::<Vec<_>>().join("; ")
}
