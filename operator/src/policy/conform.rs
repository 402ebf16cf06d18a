//! What must be true of any policy, tried before it decides anything. It runs under the limits of every call.

mod cases;

use super::answer::{Answer, Found, Proposal, Reading, Said, Treatment};
use super::belief::{self, Nonsense};
use super::component::Component;
use super::failure::Failure;
use super::interface::Interface;
use super::question::{Member, PrimariesInput, Question, ReplicasInput, SeedInput, SequenceInput};

/// What must be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// Every question has an answer, however odd.
    Answers,
    /// The same question has the same answer, for the same fuel.
    SameTwice,
    /// A command that failed says nothing of the data.
    FailureIsUnreadable,
    /// An output that was cut says nothing of the data.
    CutIsUnreadable,
    /// Of an output without a word nobody knows a position.
    NothingIsNoPosition,
    /// An output of noise is unreadable; neither a position nor the lack of data is read from it.
    NoiseIsUnreadable,
    /// Only names that were given come back.
    NamesAreKnown,
    /// An order is of all that were given.
    OrdersAreWhole,
    /// A position or fact is within its bounds.
    WellFormed,
    /// The order in which members are given means nothing.
    OrderMeansNothing,
}

/// A policy of which all of that is true, as far as it was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conformed {
    /// Questions that were asked.
    pub questions: u32,
    /// The most that one of them used, of `limits::FUEL`.
    pub fuel: u64,
}

/// A policy of which one of that is not true.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{property:?} does not hold for {interface}: {detail}", interface = .question.interface())]
pub struct Broken {
    /// What is not true.
    pub property: Property,
    /// The question that shows it.
    pub question: Box<Question>,
    /// How it shows.
    pub detail: String,
}

/// Tries a policy with settings that it accepts.
///
/// # Errors
/// The first property that does not hold, with the question that shows it.
pub fn conform(component: &Component, settings: &str) -> Result<Conformed, Box<Broken>> {
    let mut trial = Trial { component, settings, questions: 0, fuel: 0 };
    let exports = |interface| component.exports().contains(&interface);
    if exports(Interface::Sequence) {
        cases::outputs().into_iter().try_for_each(|case| trial.output(case))?;
    }
    for members in cases::sets() {
        if exports(Interface::Seed) {
            trial.orders(&members, |candidates| Question::Seed(SeedInput { candidates }))?;
        }
        if exports(Interface::Primaries) {
            trial.orders(&members, |members| Question::Primaries(PrimariesInput { members }))?;
        }
        if exports(Interface::Replicas) {
            trial.members(&members)?;
        }
    }
    Ok(Conformed { questions: trial.questions, fuel: trial.fuel })
}

struct Trial<'a> {
    component: &'a Component,
    settings: &'a str,
    questions: u32,
    fuel: u64,
}

impl Trial<'_> {
    fn ask(&mut self, question: &Question) -> Result<Answer, Box<Broken>> {
        let ran = self.component.ask_twice(self.settings, question).map_err(|failure| {
            let property = match &failure {
                Failure::Disagrees => Property::SameTwice,
                Failure::Nonsense(_) => Property::WellFormed,
                _ => Property::Answers,
            };
            broken(property, question, &failure)
        })?;
        self.questions += 1;
        self.fuel = self.fuel.max(ran.fuel);
        Ok(ran.value)
    }

    fn believed(&mut self, question: &Question) -> Result<Answer, Box<Broken>> {
        let answer = self.ask(question)?;
        belief::check(question, &answer)
            .map_err(|nonsense| broken(property(&nonsense), question, &nonsense))?;
        Ok(answer)
    }

    fn output(&mut self, case: cases::Case) -> Result<(), Box<Broken>> {
        let question = Question::Sequence(SequenceInput { output: case.output });
        let answer = self.believed(&question)?;
        let Answer::Sequence(Said { reading, .. }) = answer else { return Ok(()) };
        let said = match (case.property, reading) {
            (_, Reading::Unreadable) | (Property::NothingIsNoPosition, Reading::Empty) => return Ok(()),
            (_, Reading::At(Found { position, .. })) => format!("it read {position}"),
            (_, Reading::Empty) => "it read that there is no data".to_owned(),
        };
        Err(broken(case.property, &question, &said))
    }

    fn orders(
        &mut self,
        members: &[Member],
        question: impl Fn(Vec<Member>) -> Question,
    ) -> Result<(), Box<Broken>> {
        let mut first: Option<Choice> = None;
        for order in cases::orders(members) {
            let question = question(order);
            let choice = Choice::of(self.believed(&question)?);
            if let Some(first) = first.as_ref().filter(|first| **first != choice) {
                let said = format!("{choice:?}, and in another order {first:?}");
                return Err(broken(Property::OrderMeansNothing, &question, &said));
            }
            first = Some(choice);
        }
        Ok(())
    }

    fn members(&mut self, members: &[Member]) -> Result<(), Box<Broken>> {
        let names: Vec<String> = members.iter().map(|member| member.name.clone()).collect();
        for (index, member) in members.iter().enumerate() {
            for primaries in [&names[..0], &names[..index]] {
                let (member, primaries) = (member.clone(), primaries.to_vec());
                self.believed(&Question::Replicas(ReplicasInput { member, primaries }))?;
            }
        }
        Ok(())
    }
}

/// An answer without its reason.
#[derive(Debug, PartialEq, Eq)]
enum Choice {
    Seed(Proposal),
    Order(Vec<String>),
    Treatment(Treatment),
    Other,
}

impl Choice {
    fn of(answer: Answer) -> Self {
        match answer {
            Answer::Seed(proposed) => Self::Seed(proposed.proposal),
            Answer::Primaries(ordered) => Self::Order(ordered.ordering),
            Answer::Replicas(treated) => Self::Treatment(treated.treatment),
            Answer::Sequence(_) | Answer::Check(_) => Self::Other,
        }
    }
}

fn property(nonsense: &Nonsense) -> Property {
    match nonsense {
        Nonsense::OfFailure(_) => Property::FailureIsUnreadable,
        Nonsense::OfCut => Property::CutIsUnreadable,
        Nonsense::Unknown(_) => Property::NamesAreKnown,
        Nonsense::NotAnOrder(_) => Property::OrdersAreWhole,
        _ => Property::WellFormed,
    }
}

fn broken(property: Property, question: &Question, detail: &impl ToString) -> Box<Broken> {
    Box::new(Broken { property, question: Box::new(question.clone()), detail: detail.to_string() })
}
