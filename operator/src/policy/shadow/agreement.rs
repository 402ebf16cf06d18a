//! Whether two answers are the same decision.

use crate::policy::answer::{Answer, Reading};
use crate::policy::record::{Outcome, Record};

/// Bytes of what came of a question that are shown.
const SHOWN: usize = 160;

/// What came of a question that was decided and put to a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    /// Both decided the same, for whatever reasons.
    Agreed,
    /// They did not; or the candidate decided where there was no answer.
    Disagreed,
    /// The candidate gave no valid answer.
    Failed,
}

/// Compares what was decided with what the candidate made of it. An answer that is not believed decides nothing.
pub(super) fn compare(decided: &Record, candidate: &Record) -> Agreement {
    match (decided.believed(), candidate.believed()) {
        (_, None) => Agreement::Failed,
        (Some(one), Some(other)) if is_same(one, other) => Agreement::Agreed,
        (_, Some(_)) => Agreement::Disagreed,
    }
}

/// Reasons do not count, nor do facts: they are the policy's word to itself.
fn is_same(one: &Answer, other: &Answer) -> bool {
    match (one, other) {
        (Answer::Sequence(one), Answer::Sequence(other)) => match (&one.reading, &other.reading) {
            (Reading::At(one), Reading::At(other)) => one.position == other.position,
            (one, other) => one == other,
        },
        (Answer::Seed(one), Answer::Seed(other)) => one.proposal == other.proposal,
        (Answer::Primaries(one), Answer::Primaries(other)) => one.ordering == other.ordering,
        (Answer::Replicas(one), Answer::Replicas(other)) => one.treatment == other.treatment,
        _ => false,
    }
}

/// Both answers in one line: the same in the status, in events and in `kubectl rss decisions`.
pub(super) fn words(decided: &Record, candidate: &Record) -> String {
    let question = &candidate.question;
    let about = question.subject().map(|subject| format!(" of {subject}")).unwrap_or_default();
    let (kind, said, was) = (question.interface().name(), outcome(candidate), outcome(decided));
    format!("{kind}{about}: {said}; decided was: {was}")
}

fn outcome(record: &Record) -> String {
    let text = match &record.outcome {
        Outcome::Failed(why) => format!("no valid answer, {why}"),
        Outcome::Answered(answer) if !record.vetoes.is_empty() => {
            let vetoes = record.vetoes.join("; ");
            format!("no valid answer, {} was refused because {vetoes}", answer.decision())
        }
        Outcome::Answered(answer) => answer.decision(),
    };
    text[..text.floor_char_boundary(SHOWN)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::answer::{Found, Ordered, Proposal, Proposed, Said, Treated, Treatment};
    use crate::policy::question::{Member, Pairs, Question, ReplicasInput};
    use crate::policy::record::By;
    use planner::position::Position;

    fn record(outcome: Outcome) -> Record {
        let member = Member { name: "x-2".to_owned(), ..Member::default() };
        let question = Question::Replicas(ReplicasInput { member, primaries: Vec::new() });
        Record::new(
            &serde_json::Value::Null,
            question,
            outcome,
            By { name: None, version: None, digest: None },
        )
    }

    fn answered(answer: Answer) -> Record {
        record(Outcome::Answered(answer))
    }

    fn failed() -> Record {
        record(Outcome::Failed("it trapped".to_owned()))
    }

    fn refused(record: Record) -> Record {
        Record { vetoes: vec!["it cannot be meant".to_owned()], ..record }
    }

    fn at(number: u64, fact: &str, why: &str) -> Record {
        let facts = Pairs::from([("safe".to_owned(), fact.to_owned())]);
        let reading = Reading::At(Found { position: Position::Ordinal(number), facts });
        answered(Answer::Sequence(Said { reading, why: why.to_owned() }))
    }

    fn read(reading: Reading, why: &str) -> Record {
        answered(Answer::Sequence(Said { reading, why: why.to_owned() }))
    }

    fn seed(proposal: Proposal, why: &str) -> Record {
        answered(Answer::Seed(Proposed { proposal, why: why.to_owned() }))
    }

    fn replica(name: &str, why: &str) -> Record {
        seed(Proposal::Replica(name.to_owned()), why)
    }

    fn order(names: [&str; 2], why: &str) -> Record {
        let ordering = names.map(str::to_owned).to_vec();
        answered(Answer::Primaries(Ordered { ordering, why: why.to_owned() }))
    }

    fn treated(treatment: Treatment, why: &str) -> Record {
        answered(Answer::Replicas(Treated { treatment, why: why.to_owned() }))
    }

    fn follows(name: &str) -> Treatment {
        Treatment::RunSecondary(Some(name.to_owned()))
    }

    #[test]
    fn two_that_decide_the_same_agree_whatever_their_reasons() {
        for (one, other) in [
            (at(7, "1", "a"), at(7, "0", "b")),
            (read(Reading::Empty, "a"), read(Reading::Empty, "b")),
            (read(Reading::Unreadable, "a"), read(Reading::Unreadable, "b")),
            (replica("x-0", "a"), replica("x-0", "b")),
            (seed(Proposal::Refuse, "a"), seed(Proposal::Refuse, "b")),
            (order(["x-0", "x-1"], "a"), order(["x-0", "x-1"], "b")),
            (treated(follows("x-0"), "a"), treated(follows("x-0"), "b")),
            (treated(Treatment::Hold, "a"), treated(Treatment::Hold, "b")),
        ] {
            assert_eq!(compare(&one, &other), Agreement::Agreed, "{one:?}");
        }
    }

    #[test]
    fn two_that_decide_otherwise_disagree_whatever_their_reasons() {
        for (one, other) in [
            (at(7, "", ""), at(8, "", "")),
            (at(7, "", ""), read(Reading::Empty, "")),
            (read(Reading::Empty, ""), read(Reading::Unreadable, "")),
            (replica("x-0", ""), replica("x-1", "")),
            (replica("x-0", ""), seed(Proposal::Refuse, "")),
            (order(["x-0", "x-1"], ""), order(["x-1", "x-0"], "")),
            (treated(follows("x-0"), ""), treated(follows("x-1"), "")),
            (treated(follows("x-0"), ""), treated(Treatment::RunSecondary(None), "")),
            (treated(Treatment::LeaveStopped, ""), treated(Treatment::Hold, "")),
            (failed(), replica("x-1", "")),
            (refused(replica("x-1", "")), replica("x-1", "")),
        ] {
            assert_eq!(compare(&one, &other), Agreement::Disagreed, "{one:?}");
        }
    }

    #[test]
    fn no_valid_answer_is_neither_also_where_there_was_none_before() {
        for decided in [replica("x-0", ""), failed(), refused(replica("x-0", ""))] {
            for candidate in [failed(), refused(replica("x-0", ""))] {
                assert_eq!(compare(&decided, &candidate), Agreement::Failed);
            }
        }
    }

    #[test]
    fn a_difference_is_one_short_line_with_both_answers() {
        let follows = treated(follows("x-0"), "");
        let said = words(&follows, &treated(Treatment::LeaveStopped, ""));
        assert_eq!(said, "replicas of x-2: is left stopped; decided was: runs as secondary of x-0");
        let said = words(&follows, &refused(follows.clone()));
        let none = "no valid answer, runs as secondary of x-0 was refused because it cannot be meant";
        assert_eq!(said, format!("replicas of x-2: {none}; decided was: runs as secondary of x-0"));
        let long = record(Outcome::Failed("é".repeat(4000)));
        assert!(words(&long, &long).len() < 400);
    }
}
