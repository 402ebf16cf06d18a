//! What the parts are, and how much of each shows what it is for.

use std::collections::BTreeSet;

use clap::ValueEnum;

use super::round::{LONG, Round, stories_of};
use crate::evidence::{Counts, Figure};

/// A part of the soak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Stories of the planner of ever new seeds.
    Simulate,
    /// Stories of the whole operator, of ever new seeds: each is told of a set; of some seeds another one of a StatefulCluster,
    /// and a third one of a set on one.
    SimulateShell,
    /// Stories of sets whose policy answers anything, until an honest one takes its place.
    Adversary,
    /// Small worlds in which anything may befall the operator, from one beginning after the other, each to its end.
    Exhaust,
    /// The same worlds, where something else befalls their members: what is near each beginning.
    Struck,
    /// The same worlds, where a policy may answer anything in each look.
    Misled,
    /// Walks by chance through worlds of five members.
    Walk,
    /// Faults in the planner, one at a time: its tests find each.
    Mutants,
    /// What comes from outside, made wrong in ever new ways.
    Fuzz,
    /// Sequences of requests to the API server of the simulation and to a real one, which answer alike.
    Requests,
    /// The tests on a real cluster, again and again.
    E2eRepeat,
    /// Faults of the local cluster that take long, one test each; and by chance, against a real database, one seed each.
    Faults,
}

/// Seeds of stories of the whole operator, each told of a set; of some StatefulClusters and sets on one besides.
const SEEDS_OF_SHELL: u64 = 100_000;

/// Stories of the planner alone, which are many more a second.
const SEEDS: u64 = 100_000;

/// All beginnings of small worlds.
pub(super) const BEGINNINGS: u64 = 966;

/// As many inputs are made of each: the tests of the operator whose name says `fuzzed`.
const KINDS_OF_INPUTS: u64 = 9;

/// No part has come to more rounds than this.
const FAR: u64 = 100_000;

/// Seeds of faults by chance.
const SEEDS_OF_FAULTS: u64 = 20;

// === impl Part ===

impl Part {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Simulate => "simulate",
            Self::SimulateShell => "simulate-shell",
            Self::Adversary => "adversary",
            Self::Exhaust => "exhaust",
            Self::Struck => "struck",
            Self::Misled => "misled",
            Self::Walk => "walk",
            Self::Mutants => "mutants",
            Self::Fuzz => "fuzz",
            Self::Requests => "requests",
            Self::E2eRepeat => "e2e-repeat",
            Self::Faults => "faults",
        }
    }

    /// As evidence names it.
    pub(crate) fn part(self) -> String {
        format!("soak {}", self.name())
    }

    /// How far one round goes: some minutes, so that little is lost with one that is interrupted, and building and
    /// starting are the least of it.
    pub(super) fn size(self) -> u64 {
        match self {
            Self::Simulate | Self::SimulateShell | Self::Adversary => 5_000,
            Self::Exhaust | Self::Struck | Self::Misled => 23,
            Self::Fuzz => 10_000,
            Self::Walk => 500,
            Self::Requests => 100,
            Self::Mutants | Self::E2eRepeat | Self::Faults => 1,
        }
    }

    /// So many rounds, from the first, are what one commit is to be shown by.
    pub(crate) fn asked(self) -> u64 {
        match self {
            Self::Simulate => SEEDS / self.size(),
            Self::SimulateShell => SEEDS_OF_SHELL / self.size(),
            Self::Exhaust | Self::Struck | Self::Misled => BEGINNINGS / self.size(),
            Self::Mutants => super::mutants::SHARDS,
            Self::Faults => LONG.len() as u64 + SEEDS_OF_FAULTS,
            Self::Adversary | Self::Walk | Self::Fuzz | Self::Requests => 4,
            Self::E2eRepeat => 1,
        }
    }

    /// What so many rounds come to, where people count in something else.
    pub(crate) fn amount(self, rounds: usize) -> Option<String> {
        let of = match self {
            Self::Simulate | Self::SimulateShell | Self::Adversary => "seeds",
            Self::Exhaust | Self::Struck | Self::Misled => "beginnings",
            _ => return None,
        };
        Some(format!("{} {of}", rounds as u64 * self.size()))
    }

    /// Their names.
    pub(crate) fn rounds_asked(self) -> Vec<String> {
        Round::first(self, self.asked()).map(Round::name).collect()
    }

    /// Those that were asked for are all there are.
    pub(super) fn is_finite(self) -> bool {
        matches!(self, Self::Exhaust | Self::Struck | Self::Misled | Self::Mutants)
    }

    /// What lacks beside these rounds, which ended well and counted this much, to show what it is for, if anything does;
    /// empty where all of it does.
    pub(crate) fn lacks(self, done: &BTreeSet<String>, counts: &Counts) -> Option<String> {
        let asked = self.rounds_asked();
        let (lack, asked) = (asked.iter().filter(|round| !done.contains(*round)).count(), asked.len());
        if lack > 0 {
            return Some(if lack == asked { String::new() } else { format!("{lack} of {asked} rounds") });
        }
        let (figure, wanted, what) = self.shown()?;
        let lack = wanted.saturating_sub(counts.get(&figure).copied().unwrap_or(0));
        match (lack, wanted) {
            (0, _) => None,
            // However many there should be, there is none.
            (_, 1) => Some(what.to_owned()),
            _ => Some(format!("{lack} of {wanted} {what}")),
        }
    }

    /// The command that runs a round alone, by the name of that round, if there is such a one.
    pub(crate) fn alone(self, round: &str) -> Option<String> {
        Round::first(self, FAR).find(|one| one.name() == round).map(Round::alone)
    }

    /// How much its rounds count at least, where they do what they are for.
    fn shown(self) -> Option<(Figure, u64, &'static str)> {
        Some(match self {
            Self::Simulate => (Figure::Seeds, SEEDS, "stories of the planner"),
            Self::SimulateShell => {
                (Figure::Stories, stories_of(SEEDS_OF_SHELL), "stories of the whole operator")
            }
            Self::Adversary => (Figure::Seeds, self.asked() * self.size(), "stories of lying policies"),
            Self::Exhaust => (Figure::Beginnings, BEGINNINGS, "beginnings to their end"),
            Self::Struck | Self::Walk => (Figure::States, 1, "states"),
            Self::Misled => (Figure::Lies, 1, "lies of a policy"),
            Self::Mutants => (Figure::MutantsKilled, 1, "mutants that a test finds"),
            Self::Fuzz => (Figure::Inputs, self.asked() * self.size() * KINDS_OF_INPUTS, "inputs"),
            Self::Faults => (Figure::Acknowledged, 1, "rows that were acknowledged"),
            Self::Requests | Self::E2eRepeat => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rounds_that_are_asked_for_make_up_all_that_one_commit_is_to_be_shown_by() {
        assert_eq!(Part::Simulate.asked() * Part::Simulate.size(), SEEDS);
        let shell = Part::SimulateShell;
        assert_eq!(shell.asked() * stories_of(shell.size()), 155_000);
        assert_eq!(shell.asked() * shell.size(), SEEDS_OF_SHELL);
        for part in [Part::Exhaust, Part::Struck, Part::Misled] {
            assert_eq!(part.asked() * part.size(), BEGINNINGS, "{part:?}");
        }
    }

    #[test]
    fn rounds_without_what_they_should_have_counted_are_not_enough() {
        let names = |part: Part| part.rounds_asked().into_iter().collect::<BTreeSet<_>>();
        let shell = Part::SimulateShell;
        let (told, all) = (|stories| Counts::from([(Figure::Stories, stories)]), 155_000);
        assert_eq!(shell.lacks(&names(shell), &told(all)), None);
        let lack = shell.lacks(&names(shell), &told(all - 1));
        assert_eq!(lack.as_deref(), Some("1 of 155000 stories of the whole operator"));
        let planner = Counts::from([(Figure::Seeds, 10 * all)]);
        assert!(shell.lacks(&names(shell), &planner).is_some(), "the planner's stories are others");
        let ever_new = Round::first(shell, 2 * shell.asked()).skip(1).map(Round::name).collect();
        assert_eq!(shell.lacks(&ever_new, &told(all)).as_deref(), Some("1 of 20 rounds"));
        assert_eq!(shell.lacks(&BTreeSet::new(), &told(all)).as_deref(), Some(""), "all of it");
        let walk = Part::Walk;
        assert_eq!(walk.lacks(&names(walk), &Counts::new()).as_deref(), Some("states"));
    }

    #[test]
    fn the_command_that_runs_a_round_alone_is_found_by_the_name_of_the_round() {
        for part in Part::value_variants() {
            for round in Round::first(*part, 40) {
                assert_eq!(part.alone(&round.name()), Some(round.alone()), "{part:?}");
            }
        }
        let last = Part::Simulate.alone("499995000 to 499999999").expect("round 99,999");
        assert!(last.ends_with("--from 499995000 --count 5000"), "{last}");
        assert_eq!(Part::Simulate.alone("1 to 4999"), None, "no round begins there");
    }
}
