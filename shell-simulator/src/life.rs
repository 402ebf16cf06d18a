//! One process of the operator: what it did, and what goes wrong with one thing that it does.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use crate::watches::Watches;

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

/// One process of the operator.
pub struct Life {
    done: Mutex<Done>,
    pulse: watch::Sender<Pulse>,
    watches: Watches,
    told: AtomicUsize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pulse {
    Alive,
    Frozen,
    Dead,
}

#[derive(Default)]
struct Done {
    effects: Vec<String>,
    /// What strikes at the effect of which number, counted from 1.
    strikes: Option<(usize, Trouble)>,
}

impl Life {
    pub(crate) fn new(watches: &Watches) -> Self {
        Self {
            done: Mutex::default(),
            pulse: watch::Sender::new(Pulse::Alive),
            watches: watches.clone(),
            told: AtomicUsize::new(0),
        }
    }

    fn done(&self) -> MutexGuard<'_, Done> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while it stands still, and for ever once it is dead: nothing that it asks for happens, and nothing is heard.
    pub(crate) async fn lives(&self) {
        // The sender is its own.
        let _ = self.pulse.subscribe().wait_for(|pulse| *pulse == Pulse::Alive).await;
    }

    /// Something that others will see is asked for: what goes wrong with it.
    pub(crate) fn begins(self: &Arc<Self>, what: String) -> Option<Trouble> {
        let mut done = self.done();
        done.effects.push(what);
        let number = done.effects.len();
        let trouble = done.strikes.filter(|(at, _)| *at == number).map(|(_, trouble)| trouble)?;
        drop(done);
        if let Trouble::Freeze(seconds) = trouble {
            self.freeze(Duration::from_secs(seconds));
        }
        Some(trouble)
    }

    fn freeze(self: &Arc<Self>, time: Duration) {
        let turn = |from: Pulse, to: Pulse| {
            move |pulse: &mut Pulse| {
                let turns = *pulse == from;
                *pulse = if turns { to } else { *pulse };
                turns
            }
        };
        self.pulse.send_if_modified(turn(Pulse::Alive, Pulse::Frozen));
        let thawed = Arc::clone(self);
        tokio::spawn(async move {
            sleep(time).await;
            thawed.pulse.send_if_modified(turn(Pulse::Frozen, Pulse::Alive));
        });
    }

    /// It is over, at once.
    pub fn die(&self) {
        self.pulse.send_replace(Pulse::Dead);
    }

    /// This goes wrong with what it does after so many effects more.
    pub fn strike(&self, more: usize, trouble: Trouble) {
        let mut done = self.done();
        done.strikes = Some((done.effects.len() + more, trouble));
    }

    /// What it did so far.
    #[must_use]
    pub fn effects(&self) -> Vec<String> {
        self.done().effects.clone()
    }

    /// Ends with it.
    pub async fn death(&self) {
        let _ = self.pulse.subscribe().wait_for(|pulse| *pulse == Pulse::Dead).await;
    }

    /// How late what is watched is told.
    pub(crate) fn lag(&self, plural: &str) -> Duration {
        let lag = self.watches.lags.iter().find(|(of, _)| *of == plural).map_or(0, |(_, millis)| *millis);
        Duration::from_millis(lag)
    }

    pub(crate) fn stutters(&self) -> bool {
        self.watches.stutters
    }

    /// Whether a watch breaks off before it tells of this.
    pub(crate) fn breaks_off(&self) -> bool {
        self.watches.stutters && self.told.fetch_add(1, Ordering::Relaxed) % 7 == 6
    }
}
