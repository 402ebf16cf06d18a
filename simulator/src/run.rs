//! A seed's whole story, and many of them.

use crate::adversary::Lies;
use crate::chance::Chance;
use crate::each::each;
use crate::operator::Decide;
use crate::options::Options;
use crate::simulation::Simulation;
use crate::world::Event;
use planner::target::Mode;
use std::fmt;
use std::ops::AddAssign;

/// How a story ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// By which seed it can be told again.
    pub seed: u64,
    /// What was found wrong; empty if nothing was.
    pub breaches: Vec<String>,
    /// What happened, if that was kept.
    pub trace: Vec<String>,
    /// Effects of the operators.
    pub effects: u64,
    /// How often an operator died just after one of them.
    pub crashes: u64,
    /// What struck besides, mishaps of single commands left out.
    pub faults: u64,
    /// Milliseconds of virtual time.
    pub millis: u64,
}

/// How many stories ended.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Stories told.
    pub stories: u64,
    /// Effects in all of them.
    pub effects: u64,
    /// Deaths of an operator just after one.
    pub crashes: u64,
    /// What struck besides.
    pub faults: u64,
    /// The first that went wrong, with its trace.
    pub failure: Option<Outcome>,
}

/// Tells the story of a seed, of a set of this kind.
#[must_use]
pub fn run(seed: u64, options: Options) -> Outcome {
    tell_with(seed, options, planner::decide)
}

/// The same with another planner in place of ours.
pub(crate) fn tell_with(seed: u64, options: Options, decide: Decide) -> Outcome {
    let mut sim = faulted(seed, options, decide);
    sim.heal();
    if sim.world.options.lies.is_some() {
        let more = sim.world.chance.between(0, 1800);
        sim.run_for(more);
        sim.replace_the_liar();
    }
    sim.settle();
    outcome(seed, sim)
}

/// A set of this kind after the last fault has struck.
pub(crate) fn faulted(seed: u64, options: Options, decide: Decide) -> Simulation {
    let faults = options.faults;
    let mut sim = Simulation::deciding(seed, options, decide);
    sim.world.rough = faults > 0;
    // Some sets are hit before they ever ran.
    let first = sim.world.chance.between(0, 120_000);
    sim.run_until(first);
    for _ in 0..faults {
        let pause = [100, 2000, 15_000, 90_000][sim.world.chance.index(4)];
        let pause = sim.world.chance.between(1, pause);
        sim.world.after(pause, Event::Fault);
        sim.run_until(sim.world.now + pause);
    }
    let last = sim.world.chance.between(0, 60_000);
    sim.run_until(sim.world.now + last);
    sim
}

/// Tells the story of a seed, of a set that the seed draws too. In every eighth a person is asked before a set goes on.
#[must_use]
pub fn tell(seed: u64, audited: bool, traced: bool) -> Outcome {
    let mut chance = Chance::new(seed ^ 0x0073_6565_6473);
    let mode = if seed % 8 == 5 { Mode::Ask } else { Mode::Auto };
    run(seed, Options { audited, traced, mode, ..Options::draw(&mut chance) })
}

/// The same, and its policy is changed now and then, in the middle of whatever goes on.
#[must_use]
pub fn tell_with_policies(seed: u64, audited: bool, traced: bool) -> Outcome {
    let mut chance = Chance::new(seed ^ 0x0073_6565_6473);
    run(seed, Options { policies: true, audited, traced, ..Options::draw(&mut chance) })
}

/// The same, and its policy answers anything, until a while after the last fault an honest one takes its place: of every
/// other seed not what data holds.
#[must_use]
pub fn tell_with_adversary(seed: u64, audited: bool, traced: bool) -> Outcome {
    let mut chance = Chance::new(seed ^ 0x0073_6565_6473);
    let lies = Some(if seed.is_multiple_of(2) { Lies::Choices } else { Lies::Everything });
    run(seed, Options { lies, audited, traced, ..Options::draw(&mut chance) })
}

/// Tells the stories of seeds `from..from + count`, up to the first that goes wrong.
#[must_use]
pub fn simulate(from: u64, count: u64) -> Report {
    simulate_by(tell, from, count, 1)
}

/// The same of stories that are told so, so many at once; of those before one that goes wrong nothing is counted.
#[must_use]
pub fn simulate_by(tell: fn(u64, bool, bool) -> Outcome, from: u64, count: u64, threads: u64) -> Report {
    let one = |seed| {
        let outcome = tell(seed, true, false);
        if outcome.breaches.is_empty() { Ok(Report::of(&outcome)) } else { Err(tell(seed, true, true)) }
    };
    let failed = |(_, told)| Report { failure: Some(told), ..Report::default() };
    each(from..from.saturating_add(count), threads, one).unwrap_or_else(failed)
}

pub(crate) fn outcome(seed: u64, sim: Simulation) -> Outcome {
    let (effects, crashes, faults, millis) = (sim.effects, sim.crashes, sim.faults, sim.world.now);
    let trace = sim.world.trace.lines().to_vec();
    Outcome { seed, breaches: sim.world.breaches, trace, effects, crashes, faults, millis }
}

impl Report {
    fn of(outcome: &Outcome) -> Self {
        let Outcome { effects, crashes, faults, .. } = *outcome;
        Self { stories: 1, effects, crashes, faults, failure: None }
    }

    /// Counts the stories for `cargo xtask soak`. After a failure it counts nothing, because the number of stories is unknown.
    pub fn count(&self) {
        self.counts().into_iter().flatten().for_each(|(name, number)| crate::count(name, number));
    }

    fn counts(&self) -> Option<[(&'static str, u64); 3]> {
        let Self { stories, crashes, faults, failure, .. } = self;
        failure.is_none().then_some([
            ("stories of the planner", *stories),
            ("simulated operator crashes", *crashes),
            ("simulated faults", *faults),
        ])
    }
}

impl AddAssign for Report {
    fn add_assign(&mut self, other: Self) {
        self.stories += other.stories;
        self.effects += other.effects;
        self.crashes += other.crashes;
        self.faults += other.faults;
        self.failure = self.failure.take().or(other.failure);
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.trace {
            writeln!(f, "{line}")?;
        }
        write!(f, "seed {}: ", self.seed)?;
        if self.breaches.is_empty() {
            f.write_str("all is well")
        } else {
            f.write_str(&self.breaches.join("; "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seed 7 goes wrong.
    fn tell(seed: u64, _: bool, _: bool) -> Outcome {
        let breaches = (seed == 7).then(|| "two lineages".to_owned()).into_iter().collect();
        Outcome { seed, breaches, trace: Vec::new(), effects: 1, crashes: 2, faults: 3, millis: 0 }
    }

    #[test]
    fn stories_with_a_failure_are_not_counted() {
        assert_eq!(simulate_by(tell, 5, 5, 2).counts(), None);
        let numbers = simulate_by(tell, 5, 2, 2).counts().map(|counts| counts.map(|(_, number)| number));
        assert_eq!(numbers, Some([2, 4, 6]));
    }
}
