//! The planner's own audit of its plan, in words.

use planner::{Memory, Observation, Plan};

pub(crate) fn audit(_: &Observation, _: &Memory, _: &Plan) -> Result<(), String> {
    Ok(())
}
