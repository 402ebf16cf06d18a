//! One way on, for programs and people.

use serde::Serialize;

use crate::explain::loss::Loss;

/// One way on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::explain) struct Way {
    /// It comes by itself: nothing is to be done.
    pub(in crate::explain) automatic: bool,
    /// What happens then.
    pub(in crate::explain) means: String,
    /// What to type, where a command does it.
    pub(in crate::explain) command: Option<String>,
    /// What it costs, where it may cost data.
    pub(in crate::explain) loss: Option<Loss>,
    /// How long that has been waited for, in seconds.
    #[serde(skip)]
    pub(in crate::explain) seconds: Option<i64>,
    /// Where it is to give a key: how.
    #[serde(skip)]
    pub(in crate::explain) key: Option<Gift>,
}

/// How a key is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::explain) enum Gift {
    /// By an annotation, which takes the place of the one before.
    Annotation,
    /// By a command of this tool, which leaves the keys that were given before.
    Tool,
    /// This tool does not know it.
    Unknown,
}

// === impl Way ===

impl Way {
    /// What a person does without a key.
    pub(super) fn by_hand(means: String, command: Option<String>, seconds: Option<i64>) -> Self {
        Self { automatic: false, means, command, loss: None, seconds, key: None }
    }

    /// What happens where nothing is done.
    pub(super) fn by_itself(means: String, seconds: Option<i64>) -> Self {
        Self { automatic: true, ..Self::by_hand(means, None, seconds) }
    }
}
