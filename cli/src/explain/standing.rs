//! The set in one word.

use std::process::ExitCode;

use operator::api::SetStatus;
use operator::api::condition::ConditionType;
use serde::Serialize;

use super::condition;
use super::wait::Wait;

/// The set in one word; also the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Standing {
    /// All that is wanted is so.
    Ready,
    /// It is not ready, and the operator goes on: it may wait for ever.
    Working,
    /// Only a person can help.
    Blocked,
}

// === impl Standing ===

impl Standing {
    pub(super) fn of(status: &SetStatus, waits: &[Wait]) -> Self {
        let holds = |kind| condition(status, kind).is_some_and(|condition| condition.status == "True");
        let refused =
            condition(status, ConditionType::Accepted).is_some_and(|accepted| accepted.status == "False");
        match () {
            () if refused || holds(ConditionType::Stalled) => Self::Blocked,
            () if holds(ConditionType::Ready) => Self::Ready,
            () if waits.iter().any(Wait::lasts) && !status.control_paused => Self::Blocked,
            () => Self::Working,
        }
    }

    /// 0, 3 or 4.
    pub(crate) fn exit_code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Ready => 0,
            Self::Working => 3,
            Self::Blocked => 4,
        })
    }
}
