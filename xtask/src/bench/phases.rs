//! The phases of a recovery, and what several cuts say of each.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

/// A moment of a recovery, in seconds after the cut; where it says so, the time between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Phase {
    /// Every database has got its SIGKILL.
    Killed,
    /// The last pod's deletion was accepted.
    PodsDeleted,
    /// A new container runs in place of each member, as the API tells it.
    ContainersRunning,
    /// The last position was read.
    PositionsRead,
    /// The seed's command began.
    SeedStarted,
    /// From `ContainersRunning` to `SeedStarted`.
    RunningToSeed,
    /// The seed is Synced.
    SeedSynced,
    /// A client's row was acknowledged that was begun after the cut.
    FirstWrite,
    /// The first of those that join is Synced.
    FirstJoinerSynced,
    /// All are.
    AllSynced,
    /// The operator says Ready.
    Ready,
}

/// Who brings the databases back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Subject {
    /// The operator.
    Operator,
    /// A script that knows the answers.
    Limit,
}

/// Seconds of each phase that was seen.
pub(super) type Seconds = BTreeMap<Phase, f64>;

// === impl Phase ===

impl Phase {
    /// Every phase.
    const ALL: [Self; 11] = [
        Self::Killed,
        Self::PodsDeleted,
        Self::ContainersRunning,
        Self::PositionsRead,
        Self::SeedStarted,
        Self::RunningToSeed,
        Self::SeedSynced,
        Self::FirstWrite,
        Self::FirstJoinerSynced,
        Self::AllSynced,
        Self::Ready,
    ];

    /// Seconds that the operator's median shall stay under.
    fn under(self) -> Option<f64> {
        match self {
            Self::RunningToSeed => Some(1.0),
            Self::FirstWrite => Some(4.0),
            Self::AllSynced => Some(14.0),
            _ => None,
        }
    }

    fn belongs_to(self, subject: Subject) -> bool {
        subject == Subject::Operator || self != Self::Ready
    }
}

// === impl Subject ===

impl Subject {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Operator => "the operator brings it back",
            Self::Limit => "a script brings it back",
        }
    }
}

/// What a number shall stay under, and whether it does.
pub(super) fn target(value: f64, under: f64) -> Value {
    json!({"under": under, "met": value < under})
}

/// The middle one; of an even number the mean of the two in the middle. None of none.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = *sorted.get((sorted.len() - 1) / 2)?;
    Some(f64::midpoint(lower, upper))
}

/// The median of every phase that was seen in any cut.
pub(super) fn medians(cuts: &[Seconds]) -> Seconds {
    let of = |phase: Phase| {
        let seen: Vec<_> = cuts.iter().filter_map(|cut| cut.get(&phase).copied()).collect();
        Some((phase, median(&seen)?))
    };
    Phase::ALL.into_iter().filter_map(of).collect()
}

/// The phases that were missed in some cut.
pub(super) fn missing(subject: Subject, cuts: &[Seconds]) -> Vec<Phase> {
    let is_missed = |phase: &Phase| cuts.iter().any(|cut| !cut.contains_key(phase));
    Phase::ALL.into_iter().filter(|phase| phase.belongs_to(subject)).filter(is_missed).collect()
}

/// One line for each phase that both have a part in: how many times as long the operator takes.
pub(super) fn ratios(operator: &Seconds, limit: &Seconds) -> Vec<Value> {
    let line = |(phase, ours): (&Phase, &f64)| {
        let theirs = limit.get(phase)?;
        let mut line = json!({
            "bench": "ratio",
            "phase": phase,
            "operator": rounded(*ours),
            "limit": rounded(*theirs),
            "ratio": (*theirs > 0.0).then(|| rounded(ours / theirs)),
        });
        merge(&mut line, phase.under().map(|under| target(*ours, under)));
        Some(line)
    };
    // What is before that is the cut itself.
    operator.range(Phase::ContainersRunning..).filter_map(line).collect()
}

/// Seconds as they are printed: with three decimals.
pub(super) fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// All of them.
pub(super) fn printed(seconds: &Seconds) -> Seconds {
    seconds.iter().map(|(phase, at)| (*phase, rounded(*at))).collect()
}

/// Add the fields of another object.
pub(super) fn merge(line: &mut Value, more: Option<Value>) {
    if let (Value::Object(line), Some(Value::Object(more))) = (line, more) {
        line.extend(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_of_what_was_measured() {
        for (values, wanted) in [
            ([].as_slice(), None),
            (&[3.0], Some(3.0)),
            (&[9.0, 1.0, 2.0], Some(2.0)),
            (&[4.0, 1.0, 2.0, 100.0], Some(3.0)),
        ] {
            assert_eq!(median(values), wanted);
        }
    }

    #[test]
    fn a_phase_that_one_cut_lacks_is_missing_and_its_median_is_that_of_the_others() {
        let cuts = [
            Seconds::from([(Phase::FirstWrite, 3.0), (Phase::AllSynced, 9.0)]),
            Seconds::from([(Phase::AllSynced, 11.0)]),
        ];
        assert_eq!(medians(&cuts), Seconds::from([(Phase::FirstWrite, 3.0), (Phase::AllSynced, 10.0)]));
        let missed = missing(Subject::Limit, &cuts);
        assert!(missed.contains(&Phase::FirstWrite) && !missed.contains(&Phase::AllSynced));
    }

    #[test]
    fn only_the_operator_says_ready() {
        let cut = [Phase::ALL.into_iter().filter(|phase| *phase != Phase::Ready).map(|p| (p, 1.0)).collect()];
        assert_eq!(missing(Subject::Limit, &cut), []);
        assert_eq!(missing(Subject::Operator, &cut), [Phase::Ready]);
    }

    #[test]
    fn a_ratio_stands_with_its_target_where_there_is_one() {
        let operator =
            [(Phase::Killed, 0.1), (Phase::SeedSynced, 3.0), (Phase::FirstWrite, 4.0), (Phase::Ready, 9.0)]
                .into();
        let limit = [(Phase::Killed, 0.1), (Phase::SeedSynced, 2.0), (Phase::FirstWrite, 2.0)].into();
        let lines = ratios(&operator, &limit);
        assert_eq!(
            lines,
            [
                json!({"bench": "ratio", "phase": "seedSynced", "operator": 3.0, "limit": 2.0, "ratio": 1.5}),
                json!({
                    "bench": "ratio", "phase": "firstWrite", "operator": 4.0, "limit": 2.0, "ratio": 2.0,
                    "under": 4.0, "met": false,
                }),
            ]
        );
    }

    #[test]
    fn a_cut_is_printed_with_its_phases_by_name() {
        let seconds = printed(&[(Phase::RunningToSeed, 0.123_456)].into());
        assert_eq!(serde_json::to_value(seconds).unwrap(), json!({"runningToSeed": 0.123}));
    }
}
