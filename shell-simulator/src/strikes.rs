//! What goes wrong with what the processes of a story do.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What goes wrong with a write, or with a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The process dies just after it.
    Death,
    /// It is refused with this code: nothing happens.
    Refused(u16),
    /// It happens, and the answer is an error, or the stream breaks.
    AnswerLost,
    /// It happens, and there is no answer, nor an end of the stream.
    Unanswered,
    /// The answer is an error at once, and it happens so many seconds later.
    Late(u64),
    /// The process stands still for so many seconds, just before it: then it happens, whoever leads by then.
    Freeze(u64),
}

/// What strikes, each so many effects after the one before, whichever process has them: the one that leads, the one that
/// stood by and took over, or one that came after a death.
#[derive(Clone, Default)]
pub(crate) struct Strikes(Arc<Mutex<Due>>);

#[derive(Default)]
struct Due {
    next: VecDeque<(usize, Trouble)>,
    /// How many effects there were since the last one struck.
    effects: usize,
    /// What struck so far.
    struck: Vec<Trouble>,
}

impl Strikes {
    /// These strike, and what did not yet does no more.
    pub(crate) fn each(&self, troubles: &[(usize, Trouble)]) {
        let mut due = self.due();
        (due.next, due.effects) = (troubles.iter().copied().collect(), 0);
    }

    /// There is one effect more: what strikes at it.
    pub(crate) fn at_effect(&self) -> Option<Trouble> {
        let mut due = self.due();
        due.effects += 1;
        let (after, trouble) = *due.next.front()?;
        if due.effects < after {
            return None;
        }
        due.effects = 0;
        due.next.pop_front();
        due.struck.push(trouble);
        Some(trouble)
    }

    /// What struck so far.
    pub(crate) fn struck(&self) -> Vec<Trouble> {
        self.due().struck.clone()
    }

    fn due(&self) -> MutexGuard<'_, Due> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
