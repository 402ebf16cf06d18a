//! The values of the contract, as they are here and as bindgen has them: each interface has its own.

use std::collections::BTreeMap;

use planner::position::{History, Interval, Position};

use super::answer::{Answer, Found, Ordered, Problem, Proposal, Proposed, Reading, Said, Treated, Treatment};
use super::belief::Nonsense;
use super::bindings::{metadata, primaries, replicas, seed, sequence};
use super::question::{Member, Output, Pairs};

use super::why::cut;
use metadata::exports::clusterlabs::policy::metadata as of_metadata;
use sequence::exports::clusterlabs::policy::sequence as of_sequence;

pub(super) fn output(output: &Output) -> of_sequence::Output {
    let Output { replica, exit_code, stdout, stderr, truncated, extra } = output;
    of_sequence::Output {
        replica: replica.clone(),
        exit_code: *exit_code,
        stdout: stdout.clone(),
        stderr: stderr.clone(),
        truncated: *truncated,
        extra: list(extra),
    }
}

/// A member as the interface `$module` has it, made by `$name`.
macro_rules! member {
    ($name:ident, $module:ident) => {
        pub(super) fn $name(member: &Member) -> $module::exports::clusterlabs::policy::$module::Candidate {
            use $module::exports::clusterlabs::policy::$module as wit;
            let Member { name, ordinal, created_at, position, facts, extra } = member;
            let interval = |one: &Interval| wit::Interval { first: one.first, last: one.last };
            let source = |(name, intervals): (&String, &Vec<Interval>)| wit::Source {
                name: name.clone(),
                intervals: intervals.iter().map(interval).collect(),
            };
            wit::Candidate {
                name: name.clone(),
                ordinal: *ordinal,
                created_at: *created_at,
                position: position.as_ref().map(|position| match position {
                    Position::Ordinal(number) => wit::Position::Ordinal(*number),
                    Position::History(History(sources)) => {
                        wit::Position::History(sources.iter().map(source).collect())
                    }
                }),
                facts: list(facts),
                extra: list(extra),
            }
        }
    };
}

member!(of_seed, seed);
member!(of_primaries, primaries);
member!(of_replicas, replicas);

/// In the order of their names, so that the same pairs are the same list.
fn list(pairs: &Pairs) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
}

pub(super) fn said(answer: of_sequence::Answer) -> Result<Answer, Nonsense> {
    let reading = match answer.reading {
        of_sequence::Reading::At(found) => {
            Reading::At(Found { position: position(found.position)?, facts: pairs(found.facts)? })
        }
        of_sequence::Reading::Empty => Reading::Empty,
        of_sequence::Reading::Unreadable => Reading::Unreadable,
    };
    Ok(Answer::Sequence(Said { reading, why: answer.why }))
}

fn position(position: of_sequence::Position) -> Result<Position, Nonsense> {
    let sources = match position {
        of_sequence::Position::Ordinal(number) => return Ok(Position::Ordinal(number)),
        of_sequence::Position::History(sources) => sources,
    };
    let mut history = BTreeMap::new();
    for of_sequence::Source { name, intervals } in sources {
        let intervals = intervals.iter().map(|i| Interval { first: i.first, last: i.last }).collect();
        if history.insert(name.clone(), intervals).is_some() {
            return Err(Nonsense::SourceTwice(cut(&name)));
        }
    }
    Ok(Position::History(History(history)))
}

/// A name that is there twice has two values, and neither is the right one.
fn pairs(list: Vec<(String, String)>) -> Result<Pairs, Nonsense> {
    let mut pairs = Pairs::new();
    for (name, value) in list {
        if pairs.insert(name, value).is_some() {
            return Err(Nonsense::Facts);
        }
    }
    Ok(pairs)
}

pub(super) fn proposed(answer: seed::exports::clusterlabs::policy::seed::Answer) -> Result<Answer, Nonsense> {
    use seed::exports::clusterlabs::policy::seed::Proposal as Wit;
    let proposal = match answer.proposal {
        Wit::Replica(name) => Proposal::Replica(name),
        Wit::Refuse => Proposal::Refuse,
    };
    Ok(Answer::Seed(Proposed { proposal, why: answer.why }))
}

pub(super) fn ordered(
    answer: primaries::exports::clusterlabs::policy::primaries::Answer,
) -> Result<Answer, Nonsense> {
    Ok(Answer::Primaries(Ordered { ordering: answer.ordering, why: answer.why }))
}

pub(super) fn treated(
    answer: replicas::exports::clusterlabs::policy::replicas::Answer,
) -> Result<Answer, Nonsense> {
    use replicas::exports::clusterlabs::policy::replicas::Treatment as Wit;
    let treatment = match answer.treatment {
        Wit::RunSecondary(follow) => Treatment::RunSecondary(follow),
        Wit::LeaveStopped => Treatment::LeaveStopped,
        Wit::Hold => Treatment::Hold,
    };
    Ok(Answer::Replicas(Treated { treatment, why: answer.why }))
}

pub(super) fn problems(problems: Vec<of_metadata::Problem>) -> Vec<Problem> {
    problems.into_iter().map(|problem| Problem { path: problem.path, message: problem.message }).collect()
}
