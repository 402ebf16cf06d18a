//! The planner's questions as those of the contract, and answers as the planner's verdicts.

mod native;

pub(super) use native::{judgement_said, ordering_said, proposal_said, treatment_said};

use planner::decision::{self, Candidate, Judgement, SequenceOutput, Verdict};
use planner::names::ReplicaName;
use planner::record::Reading as Read;

use super::answer::{Answer, Found, Ordered, Proposal, Proposed, Reading, Said, Treatment};
use super::belief::Nonsense;
use super::failure::Failure;
use super::question::{Member, Output, Pairs};
use super::why::cut;

pub(super) fn output(output: &SequenceOutput<'_>) -> Output {
    Output {
        replica: output.replica.0.clone(),
        exit_code: output.code,
        stdout: output.stdout.to_owned(),
        stderr: output.stderr.to_owned(),
        truncated: output.truncated,
        extra: Pairs::new(),
    }
}

pub(super) fn member(candidate: &Candidate) -> Member {
    Member {
        name: candidate.replica.0.clone(),
        ordinal: Some(candidate.ordinal),
        created_at: candidate.created_at,
        position: candidate.position.clone(),
        facts: candidate.facts.iter().cloned().collect(),
        extra: Pairs::new(),
    }
}

pub(super) fn candidates(members: &[Member]) -> Vec<Candidate> {
    members.iter().map(Member::candidate).collect()
}

pub(super) fn judgement(answered: Result<Answer, Failure>) -> Judgement {
    match answered {
        Ok(Answer::Sequence(Said { reading, why })) => match reading {
            Reading::At(Found { position, facts }) => {
                Judgement { reading: Read::At(position), facts: facts.into_iter().collect() }
            }
            Reading::Empty => Read::Empty.into(),
            Reading::Unreadable => Read::Unreadable(cut(&why)).into(),
        },
        Ok(_) => judgement(off_topic()),
        // A reading is kept, and told in holds: the answer that is not believed stands in the record alone.
        Err(failure) => Read::Unreadable(failure.fault()).into(),
    }
}

pub(super) fn proposal(answered: Result<Answer, Failure>) -> Verdict<ReplicaName> {
    match answered {
        Ok(Answer::Seed(Proposed { proposal: Proposal::Replica(name), why })) => {
            Verdict::Proposed { answer: ReplicaName(name), why: cut(&why) }
        }
        Ok(Answer::Seed(Proposed { proposal: Proposal::Refuse, why })) => Verdict::Missing(cut(&why)),
        Ok(_) => proposal(off_topic()),
        Err(failure) => Verdict::Missing(failure.to_string()),
    }
}

pub(super) fn ordering(answered: Result<Answer, Failure>) -> Verdict<Vec<ReplicaName>> {
    match answered {
        Ok(Answer::Primaries(Ordered { ordering, why })) => {
            Verdict::Proposed { answer: ordering.into_iter().map(ReplicaName).collect(), why: cut(&why) }
        }
        Ok(_) => ordering(off_topic()),
        Err(failure) => Verdict::Missing(failure.to_string()),
    }
}

pub(super) fn treatment(answered: Result<Answer, Failure>) -> Verdict<decision::Treatment> {
    match answered {
        Ok(Answer::Replicas(treated)) => {
            let why = cut(&treated.why);
            let answer = match treated.treatment {
                Treatment::RunSecondary(follow) => {
                    decision::Treatment::RunSecondary { follow: follow.map(ReplicaName) }
                }
                Treatment::LeaveStopped => decision::Treatment::LeaveStopped,
                Treatment::Hold => decision::Treatment::Hold(why.clone()),
            };
            Verdict::Proposed { answer, why }
        }
        Ok(_) => treatment(off_topic()),
        Err(failure) => Verdict::Missing(failure.to_string()),
    }
}

fn off_topic() -> Result<Answer, Failure> {
    Err(Nonsense::OffTopic.into())
}
