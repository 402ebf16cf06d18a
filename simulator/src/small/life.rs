//! What one operator process has in mind, and what came back of the commands that it sent.

use super::enact::Effect;
use planner::names::{AttemptId, ContainerId};
use planner::observation::{Attempt, AttemptState, Fate, Observation};
use planner::{Memory, Step};
use std::collections::{BTreeMap, BTreeSet};

/// One operator process; what it has in mind ends with it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Life {
    pub(crate) attempts: BTreeMap<AttemptId, Attempt>,
    pub(crate) fates: BTreeMap<AttemptId, Fate>,
    pub(crate) asking: BTreeSet<AttemptId>,
    pub(crate) terminated: BTreeSet<ContainerId>,
    pub(crate) queue: Vec<Effect>,
    /// The world has moved since the look whose effects are due.
    pub(crate) stale: bool,
    /// Members that served at that look.
    pub(crate) served: BTreeSet<usize>,
}

/// What comes back.
#[derive(Clone, Debug)]
pub(crate) enum Letter {
    State(AttemptState),
    Fate(Fate),
    NoFate,
}

impl Life {
    pub(crate) fn hear(&mut self, attempt: AttemptId, letter: Letter) {
        match letter {
            Letter::State(state) => {
                self.attempts.get_mut(&attempt).into_iter().for_each(|known| known.state = state.clone());
            }
            Letter::Fate(fate) => {
                self.asking.remove(&attempt);
                self.fates.insert(attempt, fate);
            }
            Letter::NoFate => _ = self.asking.remove(&attempt),
        }
    }

    /// Containers that ended matter while something is open in them.
    pub(crate) fn remember(&mut self, seen: &Observation, memory: &Memory) {
        let mut open = memory.holders.values().flat_map(|record| &record.open);
        let matters = |id: &&ContainerId| open.any(|start| start.container == **id);
        self.terminated = seen.terminated.iter().filter(matters).cloned().collect();
    }

    /// What the look saw of commands that is over.
    pub(crate) fn known(&self, seen: &Observation) -> BTreeSet<AttemptId> {
        let over = seen.attempts.iter().filter(|(_, attempt)| attempt.state != AttemptState::Running);
        let fates = seen.fates.iter().filter(|(_, fate)| **fate != Fate::Began);
        over.map(|(id, _)| id.clone()).chain(fates.map(|(id, _)| id.clone())).collect()
    }

    /// That a command began is asked again when there is something new to hear.
    pub(crate) fn knows(&self, step: &Step) -> bool {
        let Step::Revoke { attempt, .. } = step else { return false };
        self.asking.contains(attempt) || self.fates.get(attempt) == Some(&Fate::Began)
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.attempts.is_empty()
            && self.fates.is_empty()
            && self.asking.is_empty()
            && self.terminated.is_empty()
            && self.queue.is_empty()
    }
}
