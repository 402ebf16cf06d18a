//! Whether a member is being started. Its `status` may say all the while that something is wrong, or that
//! nothing runs; that is no news, and no failure.

use planner::names::ReplicaName;
use planner::observation::{Pod, Status};
use planner::start::Start;
use planner::timer::{Age, Timer};
use planner::{AppState, Memory, Observation};

/// A start in the member's present container is open and was not seen to succeed, within the timeout of its
/// command, or past it while the member reports progress. One whose command is over and whose member answers
/// Stopped came to nothing.
pub(super) fn is_starting(
    name: &ReplicaName,
    pod: &Pod,
    state: &AppState,
    seen: &Observation,
    memory: &Memory,
) -> bool {
    let container = pod.container.as_ref().and_then(|container| container.id.as_ref());
    let is_here = |start: &&Start| start.pod == pod.uid && Some(&start.container) == container;
    let came_to_nothing = |start: &Start| start.ended && *state == AppState::Stopped;
    let mut starts = memory.holders.values().filter(|record| record.replica == *name).flat_map(|r| &r.open);
    matches!(state, AppState::Stopped | AppState::Failed(_))
        && starts.any(|start| {
            is_here(&start) && !start.confirmed && !came_to_nothing(start) && has_time(start, pod, seen)
        })
}

fn has_time(start: &Start, pod: &Pod, seen: &Observation) -> bool {
    let is_ripe = |timer: Timer| seen.ages.get(&timer) == Some(&Age::Ripe);
    let progress = match &pod.status {
        Status::Answer(answer) => answer.progress.clone(),
        Status::NotAsked | Status::Silent(_) | Status::Hung { .. } => None,
    };
    let gets_on =
        || progress.is_some() && !is_ripe(Timer::NoProgress(start.attempt.clone(), progress.clone()));
    !is_ripe(Timer::Deadline(start.attempt.clone())) || gets_on()
}
