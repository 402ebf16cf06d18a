//! What the host believes of an answer, whichever policy gave it.

use std::collections::BTreeSet;

use planner::position::{History, Interval, Position};

use super::answer::{Answer, Found, Ordered, Proposal, Reading, Said, Treatment};
use super::limits;
use super::question::{Member, Output, Pairs, Question};
use super::why::cut;

/// Why an answer is not believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Nonsense {
    /// Data was seen in what a failed command printed.
    #[error("a command that ended with {0} does not say what the data holds")]
    OfFailure(i32),
    /// Data was seen in an output that is not whole.
    #[error("an output that was cut does not say what the data holds")]
    OfCut,
    /// An interval that ends before it begins.
    #[error("the interval {}-{} of {of:?} ends before it begins", .interval.first, .interval.last)]
    Reversed {
        /// Of which source.
        of: String,
        /// Which.
        interval: Interval,
    },
    /// Intervals that are not one set in one way of writing.
    #[error("the intervals of {0:?} are not in order, or overlap, or touch")]
    NotApart(String),
    /// A source without a name, or with a long one.
    #[error("a source's name has {0} bytes; 1 to {max} are right", max = limits::SOURCE)]
    SourceName(usize),
    /// One source twice.
    #[error("the source {0:?} is there twice")]
    SourceTwice(String),
    /// More intervals than a history may have, of all sources.
    #[error("the history has {0} intervals; at most {max} are right", max = limits::INTERVALS)]
    Intervals(usize),
    /// More bytes than a history may have.
    #[error("the history has {0} bytes as text; at most {max} are right", max = limits::HISTORY)]
    Length(usize),
    /// More facts than a reading may have, or longer ones, or one twice.
    #[error(
        "the facts are more than {} or one is longer than {} bytes or there twice",
        limits::FACTS,
        limits::FACT
    )]
    Facts,
    /// A name that was not given.
    #[error("{0:?} is none of those that were given")]
    Unknown(String),
    /// Not each name once.
    #[error("it is not an order of those that were given: {0:?} is missing or there twice")]
    NotAnOrder(String),
    /// An answer to something else.
    #[error("it does not answer what was asked")]
    OffTopic,
}

impl Nonsense {
    /// What is wrong, without the values in which two answers with the same fault differ.
    pub(super) fn fault(&self) -> String {
        match self {
            Self::Reversed { .. } => "an interval ends before it begins".to_owned(),
            Self::NotApart(_) => "intervals are not in order, or overlap, or touch".to_owned(),
            Self::SourceName(_) => format!("a source's name has not 1 to {} bytes", limits::SOURCE),
            Self::SourceTwice(_) => "a source is there twice".to_owned(),
            Self::Intervals(_) => format!("the history has more than {} intervals", limits::INTERVALS),
            Self::Length(_) => format!("the history has more than {} bytes as text", limits::HISTORY),
            Self::OfFailure(_) | Self::OfCut | Self::Facts | Self::OffTopic => self.to_string(),
            Self::Unknown(_) | Self::NotAnOrder(_) => self.to_string(),
        }
    }
}

/// Whether an answer can be believed.
///
/// # Errors
/// The first thing that cannot be meant.
pub fn check(question: &Question, answer: &Answer) -> Result<(), Nonsense> {
    match (question, answer) {
        (Question::Sequence(input), Answer::Sequence(said)) => reading(&input.output, said),
        (Question::Seed(input), Answer::Seed(proposed)) => match &proposed.proposal {
            Proposal::Replica(name) => known(name, names(&input.candidates)),
            Proposal::Refuse => Ok(()),
        },
        (Question::Primaries(input), Answer::Primaries(ordered)) => order(&input.members, ordered),
        (Question::Replicas(input), Answer::Replicas(treated)) => match &treated.treatment {
            Treatment::RunSecondary(Some(name)) => known(name, input.primaries.iter().map(String::as_str)),
            Treatment::RunSecondary(None) | Treatment::LeaveStopped | Treatment::Hold => Ok(()),
        },
        (Question::Check, Answer::Check(_)) => Ok(()),
        _ => Err(Nonsense::OffTopic),
    }
}

/// That there is no data is as much to be read from the output as a position is.
fn reading(output: &Output, said: &Said) -> Result<(), Nonsense> {
    match &said.reading {
        Reading::Unreadable => Ok(()),
        _ if output.exit_code != 0 => Err(Nonsense::OfFailure(output.exit_code)),
        _ if output.truncated => Err(Nonsense::OfCut),
        Reading::Empty => Ok(()),
        Reading::At(Found { position, facts: told }) => {
            facts(told)?;
            match position {
                Position::Ordinal(_) => Ok(()),
                Position::History(told) => history(told),
            }
        }
    }
}

fn history(told: &History) -> Result<(), Nonsense> {
    let History(sources) = told;
    let intervals = sources.values().map(Vec::len).sum::<usize>();
    if intervals > limits::INTERVALS {
        return Err(Nonsense::Intervals(intervals));
    }
    sources.iter().try_for_each(|(source, list)| {
        if source.is_empty() || source.len() > limits::SOURCE {
            return Err(Nonsense::SourceName(source.len()));
        }
        if let Some(interval) = list.iter().find(|i| i.last < i.first) {
            return Err(Nonsense::Reversed { of: source.clone(), interval: *interval });
        }
        let apart = |pair: &[Interval]| pair[1].first > pair[0].last.saturating_add(1);
        list.windows(2).all(apart).then_some(()).ok_or_else(|| Nonsense::NotApart(source.clone()))
    })?;
    match told.to_string().len() {
        length if length > limits::HISTORY => Err(Nonsense::Length(length)),
        _ => Ok(()),
    }
}

fn facts(told: &Pairs) -> Result<(), Nonsense> {
    let short = told.iter().all(|(name, value)| name.len() <= limits::FACT && value.len() <= limits::FACT);
    (short && told.len() <= limits::FACTS).then_some(()).ok_or(Nonsense::Facts)
}

fn names(members: &[Member]) -> impl Iterator<Item = &str> {
    members.iter().map(|member| member.name.as_str())
}

fn known<'a>(name: &str, mut given: impl Iterator<Item = &'a str>) -> Result<(), Nonsense> {
    given.any(|one| one == name).then_some(()).ok_or_else(|| Nonsense::Unknown(cut(name)))
}

fn order(members: &[Member], Ordered { ordering, .. }: &Ordered) -> Result<(), Nonsense> {
    let given: BTreeSet<&str> = names(members).collect();
    let mut seen = BTreeSet::new();
    for name in ordering {
        if !given.contains(name.as_str()) {
            return Err(Nonsense::Unknown(cut(name)));
        }
        if !seen.insert(name.as_str()) {
            return Err(Nonsense::NotAnOrder(cut(name)));
        }
    }
    match given.difference(&seen).next() {
        Some(missing) => Err(Nonsense::NotAnOrder(cut(missing))),
        None => Ok(()),
    }
}

/// The answer with no more of its reasons than is kept.
pub(super) fn bounded(mut answer: Answer) -> Answer {
    let why = match &mut answer {
        Answer::Sequence(said) => &mut said.why,
        Answer::Seed(proposed) => &mut proposed.why,
        Answer::Primaries(ordered) => &mut ordered.why,
        Answer::Replicas(treated) => &mut treated.why,
        Answer::Check(checked) => {
            checked.problems.truncate(limits::PROBLEMS);
            for problem in &mut checked.problems {
                problem.path = cut(&problem.path);
                problem.message = cut(&problem.message);
            }
            return answer;
        }
    };
    *why = cut(why);
    answer
}
