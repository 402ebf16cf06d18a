//! The commands of one life of an operator, and what came back.

use planner::Observation;
use planner::names::AttemptId;
use planner::observation::{Attempt, AttemptState, Fate};
use std::collections::{BTreeMap, BTreeSet};

/// How long a command that was seen to have begun is left alone, in milliseconds.
const BEGAN: u64 = 2000;

/// A reply to one life of an operator.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    pub(crate) to: (usize, u64),
    pub(crate) attempt: AttemptId,
    pub(crate) letter: Letter,
}

/// What it says.
#[derive(Clone, Debug)]
pub(crate) enum Letter {
    /// How the attempt stands.
    State(AttemptState),
    /// What became of it.
    Fate(Fate),
    /// The question was not answered.
    NoFate,
}

/// What is remembered of commands until it stands in Memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Book {
    pub(super) attempts: BTreeMap<AttemptId, Attempt>,
    pub(super) fates: BTreeMap<AttemptId, Fate>,
    asking: BTreeSet<AttemptId>,
    began: BTreeMap<AttemptId, u64>,
}

impl Book {
    pub(super) fn open(&mut self, envelope: Envelope) {
        let attempt = envelope.attempt;
        match envelope.letter {
            Letter::State(state) => {
                if let Some(known) = self.attempts.get_mut(&attempt) {
                    known.state = state;
                }
            }
            Letter::Fate(fate) => {
                self.asking.remove(&attempt);
                self.fates.insert(attempt, fate);
            }
            Letter::NoFate => {
                self.asking.remove(&attempt);
            }
        }
    }

    /// Whether the question is new.
    pub(super) fn asks(&mut self, attempt: &AttemptId) -> bool {
        self.asking.insert(attempt.clone())
    }

    /// Whether the look had something that will not be there in the next.
    pub(super) fn has_news(&self, observation: &Observation) -> bool {
        observation.attempts.values().any(|attempt| attempt.state != AttemptState::Running)
            || !observation.fates.is_empty()
    }

    /// What ended and stands in Memory is dropped: seen again it would be taken for news.
    pub(super) fn forget(&mut self, observation: &Observation, now: u64) {
        for (id, attempt) in &observation.attempts {
            if attempt.state != AttemptState::Running {
                self.attempts.remove(id);
            }
        }
        self.began.retain(|id, _| observation.fates.get(id) == Some(&Fate::Began));
        for (id, fate) in &observation.fates {
            let since = *self.began.entry(id.clone()).or_insert(now);
            if *fate != Fate::Began || now - since >= BEGAN {
                self.fates.remove(id);
                self.began.remove(id);
            }
        }
    }
}
