//! Every key that a hold names makes progress: once it is given, that hold is gone, or something is done.

use crate::world::World;
use crate::{asked, fault};
use planner::key::Key;
use planner::plan::News;
use planner::{Hold, Memory, Observation, Plan};
use simulator::stays;

/// What is wrong with the keys of this plan.
pub(crate) fn idle(world: &World, seen: &Observation, memory: &Memory, plan: &Plan) -> Option<String> {
    plan.holds.iter().find_map(|hold| {
        hold.keys.iter().find_map(|key| {
            let what = turned(world, (seen, memory, plan), (hold, key))?;
            Some(format!("keys: {:?} {} of {}: {what}", key.kind, key.subject, hold.reason.name()))
        })
    })
}

fn turned(
    world: &World,
    (seen, memory, before): (&Observation, &Memory, &Plan),
    (hold, key): (&Hold, &Key),
) -> Option<String> {
    let mut seen = seen.clone();
    seen.target.keys = vec![key.clone()];
    let seen = asked(seen, memory);
    let after = planner::decide(&seen, memory);
    if let Some(wrong) = fault(world, &seen, memory, &after) {
        // The law knows nothing of keys.
        return wrong.starts_with("audit").then_some(wrong);
    }
    match () {
        () if !after.news.contains(&News::KeyUsed(key.text())) => Some("it is refused".to_owned()),
        () if stays(hold, before, &after) => Some("it opens nothing".to_owned()),
        () => None,
    }
}
