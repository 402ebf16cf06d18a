//! One process of the operator: what it did, and what goes wrong with one thing that it does.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use crate::strikes::{Strikes, Trouble};
use crate::watches::Watches;

/// One process of the operator.
pub struct Life {
    effects: Mutex<Vec<String>>,
    strikes: Strikes,
    pulse: watch::Sender<Pulse>,
    watches: Watches,
    told: AtomicUsize,
    asked: AtomicUsize,
    renewed: AtomicUsize,
    /// Of what kinds nobody knows any more what happened while no watch was open.
    expired: Mutex<BTreeSet<String>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pulse {
    Alive,
    Frozen,
    Dead,
}

impl Life {
    pub(crate) fn new(watches: &Watches, strikes: &Strikes) -> Self {
        Self {
            effects: Mutex::default(),
            strikes: strikes.clone(),
            pulse: watch::Sender::new(Pulse::Alive),
            watches: watches.clone(),
            told: AtomicUsize::new(0),
            asked: AtomicUsize::new(0),
            renewed: AtomicUsize::new(0),
            expired: Mutex::default(),
        }
    }

    /// Waits while it stands still, and for ever once it is dead: nothing that it asks for happens, and nothing is heard.
    pub(crate) async fn lives(&self) {
        // The sender is its own.
        let _ = self.pulse.subscribe().wait_for(|pulse| *pulse == Pulse::Alive).await;
    }

    /// It does not go on now.
    pub(crate) fn stands_still(&self) -> bool {
        *self.pulse.borrow() != Pulse::Alive
    }

    /// Something that others will see is asked for: what goes wrong with it.
    pub(crate) fn begins(self: &Arc<Self>, what: String) -> Option<Trouble> {
        self.effects.lock().unwrap_or_else(PoisonError::into_inner).push(what);
        let trouble = self.strikes.at_effect()?;
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

    /// What it did so far.
    #[must_use]
    pub fn effects(&self) -> Vec<String> {
        self.effects.lock().unwrap_or_else(PoisonError::into_inner).clone()
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

    /// Whether a watch of these breaks off before it tells of this. After every other one that does, versions have expired.
    pub(crate) fn breaks_off(&self, plural: &str) -> bool {
        if !self.watches.stutters {
            return false;
        }
        let told = self.told.fetch_add(1, Ordering::Relaxed) % 14;
        if told == 13 {
            self.expired().insert(plural.to_owned());
        }
        told % 7 == 6
    }

    /// Whether a watch of these begins at a version that has expired, once.
    pub(crate) fn has_expired(&self, plural: &str) -> bool {
        self.expired().remove(plural)
    }

    /// What it asks for gets no answer: an error at once, or nothing for ever. Not for ever, or no story would come to rest;
    /// and of the latter one alone, for who is asked again and again in vain is rightly taken for hung.
    pub(crate) fn unanswered(&self) -> Option<Trouble> {
        if !self.watches.unanswered {
            return None;
        }
        match self.asked.fetch_add(1, Ordering::Relaxed) {
            12 | 38 | 64 | 90 => Some(Trouble::AnswerLost),
            25 => Some(Trouble::Unanswered),
            _ => None,
        }
    }

    /// What goes wrong with a write of its lease: now and then one, and then as many as end its term.
    pub(crate) fn unelected(&self) -> Option<Trouble> {
        if !self.watches.unelected {
            return None;
        }
        match self.renewed.fetch_add(1, Ordering::Relaxed) {
            6 => Some(Trouble::AnswerLost),
            13 => Some(Trouble::Refused(409)),
            20 => Some(Trouble::Unanswered),
            27..=36 => Some(Trouble::Refused(500)),
            43 => Some(Trouble::Late(20)),
            _ => None,
        }
    }

    fn expired(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.expired.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
