//! How long is waited for what.

use std::time::Duration;

/// How long is waited for what.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// A round for an answer: twenty times what a plain exec takes, so that a busy node is not
    /// taken for a silent member. Only the first round waits: after that the answer wakes the set.
    pub answer: Duration,
    /// The same where a member usually takes its time: twice as long as the last time, up to this.
    pub longest_answer: Duration,
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
            answer: Duration::from_secs(2),
            longest_answer: Duration::from_secs(6),
            shell: Duration::from_secs(1),
            fresh: Duration::from_secs(5),
            kept: Duration::from_mins(10),
            fate: Duration::from_secs(10),
        }
    }
}
