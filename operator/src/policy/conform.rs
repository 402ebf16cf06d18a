//! What must be true of any policy, tried before it decides anything. It runs under the limits of every call.

mod attempts;
mod cases;
mod property;
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::component::Component;
use super::failure::Failure;
use super::interface::Interface;
use super::question::Question;
use attempts::{Attempt, attempts};
pub use property::Property;
use trial::{Asked, Trial};

/// A policy of which all of that is true, as far as it was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conformed {
    /// Questions that were answered.
    pub questions: u32,
    /// The most that one used, of `limits::FUEL`, answered or not.
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

/// A trial of which a part is done.
pub struct Underway {
    component: Arc<Component>,
    settings: Arc<str>,
    left: std::vec::IntoIter<Attempt>,
    trial: Trial,
    took: Duration,
}

/// How far a trial has come.
pub enum Progress {
    /// There is more to be tried.
    More(Box<Underway>),
    /// It is over: all of it is true, or the first property is found that does not hold.
    Done(Result<Conformed, Box<Broken>>),
}

impl Underway {
    /// The trial of a policy with settings that it accepts.
    #[must_use]
    pub fn new(component: Arc<Component>, settings: &str) -> Self {
        let left = attempts(&component).into_iter();
        Self { component, settings: settings.into(), left, trial: Trial::default(), took: Duration::ZERO }
    }

    /// Goes on for so long, and to the end of what is tried at that moment; at least one thing is tried.
    #[must_use]
    pub fn go_on(mut self, slice: Duration) -> Progress {
        let (begun, asked) = (Instant::now(), Asked { component: &self.component, settings: &self.settings });
        for attempt in self.left.by_ref() {
            if let Err(broken) = self.trial.attempt(asked, attempt) {
                return Progress::Done(Err(broken));
            }
            if begun.elapsed() >= slice {
                self.took += begun.elapsed();
                return Progress::More(Box::new(self));
            }
        }
        Progress::Done(Ok(self.trial.conformed()))
    }

    /// For how long it has been tried in all.
    #[must_use]
    pub fn took(&self) -> Duration {
        self.took
    }
}

/// Tries a policy with settings that it accepts.
///
/// # Errors
/// The first property that does not hold, with the question that shows it.
pub fn conform(component: &Component, settings: &str) -> Result<Conformed, Box<Broken>> {
    let (mut trial, asked) = (Trial::default(), Asked { component, settings });
    attempts(component).into_iter().try_for_each(|attempt| trial.attempt(asked, attempt))?;
    Ok(trial.conformed())
}

/// Tries the same and goes on after what does not hold, for an author who wants to know all of it. An interface that did
/// not answer is not asked again, so that this takes at most one deadline for each; what it showed before that does not
/// count as observed.
#[must_use]
pub fn survey(component: &Component, settings: &str) -> Surveyed {
    let (mut trial, asked) = (Trial::default(), Asked { component, settings });
    let mut broken = BTreeMap::new();
    let mut silent = BTreeSet::new();
    for attempt in attempts(component) {
        let interface = attempt.interface();
        if silent.contains(&interface) {
            continue;
        }
        if let Err(found) = trial.attempt(asked, attempt) {
            if found.property == Property::Answers {
                silent.insert(interface);
            }
            broken.entry((found.property, interface)).or_insert(*found);
        }
    }
    let conformed = trial.conformed();
    let mut observed = trial.observed;
    observed.retain(|(_, interface)| !silent.contains(interface));
    Surveyed { conformed, broken: broken.into_values().collect(), observed }
}
