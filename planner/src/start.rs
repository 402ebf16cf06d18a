//! A command that may bring data to life, written down before it is sent.

use crate::measure::Measure;
use crate::memory::Base;
use crate::names::{AttemptId, BootId, ContainerId, NodeName, PodUid};
use crate::observation::Observation;
use crate::position::Position;
use crate::record::Taken;
use crate::timer::{Age, Timer};
use serde::{Deserialize, Serialize};

/// One command that may bring data to life. It is *open* ("its application may be alive")
/// until something proves otherwise (`recall::closing`); an exit code, `Stopped` or a vanished pod
/// alone prove nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Start {
    /// The attempt that runs it.
    pub attempt: AttemptId,
    /// What it was to do.
    pub kind: StartKind,
    /// The pod it was sent to.
    pub pod: PodUid,
    /// The container it was sent to, or a later one of that pod in which it is said to have begun.
    pub container: ContainerId,
    /// The node of that pod.
    pub node: NodeName,
    /// That node's boot when the command was sent, or was said to have begun.
    pub boot: BootId,
    /// What is known of its volume lock.
    #[serde(default)]
    pub lock: Lock,
    /// Its member answered Primary or Secondary after it.
    #[serde(default)]
    pub confirmed: bool,
    /// Its command is known to have begun.
    #[serde(default)]
    pub began: bool,
    /// Its exit code was seen: the command itself is over.
    #[serde(default)]
    pub ended: bool,
    /// How its command ended, for a person: the exit code and the end of what it wrote, at most 200 bytes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// `Record::joining` before it: a join that never began destroyed nothing.
    #[serde(default)]
    pub joining_before: bool,
    /// An epoch begins with it: a seed, or a promotion in place of a primary that is lost. It may begin with what a person
    /// started in a pause, of whatever epoch its data is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub opens: bool,
    /// The standing reading that it began from, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::position::compact::optional")]
    pub from: Option<Position>,
    /// In which outage that was read, and by whom; of a start from nothing, the last outage when it was promised.
    #[serde(flatten)]
    pub measure: Measure,
}

/// From what a start begins: what was read of its data, if anything was, by the measure of that.
pub(crate) fn origin(taken: Option<&Taken>, now: Measure) -> (Option<Position>, Measure) {
    let position = taken.and_then(Taken::position).cloned();
    (position, taken.map_or(now, |taken| taken.measure.clone()))
}

impl Start {
    /// Whether what it brought to life was on this node in this boot, so that a lock there tells of it. Which boot that
    /// is need not be known now: in another one nothing of it is left either.
    #[must_use]
    pub(crate) fn was_in(&self, node: &NodeName, boot: &BootId) -> bool {
        self.node == *node && (boot.0.is_empty() || self.boot == *boot)
    }

    /// Whether it only changes which role a running member has.
    #[must_use]
    pub(crate) fn turns(&self) -> bool {
        matches!(self.kind, StartKind::Promote | StartKind::Demote)
    }

    /// Whether the time that its command has is over.
    #[must_use]
    pub(crate) fn is_late(&self, seen: &Observation) -> bool {
        seen.ages.get(&Timer::Deadline(self.attempt.clone())) == Some(&Age::Ripe)
    }

    /// What an epoch that it opens begins with.
    #[must_use]
    pub fn base(&self) -> Option<Base> {
        let position = self.from.clone()?;
        Some(Base { position, measure: self.measure.clone() })
    }
}

/// Which command a start is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum StartKind {
    /// `seed`: the first member, from its own data.
    Seed,
    /// `primary` on a stopped member: its data follows that of the live primaries.
    Join,
    /// `secondary` on a stopped member, or a running one told whom to follow.
    Follow,
    /// `primary` on a running secondary.
    Promote,
    /// `secondary` on a running primary.
    Demote,
    /// Not ours: found running without a start of its own.
    Found,
}

/// What is known of the volume lock of a start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Lock {
    /// Not asked since the command ended.
    #[default]
    Unasked,
    /// Asked while the member ran, and free: the application did not inherit it.
    NotHeld,
    /// Seen held by the application: free again means that it is gone.
    Held,
}
