//! States from which a set is left to itself: three members, each in one of a few conditions, the
//! epoch known or forgotten.

use crate::options::Options;
use crate::run::{Outcome, outcome};
use crate::settle::is_well;
use crate::simulation::Simulation;
use crate::world::World;

/// What was done to a member before the operator comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blow {
    /// Nothing.
    None,
    /// Its process was killed.
    Killed,
    /// Its container ended.
    Ended,
    /// Its node lost power for a while.
    Dark,
    /// Its pod was deleted by force.
    Forced,
    /// Its application says that it failed.
    Broken,
}

/// How a story begins.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// What happened to each member.
    pub blows: [Blow; 3],
    /// The status was lost.
    pub forgotten: bool,
}

impl Blow {
    const ALL: [Self; 6] = [Self::None, Self::Killed, Self::Ended, Self::Dark, Self::Forced, Self::Broken];

    fn fall(self, world: &mut World, ordinal: u32) {
        let Some(pod) = world.pods.get(&ordinal).map(|pod| (pod.shown.uid.clone(), pod.machine)) else {
            return;
        };
        let process = world.processes.iter().find(|process| process.pod == pod.0).map(|process| process.id);
        match (self, process) {
            (Self::Killed, Some(process)) => world.end_process(process),
            (Self::Broken, Some(process)) => {
                world.process_mut(process).into_iter().for_each(|process| process.broken = true);
            }
            (Self::Ended, _) => world.crash_container(&pod.0),
            (Self::Dark, _) => world.cut_power(pod.1, 30_000),
            (Self::Forced, _) => world.force_delete(&pod.0),
            (Self::None | Self::Killed | Self::Broken, _) => {}
        }
    }
}

impl Beginning {
    /// All that differ in more than the order of the two that are not the first: the first member is
    /// the one that is seeded, and may be the only primary.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for first in Blow::ALL {
            for (at, second) in Blow::ALL.iter().enumerate() {
                for third in &Blow::ALL[at..] {
                    let blows = [first, *second, *third];
                    let forgettable = first == *second && *second == *third;
                    all.push(Self { blows, forgotten: false });
                    all.extend(forgettable.then_some(Self { blows, forgotten: true }));
                }
            }
        }
        all
    }
}

/// Lets a set that was well go on from there. Crashes are counted from that moment.
#[must_use]
pub fn settles(options: Options, beginning: &Beginning) -> Outcome {
    let crashes = options.crashes.clone();
    let mut sim = Simulation::new(1, Options { crashes: Vec::new(), ..options });
    sim.wait(600, |sim| is_well(&sim.world).is_ok() && sim.operators[0].plan.holds.is_empty());
    sim.run_for(30);
    sim.effects = 0;
    sim.world.options.crashes = crashes;
    for (ordinal, blow) in (0u32..).zip(beginning.blows) {
        blow.fall(&mut sim.world, ordinal);
    }
    if beginning.forgotten {
        sim.world.erase_memory();
    }
    sim.run_for(45);
    sim.settle();
    outcome(1, sim)
}
