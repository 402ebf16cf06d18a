//! What is remembered of attempts until it stands in Memory.

use super::{Spec, StatusAsker};
use planner::names::{AttemptId, ContainerId};
use planner::observation::{Attempt, AttemptState, Command, Fate};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// How many ended attempts, and how many fates, are kept if nobody forgets them.
const KEPT: usize = 64;

/// So many guarded commands in a row without an answer are no accident.
const UNANSWERED: u32 = 3;

/// After this time another one is tried.
const AGAIN: Duration = Duration::from_secs(30);

/// Why a command was not begun.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotBegun {
    /// One guarded command at a time in each container.
    #[error("attempt {0} is under way in this container")]
    Busy(AttemptId),
    /// It was begun before.
    #[error("attempt {0} was begun before")]
    Known(AttemptId),
}

/// One attempt.
pub(super) struct Entry {
    attempt: Attempt,
    began: Instant,
    /// In which order they ended.
    ended: Option<u64>,
    task: AbortHandle,
}

/// All attempts of one set.
#[derive(Default)]
pub(super) struct Book {
    entries: BTreeMap<AttemptId, Entry>,
    pub(super) fates: BTreeMap<AttemptId, Fate>,
    asking: BTreeSet<AttemptId>,
    ends: u64,
    /// How many guarded commands in a row got no answer in a container, and when the last one did not.
    unanswered: BTreeMap<ContainerId, (u32, Instant)>,
}

// === impl Entry ===

impl Entry {
    pub(super) fn new(attempt: Attempt, task: AbortHandle) -> Self {
        Self { attempt, began: Instant::now(), ended: None, task }
    }

    /// Whether it keeps others out of its container. A start does so only until its member is seen
    /// to be what it was started as: a database in the foreground ends with the database.
    fn is_in_the_way(&self, of: &Spec, asker: &StatusAsker) -> bool {
        self.ended.is_none()
            && self.attempt.container == of.container
            && !asker
                .code_since(&of.container, self.began)
                .is_some_and(|code| confirms(self.attempt.command, code))
    }
}

/// Whether an answer of `status` says that a start did what it was to do.
fn confirms(command: Command, code: i32) -> bool {
    match command {
        Command::Seed | Command::Join | Command::Follow => matches!(code, 0 | 8),
        Command::Promote => code == 8,
        Command::Demote => code == 0,
        Command::Read | Command::Rehearse | Command::Stop | Command::Probe => false,
    }
}

// === impl Book ===

impl Book {
    pub(super) fn may_begin(&self, spec: &Spec, asker: &StatusAsker) -> Result<(), NotBegun> {
        if self.entries.contains_key(&spec.attempt) {
            return Err(NotBegun::Known(spec.attempt.clone()));
        }
        match self.entries.iter().find(|(_, entry)| entry.is_in_the_way(spec, asker)) {
            Some((id, _)) => Err(NotBegun::Busy(id.clone())),
            None => Ok(()),
        }
    }

    pub(super) fn enter(&mut self, id: AttemptId, entry: Entry) {
        self.entries.insert(id, entry);
    }

    pub(super) fn end(&mut self, id: &AttemptId, state: AttemptState, fate: Option<Fate>) {
        if let Some(entry) = self.entries.get_mut(id) {
            let container = entry.attempt.container.clone();
            match state {
                AttemptState::Lost(_) => {
                    let count = self.unanswered.get(&container).map_or(0, |(count, _)| *count);
                    self.unanswered.insert(container, (count.saturating_add(1), Instant::now()));
                }
                _ => _ = self.unanswered.remove(&container),
            }
            entry.attempt.state = state;
            entry.ended = Some(self.ends);
            self.ends += 1;
        }
        if let Some(fate) = fate {
            self.fates.insert(id.clone(), fate);
        }
        self.keep_the_newest();
    }

    /// Whether its fate is to be asked now: not if the same question is under way.
    pub(super) fn asks(&mut self, id: &AttemptId) -> bool {
        self.asking.insert(id.clone())
    }

    pub(super) fn answered(&mut self, id: &AttemptId, fate: Option<Fate>) {
        self.asking.remove(id);
        if let Some(fate) = fate {
            self.fates.insert(id.clone(), fate);
        }
        self.keep_the_newest();
    }

    pub(super) fn snapshot(&self) -> BTreeMap<AttemptId, Attempt> {
        self.entries.iter().map(|(id, entry)| (id.clone(), entry.attempt.clone())).collect()
    }

    /// Containers in which guarded commands get no answer. Forgotten after a while: it may have been
    /// the network, and only another try tells.
    pub(super) fn unanswered(&self) -> BTreeSet<ContainerId> {
        let lasting = |(count, last): &(u32, Instant)| *count >= UNANSWERED && last.elapsed() < AGAIN;
        let all = self.unanswered.iter().filter(|(_, unanswered)| lasting(unanswered));
        all.map(|(container, _)| container.clone()).collect()
    }

    pub(super) fn forget(&mut self, ids: &BTreeSet<AttemptId>) {
        self.entries.retain(|id, entry| entry.ended.is_none() || !ids.contains(id));
        self.fates.retain(|id, _| !ids.contains(id));
    }

    pub(super) fn abandon(&mut self) {
        self.entries.values().for_each(|entry| entry.task.abort());
    }

    fn keep_the_newest(&mut self) {
        let ended = self.entries.values().filter(|entry| entry.ended.is_some()).count();
        if ended > KEPT {
            let oldest = self.entries.iter().filter_map(|(id, entry)| Some((entry.ended?, id.clone()))).min();
            oldest.and_then(|(_, id)| self.entries.remove(&id));
        }
        while self.fates.len() > KEPT {
            self.fates.pop_first();
        }
    }
}
