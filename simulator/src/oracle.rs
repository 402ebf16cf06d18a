//! The laws, on one screen. They are asked of the world as it is, which no operator can see, at the
//! moment in which something is done that cannot be undone.

mod answers;
mod kept;
mod last;

use crate::adversary::Lies;
use crate::options::Positions;
use crate::world::{Phase, Process, World};
use planner::observation::Role;
use planner::target::Failover;

pub(crate) use answers::of_plan;
pub(crate) use kept::{has_lost_nothing, may_give_up};
pub(crate) use last::{Ending, may_end, serving};

/// A seed begins a lineage: nothing that we started may be alive beside it but followers, and it
/// must hold every acknowledged write that is anywhere. A look at this time decided it.
pub(crate) fn may_seed(world: &mut World, volume: usize, looked: u64) -> Result<(), String> {
    let follows = |process: &Process| process.role == Role::Secondary && process.phase == Phase::Running;
    if let Some(other) = world.processes.iter().find(|process| !follows(process) && !process.by_hand) {
        return Err(format!("{} is alive ({:?}, {:?})", other.container, other.role, other.phase));
    }
    was_read(world, looked)?;
    lacks_nothing(world, volume)?;
    begin_with(world, volume);
    Ok(())
}

/// So does a promotion where no primary serves.
pub(crate) fn may_promote(world: &mut World, promoted: &Process) -> Result<(), String> {
    let rivals =
        |process: &&Process| process.id != promoted.id && process.role == Role::Primary && !process.by_hand;
    if let Some(other) = world.processes.iter().find(rivals) {
        return Err(format!("{} is alive ({:?})", other.container, other.phase));
    }
    if world.resource.target.failover != Failover::AllowLoss {
        lacks_nothing(world, promoted.volume)?;
    }
    begin_with(world, promoted.volume);
    Ok(())
}

/// What is not in the data that a lineage begins with is lost for good: nobody owes it any more.
fn begin_with(world: &mut World, volume: usize) {
    let held = &world.volumes[volume].writes;
    let lost = world.writes.iter_mut().zip(0u32..).filter(|(_, index)| !held.contains(index));
    lost.for_each(|(write, _)| write.given_up = true);
}

/// A copy destroys what was there: everything acknowledged must be with somebody who runs.
pub(crate) fn may_overwrite(world: &World, volume: usize, source: usize) -> Result<(), String> {
    if is_misread(world) {
        return Ok(());
    }
    let runs = |held: &u32| {
        let mut running = world.processes.iter().filter(|process| process.phase == Phase::Running);
        running.any(|process| world.volumes[process.volume].writes.contains(held))
    };
    match world.volumes[volume].writes.iter().find(|held| is_owed(world, **held) && !runs(held)) {
        Some(held) => {
            Err(format!("it destroys write {held}, which volume {source} and all others that run lack"))
        }
        None => Ok(()),
    }
}

/// Where somebody said of data what is not so, the newest is not known from the others: what holds even then is that
/// `sequence` ran on all of it, and what `of_plan` asks for.
fn is_misread(world: &World) -> bool {
    world.options.lies.is_some_and(Lies::misreads)
}

/// Nobody seeds beside data of the newest epoch that was not read since something last ran on it. An old primary that
/// starts beside its followers, though the last of them ends meanwhile, or whom a person named, has been found to hold it
/// all. With the first seed of an outage its candidates are written down: there nobody ran.
fn was_read(world: &World, looked: u64) -> Result<(), String> {
    let outage = world.resource.memory.as_ref().and_then(|memory| memory.outage.as_ref());
    let is_listed = outage.is_some_and(|outage| outage.candidates.is_some());
    let ran = || !world.processes.is_empty() || !is_listed && world.ended >= looked.max(1);
    if outage.is_some_and(|outage| outage.named.is_some()) || ran() {
        return Ok(());
    }
    let counts = |record: &planner::Record| record.confirmed > 0 && !record.waived;
    let is_owed = |at: &usize| is_confirmed(world, *at) && world.record_of(*at).is_some_and(counts);
    let mut owed = (0..world.volumes.len()).filter(|at| world.volumes[*at].exists && is_owed(at));
    match owed.find(|at| !world.volumes[*at].read) {
        Some(other) => Err(format!("volume {other} was not read")),
        None => Ok(()),
    }
}

/// Nobody's data holds an acknowledged write that is not here, whatever is written down of it: but for data into which a
/// copy may have begun, unless its record says that the copy ended, for else nobody can tell whether it is whole.
fn lacks_nothing(world: &World, volume: usize) -> Result<(), String> {
    if is_misread(world) {
        return Ok(());
    }
    let here = &world.volumes[volume].writes;
    for index in
        (0u32..).take(world.writes.len()).filter(|index| !here.contains(index) && is_owed(world, *index))
    {
        let holds = |at: &usize| world.volumes[*at].exists && world.volumes[*at].writes.contains(&index);
        let counts = |at: &usize| !world.volumes[*at].joining || is_confirmed(world, *at);
        if let Some(other) = (0..world.volumes.len()).filter(holds).find(counts) {
            let despite = if is_confirmed(world, other) { "" } else { ", whatever its record says" };
            return Err(format!(
                "volume {volume} lacks acknowledged write {index}, which volume {other} holds{despite}"
            ));
        }
    }
    Ok(())
}

/// Somebody wrote down that this data is of the newest epoch, and nothing was put in its place since.
fn is_confirmed(world: &World, volume: usize) -> bool {
    let records = world.claims.values().filter_map(|claim| claim.shown.record.as_ref());
    let epoch = records.map(|record| record.epoch.number);
    let epoch =
        epoch.chain(world.resource.memory.as_ref().map(|memory| memory.epoch.number)).max().unwrap_or(0);
    // A bare number of a member that others went on without says nothing.
    let bare = world.options.positions == Positions::Counter || world.options.policies;
    let counts = |record: &planner::Record| !(record.left && bare);
    let of_epoch = |record: &planner::Record| record.confirmed == epoch && !record.joining;
    world.record_of(volume).is_some_and(|record| of_epoch(record) && counts(record))
}

fn is_owed(world: &World, index: u32) -> bool {
    world.writes.get(index as usize).is_some_and(|write| write.acknowledged && !write.given_up)
}
