//! Namespaces in which a watch lacks its answer, in words for people.

use std::collections::BTreeMap;
use std::fmt;

use super::{ALL, Answer, Namespaces};
use crate::telemetry::Kind;

/// A namespace in which a watch lacks its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The namespace; empty: all namespaces.
    pub namespace: String,
    /// The kinds, as manifests write them, by the reason why there is no answer.
    pub kinds: BTreeMap<String, Vec<String>>,
    /// The controller does nothing in this namespace. Otherwise it acts on caches that may be out of date.
    pub is_idle: bool,
    controller: Kind,
}

/// The namespaces in which a watch lacks its answer.
pub(super) fn of(controller: Kind, all: &Namespaces) -> Vec<Missing> {
    if !is_used(controller, all) {
        return Vec::new();
    }
    all.iter().filter_map(|(namespace, answers)| missing(controller, namespace, answers)).collect()
}

/// StatefulClusters are optional. Without their definition, or without the right to see them, they are not used.
pub(super) fn is_used(controller: Kind, all: &Namespaces) -> bool {
    let is_filled = |kinds: &BTreeMap<String, Answer>| {
        kinds.get(controller.in_manifests()).is_some_and(Answer::is_filled)
    };
    controller == Kind::ReplicatedStatefulSet || all.values().any(is_filled)
}

fn missing(controller: Kind, namespace: &str, answers: &BTreeMap<String, Answer>) -> Option<Missing> {
    let mut kinds = BTreeMap::<String, Vec<String>>::new();
    for (kind, answer) in answers {
        if let Some(why) = answer.why() {
            kinds.entry(why.to_owned()).or_default().push(kind.clone());
        }
    }
    let is_idle = !answers.values().all(Answer::is_filled);
    let namespace = namespace.to_owned();
    (!kinds.is_empty()).then_some(Missing { namespace, kinds, is_idle, controller })
}

// === impl Missing ===

impl Missing {
    /// The kinds alone, for a field of a log line.
    pub(crate) fn kinds(&self) -> String {
        self.kinds.values().flatten().map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    /// The reasons, each with its kinds.
    pub(crate) fn why(&self) -> String {
        let each = self.kinds.iter().map(|(why, kinds)| format!("{}: {why}", kinds.join(", ")));
        each.collect::<Vec<_>>().join("; ")
    }

    /// The consequence for the resources of the namespace.
    pub(crate) fn means(&self) -> String {
        let resources = self.controller.in_manifests();
        match self.is_idle {
            true => format!("the operator looks after no {resources} there"),
            false => "the caches may be out of date".to_owned(),
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.namespace.as_str() {
            ALL => f.write_str("all namespaces")?,
            namespace => write!(f, "namespace {namespace}")?,
        }
        write!(f, ": {} ({})", self.means(), self.why())
    }
}
