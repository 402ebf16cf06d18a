//! Who is next where not all can go on at one moment. What decided before goes first, but for sets that ask for it again
//! and again; then what is new, then candidates; among equals the namespace that had its last turn longest ago. So one
//! tenant's many or large policies cost another tenant's at most the one that is under way.
//!
//! Within a namespace it goes by arrival: each set asks for one turn at a time, so its sets take turns too.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::share::Purpose;

/// A line of those who wait. Clones share it.
#[derive(Clone)]
pub(super) struct Turns(Arc<Shared>);

struct Shared {
    /// How many go on at one moment, and how many of one namespace.
    most: usize,
    of_one: usize,
    line: Mutex<Line>,
}

#[derive(Default)]
struct Line {
    waiting: Vec<Waiting>,
    /// By namespace.
    under_way: BTreeMap<String, usize>,
    /// When each namespace had its last turn, until nobody waits and nothing is under way.
    served: BTreeMap<String, u64>,
    /// Restores that have begun, and may not have come here yet.
    announced: usize,
    clock: u64,
}

struct Waiting {
    purpose: Purpose,
    namespace: String,
    arrived: u64,
    begin: oneshot::Sender<Turn>,
}

/// It is somebody's turn for as long as this is there.
pub(in crate::policy) struct Turn {
    turns: Turns,
    namespace: String,
}

/// Something is being restored: for as long as this is there, nothing else begins.
pub(super) struct Announced(Turns);

impl Turns {
    pub(super) fn new(most: usize, of_one: usize) -> Self {
        Self(Arc::new(Shared { most, of_one, line: Mutex::default() }))
    }

    /// Ends when it is this namespace's turn. It is always given; what waits no more has lost its place.
    pub(super) async fn turn(&self, purpose: Purpose, namespace: &str) -> Option<Turn> {
        let (begin, begins) = oneshot::channel();
        self.locked().wait(purpose, namespace, begin);
        self.go_on();
        begins.await.ok()
    }

    /// What is restored reads its bytes first: what is new or a candidate does not take the turn meanwhile.
    pub(super) fn announce(&self) -> Announced {
        self.locked().announced += 1;
        Announced(self.clone())
    }

    /// Lets all begin whose turn it is.
    fn go_on(&self) {
        loop {
            let next = self.locked().next(self.0.most, self.0.of_one);
            let Some(Waiting { namespace, begin, .. }) = next else { return };
            // Who has gone away meanwhile leaves the turn to the next, by dropping it.
            drop(begin.send(Turn { turns: self.clone(), namespace }));
        }
    }

    fn locked(&self) -> MutexGuard<'_, Line> {
        self.0.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    fn wait(&mut self, purpose: Purpose, namespace: &str, begin: oneshot::Sender<Turn>) {
        self.clock += 1;
        let (namespace, arrived) = (namespace.to_owned(), self.clock);
        self.waiting.push(Waiting { purpose, namespace, arrived, begin });
    }

    /// Takes who is next out of the line, if there is room.
    fn next(&mut self, most: usize, of_one: usize) -> Option<Waiting> {
        self.waiting.retain(|waiting| !waiting.begin.is_closed());
        if self.waiting.is_empty() && self.under_way.is_empty() {
            self.served.clear();
        }
        if self.under_way.values().sum::<usize>() >= most {
            return None;
        }
        let may_begin = |waiting: &Waiting| {
            let is_its_time = self.announced == 0 || waiting.purpose == Purpose::Restored;
            is_its_time && self.under_way.get(&waiting.namespace).is_none_or(|under_way| *under_way < of_one)
        };
        let rank = |waiting: &Waiting| {
            let served = self.served.get(&waiting.namespace).copied().unwrap_or_default();
            (waiting.purpose.rank(), served, waiting.arrived)
        };
        let all = self.waiting.iter().enumerate().filter(|(_, waiting)| may_begin(waiting));
        let (place, _) = all.min_by_key(|(_, waiting)| rank(waiting))?;
        let next = self.waiting.remove(place);
        self.clock += 1;
        self.served.insert(next.namespace.clone(), self.clock);
        *self.under_way.entry(next.namespace.clone()).or_default() += 1;
        Some(next)
    }

    fn end(&mut self, namespace: &str) {
        if let Some(under_way) = self.under_way.get_mut(namespace) {
            *under_way -= 1;
            if *under_way == 0 {
                self.under_way.remove(namespace);
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.locked().end(&self.namespace);
        self.turns.go_on();
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        self.0.locked().announced -= 1;
        self.0.go_on();
    }
}

#[cfg(test)]
mod tests;
