//! The answers that the watches of each namespace get.

mod answer;
mod missing;

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;

use super::Kind;
use answer::Answer;
pub use missing::Missing;

/// Stands for all namespaces. No namespace has an empty name.
const ALL: &str = "";

/// The answers by namespace and kind.
type Namespaces = BTreeMap<String, BTreeMap<String, Answer>>;

/// The watches of one controller; clones share them.
#[derive(Clone, Debug)]
pub struct Watches {
    controller: Kind,
    answers: Arc<watch::Sender<Namespaces>>,
}

/// One watch: a kind of objects in one namespace or in all.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    watches: Watches,
    namespace: String,
    kind: String,
}

// === impl Watches ===

impl Watches {
    /// Creates an empty list of watches.
    pub(crate) fn new(controller: Kind) -> Self {
        Self { controller, answers: Arc::default() }
    }

    /// Adds a watch that got no answer yet.
    pub(crate) fn add(&self, namespace: Option<&str>, kind: &str) -> Watch {
        let (namespace, kind) = (namespace.unwrap_or(ALL).to_owned(), kind.to_owned());
        self.answers.send_modify(|all| {
            all.entry(namespace.clone()).or_default().entry(kind.clone()).or_default();
        });
        Watch { watches: self.clone(), namespace, kind }
    }

    /// The resources that the controller looks after.
    pub(super) fn controller(&self) -> Kind {
        self.controller
    }

    /// Every kind of this namespace was listed once. The controller acts only in such a namespace.
    pub(crate) fn is_ready(&self, namespace: &str) -> bool {
        self.every_answer(namespace, Answer::is_filled)
    }

    /// Every cache of this namespace holds what the API server holds.
    pub(crate) fn is_current(&self, namespace: &str) -> bool {
        self.every_answer(namespace, |answer| *answer == Answer::Listed)
    }

    fn every_answer(&self, namespace: &str, is_so: impl Fn(&Answer) -> bool) -> bool {
        let all = self.answers.borrow();
        let kinds = all.get(namespace).or_else(|| all.get(ALL));
        kinds.is_some_and(|kinds| kinds.values().all(is_so))
    }

    /// Ends when a namespace is ready.
    pub(crate) async fn some_ready(&self) {
        // The sender is a part of this: it is not dropped.
        let _ = self.answers.subscribe().wait_for(some_ready).await;
    }

    /// Ends when a watch lacks its answer.
    pub(crate) async fn some_missing(&self) {
        let is_missing = |all: &Namespaces| !missing::of(self.controller, all).is_empty();
        let _ = self.answers.subscribe().wait_for(is_missing).await;
    }

    /// The namespaces in which a watch lacks its answer.
    #[must_use]
    pub fn missing(&self) -> Vec<Missing> {
        missing::of(self.controller, &self.answers.borrow())
    }

    /// An answer is still awaited, or no namespace is ready. A namespace that refuses a request delays no other one.
    pub(super) fn keeps_waiting(&self) -> bool {
        let all = self.answers.borrow();
        let is_awaited = all.values().flat_map(BTreeMap::values).any(|answer| *answer == Answer::Awaited);
        is_awaited || !some_ready(&all)
    }

    /// Each watch: its namespace, its kind, and whether its cache holds what the API server holds.
    pub(super) fn each(&self) -> Vec<(String, String, bool)> {
        let all = self.answers.borrow();
        if !missing::is_used(self.controller, &all) {
            return Vec::new();
        }
        let of = |(namespace, kinds): (&String, &BTreeMap<String, Answer>)| {
            let each = kinds.iter().map(|(kind, answer)| (kind.clone(), *answer == Answer::Listed));
            each.map(|(kind, is_listed)| (namespace.clone(), kind, is_listed)).collect::<Vec<_>>()
        };
        all.iter().flat_map(of).collect()
    }
}

fn some_ready(all: &Namespaces) -> bool {
    all.values().any(|kinds| kinds.values().all(Answer::is_filled))
}

// === impl Watch ===

impl Watch {
    /// The namespace, for log lines. It is empty for a watch of all namespaces.
    pub(crate) fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The cache holds a whole list.
    pub(crate) fn listed(&self) {
        self.change(|_| Answer::Listed);
    }

    /// The request of a watch whose cache is full did not fail.
    pub(crate) fn answered(&self) {
        self.change(|before| if before.is_filled() { Answer::Listed } else { before });
    }

    /// The last request failed.
    pub(crate) fn failed(&self, why: String) {
        self.change(|before| if before.is_filled() { Answer::Stale(why) } else { Answer::Refused(why) });
    }

    /// The cache is full, and the last request failed.
    pub(crate) fn is_stale(&self) -> bool {
        let all = self.watches.answers.borrow();
        let answer = all.get(&self.namespace).and_then(|kinds| kinds.get(&self.kind));
        matches!(answer, Some(Answer::Stale(_)))
    }

    fn change(&self, to: impl FnOnce(Answer) -> Answer) {
        let mut healed = false;
        self.watches.answers.send_if_modified(|all| {
            let Some(answer) = all.get_mut(&self.namespace).and_then(|kinds| kinds.get_mut(&self.kind))
            else {
                return false;
            };
            let before = answer.clone();
            *answer = to(before.clone());
            healed = *answer == Answer::Listed && matches!(before, Answer::Refused(_) | Answer::Stale(_));
            *answer != before
        });
        if healed {
            tracing::info!(
                namespace = self.namespace,
                kind = self.kind,
                "the kind is listed and watched again"
            );
        }
    }
}

#[cfg(test)]
impl Watches {
    /// Watches that got every answer.
    pub(crate) fn answered(controller: Kind) -> Self {
        let watches = Self::new(controller);
        watches.add(None, "Pod").listed();
        watches
    }
}

#[cfg(test)]
mod tests;
