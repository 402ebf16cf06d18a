//! What must be true of any policy, tried before it decides anything. It runs under the limits of every call.

mod attempts;
mod cases;
mod property;
mod trial;

use std::collections::{BTreeMap, BTreeSet};

use super::component::Component;
use super::failure::Failure;
use super::interface::Interface;
use super::question::Question;
use attempts::attempts;
pub use property::Property;
use trial::Trial;

/// A policy of which all of that is true, as far as it was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conformed {
    /// Questions that were answered.
    pub questions: u32,
    /// The most that one used, of `limits::FUEL`: of those that were answered, and of those for which it was not enough.
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

/// What is found of a policy by one that goes on after what does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// How much was asked.
    pub conformed: Conformed,
    /// What does not hold, by property and interface, each with the first question that shows it.
    pub broken: Vec<Broken>,
    /// What answers showed, and of which interface: nothing is known of a property that is neither here nor broken.
    pub observed: BTreeSet<(Property, Interface)>,
}

/// Tries a policy with settings that it accepts.
///
/// # Errors
/// The first property that does not hold, with the question that shows it.
pub fn conform(component: &Component, settings: &str) -> Result<Conformed, Box<Broken>> {
    let mut trial = Trial::new(component, settings);
    attempts(component).into_iter().try_for_each(|attempt| trial.attempt(attempt))?;
    Ok(Conformed { questions: trial.questions, fuel: trial.fuel })
}

/// Tries the same and goes on after what does not hold, for an author who wants to know all of it. An interface that did
/// not answer is not asked again, so that this takes at most one deadline for each; what it showed before that does not
/// count as observed.
#[must_use]
pub fn survey(component: &Component, settings: &str) -> Surveyed {
    let mut trial = Trial::new(component, settings);
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
            broken.entry((found.property, interface)).or_insert(*found);
        }
    }
    let conformed = Conformed { questions: trial.questions, fuel: trial.fuel };
    let mut observed = trial.observed;
    observed.retain(|(_, interface)| !silent.contains(interface));
    Surveyed { conformed, broken: broken.into_values().collect(), observed }
}
