//! The policy of that world: the first candidate seeds, and all others follow.

use crate::decision::{Candidate, Decisions, Judgement, SequenceOutput, Treatment, Verdict};
use crate::names::ReplicaName;
use crate::position::{History, Position};
use crate::record::Reading;

/// Reads bare numbers, or histories; each number reads in a way of its own.
pub(super) struct Policy {
    pub(super) histories: bool,
    pub(super) number: usize,
}

impl Decisions for Policy {
    fn sequence(&self, output: &SequenceOutput<'_>) -> Judgement {
        let mut words = output.stdout.split(':');
        let line = words.next().unwrap_or_default();
        let reading = match words.next().and_then(|number| number.parse().ok()) {
            Some(0) => Reading::Empty,
            Some(n) if self.histories => {
                let line = format!("{line}{}", "'".repeat(self.number % 2));
                Reading::At(Position::History(History::up_to(&line, n)))
            }
            Some(n) => Reading::At(Position::Ordinal(n << (self.number % 3))),
            None => Reading::Unreadable("nonsense".into()),
        };
        reading.into()
    }
    fn seed(&self, candidates: &[Candidate]) -> Verdict<ReplicaName> {
        Verdict::Proposed { answer: candidates[0].replica.clone(), why: "first".into() }
    }
    fn primaries(&self, members: &[Candidate]) -> Verdict<Vec<ReplicaName>> {
        let answer = members.iter().map(|member| member.replica.clone()).collect();
        Verdict::Proposed { answer, why: "in order".into() }
    }
    fn replicas(&self, _: &Candidate, _: &[ReplicaName]) -> Verdict<Treatment> {
        Verdict::Proposed { answer: Treatment::RunSecondary { follow: None }, why: "all follow".into() }
    }
}
