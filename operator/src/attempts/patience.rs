//! How long is waited for what.

use std::time::Duration;

/// How long is waited for what.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// A round for an answer: ten times what a plain exec takes, and short to a person.
    pub answer: Duration,
    /// A shell that does nothing, in a container whose `status` hangs.
    pub shell: Duration,
    /// An answer that nobody has fetched yet is news for this long.
    pub fresh: Duration,
    /// A `status` past its deadline: its stream may have died without a word.
    pub kept: Duration,
    /// The fate of an attempt, all tries together.
    pub fate: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            answer: Duration::from_secs(1),
            shell: Duration::from_secs(1),
            fresh: Duration::from_secs(5),
            kept: Duration::from_mins(10),
            fate: Duration::from_secs(10),
        }
    }
}
