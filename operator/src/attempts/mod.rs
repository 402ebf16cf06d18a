//! Commands under way in the containers of one set. Nothing waits for them: each runs in a task of
//! its own, and its end wakes the set. They die with the leader; nothing in a container is killed,
//! and the guard keeps what was sent late from doing harm.

mod answer;
mod book;
mod course;
mod patience;
mod slot;
mod status;
#[cfg(test)]
mod tests;

pub use book::NotBegun;
pub use patience::Patience;
pub use status::StatusAsker;

use crate::exec::{ContainerRef, Exec};
use book::{Book, Entry};
use planner::names::{AttemptId, ContainerId, PodUid};
use planner::observation::{Attempt, AttemptState, Command, Fate};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Makes the set be looked at again.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// A guarded command to be begun.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Where it is sent.
    pub place: ContainerRef,
    /// The only pod that it may begin in.
    pub pod: PodUid,
    /// The container that was seen there.
    pub container: ContainerId,
    /// The name under which it begins at most once.
    pub attempt: AttemptId,
    /// What it is.
    pub command: Command,
    /// Program and arguments, peers included; of a `Probe` it is not looked at.
    pub argv: Vec<String>,
    /// The mount whose lock it takes first.
    pub lock: Option<String>,
    /// `Run::starts` of its step.
    pub starts: u64,
    /// `Run::at_rest` of its step.
    pub at_rest: bool,
    /// The epoch that it is told.
    pub epoch: u64,
    /// How long it may take.
    pub timeout: Duration,
}

/// An attempt whose fate is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// Where.
    pub place: ContainerRef,
    /// The pod that it was meant for.
    pub pod: PodUid,
    /// Which.
    pub attempt: AttemptId,
}

/// The commands of one set.
pub struct Attempts {
    shared: Arc<Shared>,
    asker: StatusAsker,
}

struct Shared {
    exec: Arc<dyn Exec>,
    wake: Wake,
    patience: Patience,
    book: Mutex<Book>,
    statuses: Arc<status::Shared>,
}

// === impl Attempts ===

impl Attempts {
    /// None yet.
    #[must_use]
    pub fn new(exec: Arc<dyn Exec>, wake: Wake) -> Self {
        Self::patient(exec, wake, Patience::default())
    }

    fn patient(exec: Arc<dyn Exec>, wake: Wake, patience: Patience) -> Self {
        let asker = StatusAsker::new(Arc::clone(&exec), Arc::clone(&wake), patience);
        let (book, statuses) = (Mutex::default(), asker.shared());
        Self { shared: Arc::new(Shared { exec, wake, patience, book, statuses }), asker }
    }

    /// Who asks the members of this set for their status.
    #[must_use]
    pub fn asker(&self) -> &StatusAsker {
        &self.asker
    }

    /// Begins a guarded command, and returns at once.
    ///
    /// # Errors
    /// If its container is busy with another, or it was begun before.
    pub fn begin(&self, spec: Spec) -> Result<(), NotBegun> {
        let mut book = self.shared.book();
        book.may_begin(&spec, &self.asker)?;
        self.shared.void(&spec);
        let attempt = Attempt {
            replica: spec.place.pod.clone(),
            pod: spec.pod.clone(),
            container: spec.container.clone(),
            command: spec.command,
            locked: spec.lock.is_some(),
            starts: spec.starts,
            at_rest: spec.at_rest,
            state: AttemptState::Running,
        };
        let id = spec.attempt.clone();
        // The book is locked until the entry stands in it, so that the end finds it there.
        let task = tokio::spawn(Arc::clone(&self.shared).follow(spec));
        book.enter(id, Entry::new(attempt, task.abort_handle()));
        Ok(())
    }

    /// Asks what became of an attempt, and sees to it that it never begins if it has not. The answer
    /// wakes the set; if none can be had, nothing does: the step is planned again.
    pub fn ask_fate(&self, question: Question) {
        if self.shared.book().asks(&question.attempt) {
            tokio::spawn(Arc::clone(&self.shared).ask(question));
        }
    }

    /// How each attempt stands.
    #[must_use]
    pub fn snapshot(&self) -> BTreeMap<AttemptId, Attempt> {
        self.shared.book().snapshot()
    }

    /// What is known of the fates that were asked.
    #[must_use]
    pub fn fates(&self) -> BTreeMap<AttemptId, Fate> {
        self.shared.book().fates.clone()
    }

    /// Containers in which guarded commands get no answer, again and again.
    #[must_use]
    pub fn unanswered(&self) -> BTreeSet<ContainerId> {
        self.shared.book().unanswered()
    }

    /// Drops what has ended and was taken into Memory.
    pub fn forget(&self, ids: &BTreeSet<AttemptId>) {
        self.shared.book().forget(ids);
    }
}

impl Drop for Attempts {
    fn drop(&mut self) {
        self.shared.book().abandon();
    }
}

// === impl Shared ===

impl Shared {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn follow(self: Arc<Self>, spec: Spec) {
        let (state, fate) = course::run(&*self.exec, &spec, &self.patience).await;
        self.void(&spec);
        self.book().end(&spec.attempt, state, fate);
        (self.wake)();
    }

    async fn ask(self: Arc<Self>, question: Question) {
        let trace = course::ask(&*self.exec, &question, &self.patience).await;
        let fate = trace.and_then(crate::guard::Trace::fate);
        self.book().answered(&question.attempt, fate);
        if fate.is_some() {
            (self.wake)();
        }
    }

    /// What a member says of itself while a command that changes it begins or ends is of neither
    /// before nor after.
    fn void(&self, spec: &Spec) {
        if !(spec.command.is_sequence() || spec.command == Command::Probe) {
            self.statuses.void(&spec.container);
        }
    }
}
