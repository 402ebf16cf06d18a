//! A policy that is linked in, behind the planner's decision trait.

use planner::Decisions;
use planner::decision::{Candidate, Judgement, SequenceOutput, Treatment, Verdict};
use planner::names::ReplicaName;
use planner::position::{History, Interval, Position};
use planner::record::Reading;
use policy_sdk::{Primaries, Replicas, Seed, Sequence, position, replicas, seed, sequence};

/// A policy that takes every decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Native<P>(pub P);

impl<P: Sequence + Seed + Primaries + Replicas> Decisions for Native<P> {
    fn sequence(&self, output: &SequenceOutput<'_>) -> Judgement {
        let &SequenceOutput { replica, code, stdout, stderr, truncated } = output;
        let answer = self.0.read(&sequence::Output {
            replica: replica.0.clone(),
            exit_code: code,
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            truncated,
            ..sequence::Output::default()
        });
        match answer.reading {
            sequence::Reading::At(found) => Judgement {
                reading: Reading::At(taken(&found.position)),
                facts: found.facts.into_iter().collect(),
            },
            sequence::Reading::Empty => Reading::Empty.into(),
            sequence::Reading::Unreadable => Reading::Unreadable(answer.why).into(),
        }
    }

    fn seed(&self, candidates: &[Candidate]) -> Verdict<ReplicaName> {
        let answer = self.0.choose(&all(candidates));
        match answer.proposal {
            seed::Proposal::Replica(name) => Verdict::Proposed { answer: ReplicaName(name), why: answer.why },
            seed::Proposal::Refuse => Verdict::Missing(answer.why),
        }
    }

    fn primaries(&self, members: &[Candidate]) -> Verdict<Vec<ReplicaName>> {
        let answer = self.0.order(&all(members));
        let ordering = answer.ordering.into_iter().map(ReplicaName).collect();
        Verdict::Proposed { answer: ordering, why: answer.why }
    }

    fn replicas(&self, member: &Candidate, primaries: &[ReplicaName]) -> Verdict<Treatment> {
        let names: Vec<String> = primaries.iter().map(|name| name.0.clone()).collect();
        let answer = self.0.treat(&given(member), &names);
        let treatment = match answer.treatment {
            replicas::Treatment::RunSecondary(follow) => {
                Treatment::RunSecondary { follow: follow.map(ReplicaName) }
            }
            replicas::Treatment::LeaveStopped => Treatment::LeaveStopped,
            replicas::Treatment::Hold => Treatment::Hold(answer.why.clone()),
        };
        Verdict::Proposed { answer: treatment, why: answer.why }
    }
}

fn all(members: &[Candidate]) -> Vec<policy_sdk::Candidate> {
    members.iter().map(given).collect()
}

fn given(member: &Candidate) -> policy_sdk::Candidate {
    let Candidate { replica, ordinal, created_at, position, facts } = member;
    policy_sdk::Candidate {
        name: replica.0.clone(),
        ordinal: Some(*ordinal),
        created_at: *created_at,
        position: position.as_ref().map(told),
        facts: facts.iter().cloned().collect(),
        ..policy_sdk::Candidate::default()
    }
}

/// The planner's position as a policy's.
fn told(position: &Position) -> policy_sdk::Position {
    match position {
        Position::Ordinal(number) => policy_sdk::Position::Ordinal(*number),
        Position::History(History(sources)) => {
            let mut history = position::History::new();
            for (source, interval) in
                sources.iter().flat_map(|(source, list)| list.iter().map(move |i| (source, i)))
            {
                history.insert(source, interval.first, interval.last);
            }
            history.into()
        }
    }
}

/// A policy's position as the planner's.
fn taken(position: &policy_sdk::Position) -> Position {
    let interval = |i: &position::Interval| Interval { first: i.first, last: i.last };
    match position {
        policy_sdk::Position::Ordinal(number) => Position::Ordinal(*number),
        policy_sdk::Position::History(history) => Position::History(History(
            history
                .sources()
                .map(|(source, list)| (source.to_owned(), list.iter().map(interval).collect()))
                .collect(),
        )),
    }
}

#[cfg(test)]
mod tests;
