//! What must be true of any policy, tried before it decides anything. It runs under the limits of every call.

mod attempts;
mod cases;
mod property;

use std::collections::{BTreeMap, BTreeSet};

use super::answer::{Answer, Found, Proposal, Reading, Said, Treatment};
use super::belief::{self, Nonsense};
use super::component::Component;
use super::failure::Failure;
use super::interface::Interface;
use super::question::{Member, PrimariesInput, Question, SeedInput, SequenceInput};
use attempts::{Attempt, attempts};
pub use property::Property;

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
    /// Why there was no answer, if that is how.
    pub failure: Option<Failure>,
}

/// Tries a policy with settings that it accepts.
///
/// # Errors
/// The first property that does not hold, with the question that shows it.
pub fn conform(component: &Component, settings: &str) -> Result<Conformed, Box<Broken>> {
    let mut trial = Trial { component, settings, questions: 0, fuel: 0 };
    attempts(component).into_iter().try_for_each(|attempt| trial.attempt(attempt))?;
    Ok(Conformed { questions: trial.questions, fuel: trial.fuel })
}

/// Tries the same and goes on after what does not hold, for an author who wants to know all of it: each property that
/// does not hold, with the first question that shows it. An interface that did not answer is not asked again, so that
/// this takes at most one deadline for each.
#[must_use]
pub fn survey(component: &Component, settings: &str) -> (Conformed, Vec<Broken>) {
    let mut trial = Trial { component, settings, questions: 0, fuel: 0 };
    let mut broken = BTreeMap::new();
    let mut silent = BTreeSet::new();
    for attempt in attempts(component) {
        let interface = attempt.interface();
        if silent.contains(&interface) {
            continue;
        }
        if let Err(found) = trial.attempt(attempt) {
            if found.property == Property::Answers {
                silent.insert(interface);
            }
            broken.entry(found.property).or_insert(*found);
        }
    }
    (Conformed { questions: trial.questions, fuel: trial.fuel }, broken.into_values().collect())
}

struct Trial<'a> {
    component: &'a Component,
    settings: &'a str,
    questions: u32,
    fuel: u64,
}

impl Trial<'_> {
    fn attempt(&mut self, attempt: Attempt) -> Result<(), Box<Broken>> {
        match attempt {
            Attempt::Output(case) => self.output(case),
            Attempt::Orders(interface, members) => self.orders(interface, &members),
            Attempt::Member(input) => self.believed(&Question::Replicas(input)).map(drop),
        }
    }

    fn ask(&mut self, question: &Question) -> Result<Answer, Box<Broken>> {
        let ran = self.component.ask_twice(self.settings, question).map_err(|failure| {
            let property = match &failure {
                Failure::Disagrees => Property::SameTwice,
                Failure::Nonsense(_) => Property::WellFormed,
                _ => Property::Answers,
            };
            Box::new(Broken { failure: Some(failure.clone()), ..*broken(property, question, &failure) })
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

    fn orders(&mut self, interface: Interface, members: &[Member]) -> Result<(), Box<Broken>> {
        let mut first: Option<Choice> = None;
        for order in cases::orders(members) {
            let question = match interface {
                Interface::Seed => Question::Seed(SeedInput { candidates: order }),
                _ => Question::Primaries(PrimariesInput { members: order }),
            };
            let choice = Choice::of(self.believed(&question)?);
            if let Some(first) = first.as_ref().filter(|first| **first != choice) {
                let said = format!("{choice:?}, and in another order {first:?}");
                return Err(broken(Property::OrderMeansNothing, &question, &said));
            }
            first = Some(choice);
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
    let question = Box::new(question.clone());
    Box::new(Broken { property, question, detail: detail.to_string(), failure: None })
}
