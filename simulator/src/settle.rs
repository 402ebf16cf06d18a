//! Whether a story ends: when the faults are over and what is wanted stands still, there comes a
//! moment after which nothing is done, and what still waits is opened by the keys that it names.

use crate::simulation::Simulation;
use crate::world::{Phase, World};
use planner::key::{Key, KeyKind};
use planner::names::{PodUid, ReplicaName, Revision};
use planner::observation::Role;

/// Longer than any condition ripens, in milliseconds: who does nothing for so long never will.
const QUIET: u64 = 15 * 60 * 1000;
/// A set that has not settled after this many seconds, or effects, never does.
const PATIENCE: u64 = 6 * 3600;
const EFFECTS: u64 = 600;
/// Keys that a person tries before giving up.
const KEYS: usize = 12;

impl Simulation {
    /// Goes on until nothing is done any more, and lets a person open what waits.
    pub(crate) fn settle(&mut self) {
        for _ in 0..KEYS {
            self.come_to_rest();
            if !self.world.breaches.is_empty() || self.operators[0].plan.holds.is_empty() {
                break;
            }
            if !self.turn_a_key() {
                return;
            }
        }
        if self.world.breaches.is_empty()
            && let Err(what) = is_well(&self.world)
        {
            let holds: Vec<String> =
                self.operators[0].plan.holds.iter().map(|hold| hold.reason.to_string()).collect();
            self.world.breach(format!("nothing is done any more, and {what} [{}]", holds.join("; ")));
        }
    }

    fn come_to_rest(&mut self) {
        let enough = self.operators[0].acts + EFFECTS;
        let rests = |sim: &Self| {
            let operator = &sim.operators[0];
            operator.is_idle() && sim.world.now.saturating_sub(operator.acted) > QUIET
        };
        let came = self.wait(PATIENCE, |sim| rests(sim) || sim.operators[0].acts > enough) && rests(self);
        if !came && self.world.breaches.is_empty() {
            self.world.breach("it never comes to rest".to_owned());
        }
    }

    /// A person reads why the set waits, and allows one of the things that would open it.
    fn turn_a_key(&mut self) -> bool {
        let holds = &self.operators[0].plan.holds;
        let keys: Vec<Key> = holds.iter().flat_map(|hold| &hold.keys).cloned().collect();
        let runs_on = |hold: &planner::Hold| matches!(hold.reason, planner::plan::Reason::Overdue(..));
        if holds.iter().all(runs_on) && is_well(&self.world).is_ok() {
            // A command that never ends, of a member that runs: true, and nobody's trouble.
            return false;
        }
        let refused = |hold: &planner::Hold| matches!(hold.reason, planner::plan::Reason::TemplateRefused(_));
        if keys.is_empty() && holds.iter().any(refused) {
            self.edit_the_template();
            return true;
        }
        if keys.is_empty() {
            let words: Vec<String> = holds.iter().map(|hold| hold.reason.to_string()).collect();
            self.world.breach(format!("it waits, and names no key: {}", words.join("; ")));
            return false;
        }
        let key = keys[self.world.chance.index(keys.len())].clone();
        self.give(key);
        true
    }

    /// What opens a refused template is another one.
    fn edit_the_template(&mut self) {
        let number = self.world.fresh();
        self.world.resource.template = Revision(format!("r{number}"));
        self.world.spec(|_| {});
        self.operators[0].acted = self.world.now;
    }

    /// A person gives a key, and stands by it.
    pub(crate) fn give(&mut self, key: Key) {
        let world = &mut self.world;
        stand_by(world, &key);
        world.resource.target.keys = vec![key];
        world.resource.version += 1;
        world.changes += 1;
        self.operators[0].acted = self.world.now;
    }
}

/// A person stands by what a key says: what is said to be fenced is switched off first.
pub(crate) fn stand_by(world: &mut World, key: &Key) {
    world.say(|| format!("a person gives {key}"));
    let replica = Some(world.number(&ReplicaName(key.subject.clone())));
    match key.kind {
        KeyKind::AssertFenced => fence(world, &PodUid(key.subject.clone())),
        KeyKind::AcceptSeed => give_up(world, |_, held| !held, replica),
        KeyKind::AcceptLoss | KeyKind::AcceptErrant => give_up(world, |_, held| held, replica),
        KeyKind::AcceptSize | KeyKind::Recreate | KeyKind::Approve => {}
    }
}

fn fence(world: &mut World, pod: &PodUid) {
    let alive: Vec<u64> =
        world.processes.iter().filter(|p| p.pod == *pod).map(|process| process.id).collect();
    alive.into_iter().for_each(|id| world.end_process(id));
}

/// Gives up writes by whether the replica's data holds them.
fn give_up(world: &mut World, is_lost: impl Fn(u32, bool) -> bool, replica: Option<u32>) {
    let volume = replica.and_then(|ordinal| {
        let claimed = world.claims.get(&ordinal).map(|claim| claim.volume);
        claimed.or_else(|| world.pods.get(&ordinal).map(|pod| pod.volume))
    });
    let Some(volume) = volume else { return };
    for index in (0u32..).take(world.writes.len()) {
        let held = world.volumes[volume].writes.contains(&index);
        if is_lost(index, held) {
            world.writes[index as usize].given_up = true;
        }
    }
}

/// Every wanted member runs, in one lineage, under the right label, and no other does.
pub(crate) fn is_well(world: &World) -> Result<(), String> {
    let target = &world.resource.target;
    // Who was given up ends whenever its machine does it.
    let pods = || world.pods.iter().filter(|(ordinal, _)| !world.identities.released.contains(ordinal));
    if pods().count() != target.replicas as usize {
        return Err(format!("there are {} pods of {}", pods().count(), target.replicas));
    }
    let mut primaries = 0;
    let mut lineage = None;
    for (ordinal, pod) in pods() {
        let running = world.processes.iter().find(|p| p.pod == pod.shown.uid && p.phase == Phase::Running);
        let Some(process) = running.filter(|process| !process.broken) else {
            return Err(format!("x-{ordinal} does not run"));
        };
        if *lineage.get_or_insert(process.lineage) != process.lineage && !process.by_hand {
            return Err(format!("x-{ordinal} is of another lineage"));
        }
        primaries += u32::from(process.role == Role::Primary);
        if pod.shown.active != Some(true) || pod.shown.role != Some(process.role) {
            return Err(format!("x-{ordinal} has the wrong label"));
        }
    }
    let wanted = if target.has_secondary { target.primaries } else { target.replicas };
    if primaries != wanted.min(target.replicas) {
        return Err(format!("there are {primaries} primaries of {wanted}"));
    }
    Ok(())
}
