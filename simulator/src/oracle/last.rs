//! The last one that serves is left alone.

use crate::world::{Phase, Process, World};
use planner::names::PodUid;
use planner::plan::Cause;

/// Something that ends a member: its pod is deleted, or it is stopped in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending<'a> {
    pub(crate) pod: &'a PodUid,
    /// Why, where that is known.
    pub(crate) cause: Option<Cause>,
    /// When the look was that decided it.
    pub(crate) looked: u64,
    /// The pods of those that served then: what befell others since nobody could know.
    pub(crate) served: &'a [PodUid],
    /// How many members were wanted in that look.
    pub(crate) wanted: u32,
}

/// Those who run and answer.
pub(crate) fn serving(world: &World) -> impl Iterator<Item = &Process> {
    let well = |process: &&Process| process.phase == Phase::Running && !process.frozen && !process.broken;
    world.processes.iter().filter(well)
}

/// Nothing takes the last one that serves, where it served when that was decided, unless it is asked for. It is asked by the
/// UID of its pod: of one that is gone by now nothing is ended, whatever runs on.
pub(crate) fn may_end(world: &World, ending: Ending<'_>) -> Result<(), String> {
    let is_inside = |process: &Process| process.pod == *ending.pod && process.ready < ending.looked;
    let inside = serving(world).any(is_inside);
    let now = serving(world).map(|process| &process.pod);
    let others = now.chain(ending.served).any(|pod| pod != ending.pod);
    let is_there = world.pods.values().any(|pod| pod.shown.uid == *ending.pod);
    if is_there && inside && !others && !is_asked_of_the_last(ending) {
        return Err(format!("the last member that serves is ended ({:?})", ending.cause));
    }
    Ok(())
}

/// What is right even for the last one.
fn is_asked_of_the_last(ending: Ending<'_>) -> bool {
    match ending.cause {
        // Nobody is to run any more.
        Some(Cause::Size) => ending.wanted == 0,
        // The only one that is wanted cannot take a template while another one serves.
        Some(Cause::Template) => ending.wanted <= 1,
        // Its lineage is over: whoever is of the newest is in its place once it is gone.
        Some(Cause::Epoch) => true,
        _ => false,
    }
}
