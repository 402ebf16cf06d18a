//! What goes into the process, and what comes out of it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Bytes of output that are read. A verdict has at most six times its words.
pub(super) const LONGEST: u64 = 32 << 10;

/// Bytes of the words of a verdict: more than people are shown.
const WORDS: usize = 4096;

/// What is to be checked beside a component: its settings.
#[derive(Serialize, Deserialize)]
pub(super) struct Subject {
    pub(super) schema: String,
    pub(super) settings: Map<String, Value>,
}

/// What the process says, as JSON.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Said {
    /// All is as it should be.
    Good,
    /// It is not, and why.
    Refused(String),
    /// There was no memory for it.
    NoMemory,
    /// The machine failed, and says nothing of the policy.
    Failed(String),
}

impl Said {
    pub(super) fn refused(why: &impl ToString) -> Self {
        Self::Refused(words(why))
    }

    pub(super) fn failed(why: &impl ToString) -> Self {
        Self::Failed(words(why))
    }
}

fn words(why: &impl ToString) -> String {
    let mut words = why.to_string();
    words.truncate(words.floor_char_boundary(WORDS));
    words
}
