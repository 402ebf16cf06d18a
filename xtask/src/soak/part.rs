//! The parts of the soak, and the number of their rounds.

use clap::ValueEnum;

use super::round::LONG_TESTS;

/// A part of the soak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Stories of the planner, one for each seed.
    Simulate,
    /// Stories of the whole operator: of a set for each seed, and for some seeds of a StatefulCluster and of a set on one.
    SimulateShell,
    /// Stories of sets with a policy that gives arbitrary answers, until an honest policy replaces it.
    Adversary,
    /// Small worlds with one fault of the operator at any moment, each explored to its end.
    Exhaust,
    /// Small worlds with one fault of a member at any moment, explored near each beginning.
    Struck,
    /// Small worlds with a policy that gives arbitrary answers, explored near each beginning.
    Misled,
    /// Random walks through worlds of five members.
    Walk,
    /// Mutants of the planner: the tests find each of them, or planner/mutants.txt gives the reason.
    Mutants,
    /// Random changes of every kind of input from outside the operator.
    Fuzz,
    /// Random sequences of requests to the simulated API server and to a real one: both answer alike.
    Requests,
    /// The tests of stage e2e on a real cluster, repeated.
    E2eRepeat,
    /// Faults of the local cluster: three long tests, then one random sequence of faults for each seed.
    Faults,
}

/// Seeds of a release for each part that runs stories.
const SEEDS: u64 = 100_000;

/// All beginnings of small worlds.
const BEGINNINGS: u64 = 966;

/// Seeds of a release for random faults of the local cluster.
const SEEDS_OF_FAULTS: u64 = 20;

// === impl Part ===

impl Part {
    /// The value of `--part`.
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

    /// Seeds, beginnings or inputs in a round. A round takes some minutes: an interruption loses little, and the time to
    /// build and start is a small share.
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

    /// A release needs so many rounds, from the first one on.
    pub(super) fn rounds_of_a_release(self) -> u64 {
        match self {
            Self::Simulate | Self::SimulateShell => SEEDS / self.size(),
            Self::Exhaust | Self::Struck | Self::Misled => BEGINNINGS / self.size(),
            Self::Mutants => super::mutants::SHARDS,
            Self::Faults => LONG_TESTS.len() as u64 + SEEDS_OF_FAULTS,
            Self::Adversary | Self::Walk | Self::Fuzz | Self::Requests => 4,
            Self::E2eRepeat => 1,
        }
    }

    /// Whether the part has no rounds beyond those of a release. The other parts continue with new seeds.
    pub(super) fn is_finite(self) -> bool {
        matches!(self, Self::Exhaust | Self::Struck | Self::Misled | Self::Mutants)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rounds_of_a_release_cover_all_seeds_and_all_beginnings() {
        for part in [Part::Simulate, Part::SimulateShell] {
            assert_eq!(part.rounds_of_a_release() * part.size(), SEEDS, "{part:?}");
        }
        for part in [Part::Exhaust, Part::Struck, Part::Misled] {
            assert_eq!(part.rounds_of_a_release() * part.size(), BEGINNINGS, "{part:?}");
        }
    }
}
