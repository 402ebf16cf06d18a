//! The planner's own audit of its plan, in words.

use planner::{Memory, Observation, Plan};

pub(crate) fn audit(seen: &Observation, memory: &Memory, plan: &Plan) -> Result<(), String> {
    planner::audit(seen, memory, plan)
        .map_err(|breaches| breaches.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
}
