//! One trial: questions are asked, and what their answers show is kept.

use std::collections::BTreeSet;

use super::attempts::Attempt;
use super::{Broken, Conformed, Property, cases};
use crate::policy::answer::{Answer, Found, Proposal, Reading, Said, Treatment};
use crate::policy::belief::{self, Nonsense};
use crate::policy::component::Component;
use crate::policy::failure::Failure;
use crate::policy::interface::Interface;
use crate::policy::question::{Member, PrimariesInput, Question, SeedInput, SequenceInput};

/// Whom a trial asks: one policy, with one kind of settings.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) component: &'a Component,
    pub(super) settings: &'a str,
}

/// What a trial has found so far.
#[derive(Default)]
pub(super) struct Trial {
    questions: u32,
    fuel: u64,
    /// What held where it was looked at.
    pub(super) observed: BTreeSet<(Property, Interface)>,
}

impl Trial {
    /// That all of it was true, as far as it was tried.
    pub(super) fn conformed(&self) -> Conformed {
        Conformed { questions: self.questions, fuel: self.fuel }
    }

    pub(super) fn attempt(&mut self, asked: Asked<'_>, attempt: Attempt) -> Result<(), Box<Broken>> {
        match attempt {
            Attempt::Output(case) => self.output(asked, case),
            Attempt::Orders(interface, members) => self.orders(asked, interface, &members),
            Attempt::Member(input) => self.believed(asked, &Question::Replicas(input)).map(drop),
        }
    }

    fn observe(&mut self, interface: Interface, properties: &[Property]) {
        let concerned = properties.iter().filter(|property| property.concerns(interface));
        self.observed.extend(concerned.map(|property| (*property, interface)));
    }

    fn ask(&mut self, asked: Asked<'_>, question: &Question) -> Result<Answer, Box<Broken>> {
        let ran = asked.component.put_twice(asked.settings, question);
        self.fuel = self.fuel.max(ran.fuel);
        let answer = ran.value.map_err(|failure| {
            let property = match &failure {
                Failure::Disagrees => Property::SameTwice,
                Failure::Nonsense(_) => Property::WellFormed,
                _ => Property::Answers,
            };
            Box::new(Broken { failure: Some(failure.clone()), ..*broken(property, question, &failure) })
        })?;
        self.questions += 1;
        self.observe(question.interface(), &[Property::Answers, Property::SameTwice]);
        Ok(answer)
    }

    fn believed(&mut self, asked: Asked<'_>, question: &Question) -> Result<Answer, Box<Broken>> {
        let answer = self.ask(asked, question)?;
        belief::check(question, &answer)
            .map_err(|nonsense| broken(property(&nonsense), question, &nonsense))?;
        let believed = [Property::NamesAreKnown, Property::OrdersAreWhole, Property::WellFormed];
        self.observe(question.interface(), &believed);
        Ok(answer)
    }

    fn output(&mut self, asked: Asked<'_>, case: cases::Case) -> Result<(), Box<Broken>> {
        let question = Question::Sequence(SequenceInput { output: case.output });
        let answer = self.believed(asked, &question)?;
        let Answer::Sequence(Said { reading, .. }) = answer else { return Ok(()) };
        self.observe(Interface::Sequence, &[case.property]);
        let said = match (case.property, reading) {
            (_, Reading::Unreadable) | (Property::NothingIsNoPosition, Reading::Empty) => return Ok(()),
            (_, Reading::At(Found { position, .. })) => format!("it read {position}"),
            (_, Reading::Empty) => "it read that there is no data".to_owned(),
        };
        Err(broken(case.property, &question, &said))
    }

    fn orders(
        &mut self,
        asked: Asked<'_>,
        interface: Interface,
        members: &[Member],
    ) -> Result<(), Box<Broken>> {
        let mut first: Option<Choice> = None;
        for order in cases::orders(members) {
            let question = match interface {
                Interface::Seed => Question::Seed(SeedInput { candidates: order }),
                _ => Question::Primaries(PrimariesInput { members: order }),
            };
            let choice = Choice::of(self.believed(asked, &question)?);
            if let Some(first) = first.as_ref().filter(|first| **first != choice) {
                let said = format!("{choice:?}, and in another order {first:?}");
                return Err(broken(Property::OrderMeansNothing, &question, &said));
            }
            first = Some(choice);
        }
        self.observe(interface, &[Property::OrderMeansNothing]);
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
