//! What is wrong with a resource, all of it at once.

use std::fmt;

/// One thing that cannot be acted on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The field, from the root of the resource: "spec.pod.commands.stop.timeout".
    pub path: String,
    /// What is wrong with it.
    pub reason: String,
    /// What would be right.
    pub cure: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.path, self.reason, self.cure)
    }
}

/// Every problem of a resource, in the order of its fields. Never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .problems.iter().map(Problem::to_string).collect::<Vec<_>>().join(" | "))]
pub struct Invalid {
    /// The problems.
    pub problems: Vec<Problem>,
}

/// Problems as they are found.
#[derive(Debug, Default)]
pub(super) struct Problems(pub(super) Vec<Problem>);

impl Problems {
    pub(super) fn add(
        &mut self,
        path: impl Into<String>,
        reason: impl Into<String>,
        cure: impl Into<String>,
    ) {
        self.0.push(Problem { path: path.into(), reason: reason.into(), cure: cure.into() });
    }
}
