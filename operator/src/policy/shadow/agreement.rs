//! Whether two answers are the same decision.

use crate::policy::answer::{Answer, Proposal, Reading, Treatment};
use crate::policy::question::Question;
use crate::policy::record::Outcome;

/// Bytes of an answer that are shown: a position may have very many.
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

/// Compares what was decided with what the candidate made of it.
pub(super) fn compare(decided: &Outcome, candidate: &Outcome) -> Agreement {
    match (decided, candidate) {
        (_, Outcome::Failed(_)) => Agreement::Failed,
        (Outcome::Answered(one), Outcome::Answered(other)) if is_same(one, other) => Agreement::Agreed,
        (_, Outcome::Answered(_)) => Agreement::Disagreed,
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
pub(super) fn words(question: &Question, decided: &Outcome, candidate: &Outcome) -> String {
    let about = question.subject().map(|subject| format!(" of {subject}")).unwrap_or_default();
    let (kind, said, was) = (question.interface().name(), outcome(candidate), outcome(decided));
    format!("{kind}{about}: {said}; decided was: {was}")
}

fn outcome(outcome: &Outcome) -> String {
    let text = match outcome {
        Outcome::Failed(why) => format!("no valid answer, {why}"),
        Outcome::Answered(answer) => decision(answer),
    };
    text[..text.floor_char_boundary(SHOWN)].to_owned()
}

fn decision(answer: &Answer) -> String {
    match answer {
        Answer::Sequence(said) => match &said.reading {
            Reading::At(found) => found.position.to_string(),
            Reading::Empty => "no data".to_owned(),
            Reading::Unreadable => "unreadable".to_owned(),
        },
        Answer::Seed(proposed) => match &proposed.proposal {
            Proposal::Replica(name) => name.clone(),
            Proposal::Refuse => "nobody".to_owned(),
        },
        Answer::Primaries(ordered) => ordered.ordering.join(", "),
        Answer::Replicas(treated) => match &treated.treatment {
            Treatment::RunSecondary(Some(leader)) => format!("runs as secondary of {leader}"),
            Treatment::RunSecondary(None) => "runs as secondary".to_owned(),
            Treatment::LeaveStopped => "is left stopped".to_owned(),
            Treatment::Hold => "waits".to_owned(),
        },
        Answer::Check(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::answer::{Found, Ordered, Proposed, Said, Treated};
    use crate::policy::question::{Member, Pairs, ReplicasInput};
    use planner::position::Position;

    fn answered(answer: Answer) -> Outcome {
        Outcome::Answered(answer)
    }

    fn at(number: u64, fact: &str, why: &str) -> Outcome {
        let facts = Pairs::from([("safe".to_owned(), fact.to_owned())]);
        let reading = Reading::At(Found { position: Position::Ordinal(number), facts });
        answered(Answer::Sequence(Said { reading, why: why.to_owned() }))
    }

    fn read(reading: Reading, why: &str) -> Outcome {
        answered(Answer::Sequence(Said { reading, why: why.to_owned() }))
    }

    fn seed(proposal: Proposal, why: &str) -> Outcome {
        answered(Answer::Seed(Proposed { proposal, why: why.to_owned() }))
    }

    fn replica(name: &str, why: &str) -> Outcome {
        seed(Proposal::Replica(name.to_owned()), why)
    }

    fn order(names: [&str; 2], why: &str) -> Outcome {
        let ordering = names.map(str::to_owned).to_vec();
        answered(Answer::Primaries(Ordered { ordering, why: why.to_owned() }))
    }

    fn treated(treatment: Treatment, why: &str) -> Outcome {
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
            (Outcome::Failed("it trapped".to_owned()), replica("x-1", "")),
        ] {
            assert_eq!(compare(&one, &other), Agreement::Disagreed, "{one:?}");
        }
    }

    #[test]
    fn no_valid_answer_is_neither_also_where_there_was_none_before() {
        let failed = Outcome::Failed("it trapped".to_owned());
        for decided in [replica("x-0", ""), failed.clone()] {
            assert_eq!(compare(&decided, &failed), Agreement::Failed);
        }
    }

    #[test]
    fn a_difference_is_one_short_line_with_both_answers() {
        let member = Member { name: "x-2".to_owned(), ..Member::default() };
        let question = Question::Replicas(ReplicasInput { member, primaries: Vec::new() });
        let said = words(&question, &treated(follows("x-0"), ""), &treated(Treatment::LeaveStopped, ""));
        assert_eq!(said, "replicas of x-2: is left stopped; decided was: runs as secondary of x-0");
        let long = Outcome::Failed("é".repeat(4000));
        assert!(words(&question, &long, &long).len() < 400);
    }
}
