//! Copies that are cut off, or never end: what they leave behind is nobody's data.

use super::{Story, told};
use crate::options::Options;
use crate::run::Outcome;
use crate::simulation::Simulation;
use crate::world::Phase;

pub(super) const STORIES: &[Story] = &[
    Story { name: "what_a_copy_left_behind_never_seeds_however_often_the_whole_data_fails", tell: aborted },
    Story { name: "a_copy_that_hangs_is_ended_and_others_join_meanwhile", tell: hanging },
    Story { name: "nobody_joins_the_last_live_member_once_it_is_dead", tell: orphaned },
];

impl Simulation {
    fn copies(&self) -> usize {
        self.world.processes.iter().filter(|process| matches!(process.phase, Phase::Copying(_))).count()
    }

    /// How often this was said until now.
    fn said(&self, words: &str) -> usize {
        self.world.trace.lines().iter().filter(|line| line.contains(words)).count()
    }

    fn chosen(&self, ordinal: u32) -> usize {
        self.said(&format!("SeedChosen(ReplicaName(\"x-{ordinal}\")"))
    }

    /// The database of a member dies.
    fn kill(&mut self, ordinal: u32) {
        let pod = self.world.pods[&ordinal].shown.uid.clone();
        let inside: Vec<u64> =
            self.world.processes.iter().filter(|p| p.pod == pod).map(|process| process.id).collect();
        inside.into_iter().for_each(|id| self.world.end_process(id));
    }

    /// Members 1 and 2 are to copy from member 0, so many at once, and that takes ten hours.
    fn copies_slowly(&mut self, at_once: usize) {
        (1..3).for_each(|ordinal| self.kill(ordinal));
        for copies in 1..=at_once {
            self.world.slow_copy = Some(36_000_000);
            let begun = self.wait(60, |sim| sim.copies() == copies);
            self.expect(begun, "a copy begins");
        }
    }
}

/// All that is whole is with member 0: the power goes while the others are being filled.
fn aborted() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        sim.run_for(5);
        sim.world.spec(|target| target.parallel_joins = 2);
        sim.copies_slowly(2);
        let before = sim.chosen(0);
        sim.world.failing_seeds = 2;
        sim.lights_go_out(&[10_000]);
        for tried in 1..=2 {
            sim.run_for(3600);
            sim.expect(sim.waits_for("SeedsExhausted"), "after the only candidate a person is asked");
            sim.expect(sim.chosen(0) == before + tried, "no time that passes begins another try");
            sim.expect(sim.world.processes.is_empty(), "nor is anybody else seeded");
            let key = sim.key_for("SeedsExhausted");
            key.into_iter().for_each(|key| sim.give(key));
        }
        sim.run_for(5);
        sim.grows_well();
        sim.expect(sim.chosen(0) == before + 3 && sim.epoch() == 2, "the third try came up");
        sim.expect(sim.chosen(1) + sim.chosen(2) == 0, "nobody else was ever chosen");
    })
}

/// Its member says nothing of its progress: that it is stopped, or that it failed.
fn hanging() -> Outcome {
    let hangs = |fails: bool| {
        told(Options::calm(), |sim| {
            sim.grows_well();
            sim.copies_slowly(1);
            for process in sim.world.processes.iter_mut().filter(|process| process.slow) {
                (process.slow, process.broken) = (false, fails);
            }
            let joined = sim.wait(90, |sim| {
                sim.world.processes.iter().filter(|p| p.phase == Phase::Running).count() == 2
            });
            let is_kept = !fails || sim.said("plans Recycle") == 0;
            sim.expect(joined && is_kept, "another joins before the one that hangs gets a new pod");
            sim.grows_well();
            sim.expect(sim.epoch() == 1, "one served on");
        })
    };
    let stopped = hangs(false);
    if stopped.breaches.is_empty() { hangs(true) } else { stopped }
}

/// It dies between the decision to join it and the command, or in the middle of the copy.
fn orphaned() -> Outcome {
    let dies = |in_the_middle: bool| {
        told(Options::calm(), |sim| {
            sim.grows_well();
            sim.run_for(5);
            if in_the_middle {
                sim.copies_slowly(1);
                sim.world.processes.iter_mut().for_each(|process| process.slow = false);
            } else {
                let before = sim.said("Join x-");
                (1..3).for_each(|ordinal| sim.kill(ordinal));
                let decided = sim.wait(60, |sim| sim.said("Join x-") > before);
                sim.expect(decided && sim.copies() == 0, "a join is decided, and not begun");
            }
            sim.kill(0);
            let (seeds, joins) = (sim.chosen(0), sim.said("Join x-"));
            let seeded = sim.wait(600, |sim| sim.chosen(0) > seeds);
            sim.expect(seeded, "the member that has it all is seeded");
            sim.expect(sim.said("Join x-") == joins, "nobody is told to join before that");
            sim.grows_well();
            sim.expect(sim.chosen(1) + sim.chosen(2) == 0 && sim.epoch() == 2, "nobody else was seeded");
        })
    };
    let early = dies(false);
    if early.breaches.is_empty() { dies(true) } else { early }
}
