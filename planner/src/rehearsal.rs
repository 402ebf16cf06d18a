//! What members answer that are asked while they run, in a set that is well: what they hold at least. Never a reading:
//! the data moves on, and no seed is chosen by it.

use crate::decision::Judgement;
use crate::names::{AttemptId, ContainerId, Reader};
use crate::position::Position;
use crate::record::HolderId;
use serde::{Deserialize, Serialize};

/// One member's answer to `sequence`, given while it ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rehearsal {
    /// Whose data.
    pub holder: HolderId,
    /// `Record::starts` when it was asked: what came after a later start is not that data any more.
    pub starts: u64,
    /// The container that was asked.
    pub container: ContainerId,
    /// The command that asked; how old the answer is, is measured by its name.
    pub attempt: AttemptId,
    /// Who made a position of the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<Reader>,
    /// The answer.
    pub heard: Heard,
    /// The position of an earlier answer by the same start, if this answer lacks some of it: a counter was reset, or data was
    /// removed while the member ran.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::position::compact::optional")]
    pub held: Option<Position>,
}

/// What came of asking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Heard {
    /// What the policy made of the output.
    Said(Judgement),
    /// There was no answer, and why.
    Nothing(String),
}
