//! What was acknowledged is kept: when a member is given up, and once all is well.

use super::{is_misread, is_owed};
use crate::world::World;

/// What an identity that is given up holds is mounted by nobody any more: others that stay hold all that is owed of it.
pub(crate) fn may_give_up(world: &World, number: u32) -> Result<(), String> {
    let Some(claim) = world.claims.get(&number).filter(|_| !is_misread(world)) else { return Ok(()) };
    let stays = |other: &u32| *other != number && !world.identities.released.contains(other);
    let others = || world.claims.iter().filter(|(other, _)| stays(other)).map(|(_, claim)| claim.volume);
    let is_kept =
        |held: &u32| others().any(|at| world.volumes[at].exists && world.volumes[at].writes.contains(held));
    match world.volumes[claim.volume].writes.iter().find(|held| is_owed(world, **held) && !is_kept(held)) {
        Some(held) => Err(format!("write {held} goes with {number}: nobody else holds it")),
        None => Ok(()),
    }
}

/// Whoever takes writes has all that were ever acknowledged, and were not given up.
pub(crate) fn has_lost_nothing(world: &World) -> Result<(), String> {
    let owed = (0u32..).take(world.writes.len()).filter(|index| is_owed(world, *index));
    for process in world.processes.iter().filter(|process| process.serves()) {
        let held = &world.volumes[process.volume].writes;
        if let Some(index) = owed.clone().find(|index| !held.contains(index)) {
            return Err(format!("{} serves without acknowledged write {index}", process.container));
        }
    }
    Ok(())
}
