//! One identity of data, and what is remembered of it.

use crate::decision::Fact;
use crate::measure::Measure;
use crate::memory::Epoch;
use crate::names::{BootId, ClaimUid, ContainerId, NodeName, PodUid, Reader, ReplicaName};
use crate::observation::{Observation, Role};
use crate::position::Position;
use crate::start::{Start, StartKind};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One identity of data.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HolderId {
    /// The claims of the pod, in the order of the templates.
    Claims(Vec<ClaimUid>),
    /// A pod without claims whose first container mounts an emptyDir of the user.
    Pod(PodUid),
    /// A pod without either: the data ends with the container.
    Container(ContainerId),
}

/// What is remembered of a holder: on its claim (an annotation), with a copy in status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Whose data.
    pub holder: HolderId,
    /// The replica that it was last seen at.
    pub replica: ReplicaName,
    /// The newest epoch of the set that was known when this was written.
    #[serde(default)]
    pub epoch: Epoch,
    /// The epoch in which this holder was last confirmed: seen Primary or Secondary in that
    /// epoch's group, after its last start. 0 = never.
    #[serde(default)]
    pub confirmed: u64,
    /// Its data is being replaced by a join that was not yet confirmed.
    #[serde(default)]
    pub joining: bool,
    /// How many starts were promised on this data, ever.
    #[serde(default)]
    pub starts: u64,
    /// Starts that may be alive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<Start>,
    /// What `sequence` said when last asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Taken>,
    /// A lower bound, read while it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<Taken>,
    /// A person gave it up (`AcceptLoss`).
    #[serde(default)]
    pub waived: bool,
    /// What it ran as when it last answered Primary or Secondary; Primary where it may have led unseen since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Role>,
    /// The primary that it was last told to follow, by its policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leader: Option<ReplicaName>,
    /// Seen Stopped or Down while another member served.
    #[serde(default)]
    pub left: bool,
    /// A seed of it began and was closed without its member being confirmed; cleared when that
    /// is accounted for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried: Option<Tried>,
    /// The container in which its `stop` was run because it answered Failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_tried: Option<ContainerId>,
    /// `starts` when the operator last stopped it, as the only primary, for a change that the resource asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned_stop: Option<u64>,
    /// Its volume lock was busy when a read of the stopped member asked for it.
    #[serde(default)]
    pub lock_busy: bool,
    /// Its claim carried the record of another one: it may be a copy of that one's data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copied_from: Option<HolderId>,
    /// The epoch whose line this data may have left, and was not seen to run in since: one that began without all that
    /// it held or may have held, or in which it ran in one of two groups. What lies inside its beginning is no more than
    /// that line has; what a later epoch began with says nothing of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parted: Option<Epoch>,
    /// The data is gone with its pod, container or claim; kept for its open starts only.
    #[serde(default)]
    pub ended: bool,
}

/// What `sequence` said, through the policy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reading {
    /// The data holds this much.
    At(#[serde(with = "crate::position::compact")] Position),
    /// There is no data.
    Empty,
    /// No position could be had, and why. Never "smallest".
    Unreadable(String),
}

/// A reading with all that decides whether it still stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Taken {
    /// What was said.
    pub reading: Reading,
    /// `Record::starts` when it was taken.
    pub starts: u64,
    /// The container that answered.
    pub container: ContainerId,
    /// In which outage, and by whom.
    #[serde(flatten)]
    pub measure: Measure,
    /// The output was longer than what is kept of one, or the position longer than what a claim can carry: the data is there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// What else the policy said of the data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
    /// The output as it was, cut to what a person needs.
    #[serde(default)]
    pub raw: String,
}

/// A seed that came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tried {
    /// What the data held before it.
    #[serde(default, with = "crate::position::compact::optional")]
    pub from: Option<Position>,
    /// Who read that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<Reader>,
    /// How its command ended: `Start::said`; empty where nobody saw that.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The node on which it began; empty where an older version wrote this down.
    #[serde(default)]
    pub node: NodeName,
    /// That node's boot then.
    #[serde(default)]
    pub boot: BootId,
}

impl Tried {
    /// How it ended, for a person.
    #[must_use]
    pub fn words(&self) -> &str {
        if self.why.is_empty() { "its command was not seen to end" } else { &self.why }
    }

    /// Whether its machine started anew before its command was seen to end: nobody knows whether it would have come up, so
    /// it does not count.
    #[must_use]
    pub(crate) fn was_cut_off(&self, seen: &Observation) -> bool {
        let is_over = seen.nodes.get(&self.node).is_some_and(|now| self.boot.is_before(&now.boot));
        self.why.is_empty() && is_over
    }
}

impl Record {
    /// A holder seen for the first time.
    #[must_use]
    pub fn new(holder: HolderId, replica: ReplicaName, epoch: Epoch) -> Self {
        Self {
            holder,
            replica,
            epoch,
            confirmed: 0,
            joining: false,
            starts: 0,
            open: Vec::new(),
            reading: None,
            running: None,
            waived: false,
            last: None,
            leader: None,
            left: false,
            tried: None,
            stop_tried: None,
            planned_stop: None,
            lock_busy: false,
            copied_from: None,
            parted: None,
            ended: false,
        }
    }

    /// Takes a start that is proven over off the list. A promotion among them may have made it lead, unseen: what it holds
    /// is owed as what one held that led.
    pub fn close(&mut self, is_over: impl Fn(&Start) -> bool) {
        let may_have_led = |start: &Start| start.kind == StartKind::Promote && !start.confirmed;
        if self.open.iter().any(|start| may_have_led(start) && is_over(start)) {
            self.last = Some(Role::Primary);
        }
        let failed = |start: &&Start| start.kind == StartKind::Seed && !start.confirmed && is_over(start);
        if let Some(start) = self.open.iter().find(failed) {
            let (from, reader) = (start.from.clone(), start.measure.reader.clone());
            let (node, boot) = (start.node.clone(), start.boot.clone());
            self.tried = Some(Tried { from, reader, why: start.said.clone(), node, boot });
        }
        self.open.retain(|start| !is_over(start));
    }

    /// The reading that stands: taken after the last start, with all starts closed.
    #[must_use]
    pub fn standing(&self) -> Option<&Taken> {
        self.reading.as_ref().filter(|taken| self.open.is_empty() && taken.starts == self.starts)
    }

    /// The standing position, where `sequence` gave one.
    #[must_use]
    pub fn position(&self) -> Option<&Position> {
        self.standing().and_then(Taken::position)
    }

    /// Whether it left while another served and has a bare number, which says nothing of the others then.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.left && self.position().is_some_and(Position::is_ordinal)
    }

    /// Whether nothing was ever in it: never confirmed, never started, and read as empty or zero.
    #[must_use]
    pub fn is_new(&self) -> bool {
        let nothing =
            |taken: &Taken| matches!(taken.reading, Reading::Empty | Reading::At(Position::Ordinal(0)));
        self.confirmed == 0 && self.starts == 0 && self.standing().is_some_and(nothing)
    }
}

impl Taken {
    /// The position, where there is one.
    #[must_use]
    pub fn position(&self) -> Option<&Position> {
        self.reading.position()
    }
}

impl Reading {
    /// The position, where there is one.
    #[must_use]
    pub fn position(&self) -> Option<&Position> {
        match self {
            Self::At(position) => Some(position),
            Self::Empty | Self::Unreadable(_) => None,
        }
    }
}

impl fmt::Display for HolderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Claims(uids) => {
                let names: Vec<&str> = uids.iter().map(|uid| uid.0.as_str()).collect();
                write!(f, "claim {}", names.join("+"))
            }
            Self::Pod(uid) => write!(f, "pod {uid}"),
            Self::Container(id) => write!(f, "container {id}"),
        }
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(position) => write!(f, "{position}"),
            Self::Empty => write!(f, "empty"),
            Self::Unreadable(why) => write!(f, "unreadable: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{container, holder, record, start};

    /// Of a member that followed, once this start of it may be closed.
    fn closed(start: Start, is_over: bool) -> Record {
        let mut record = Record { last: Some(Role::Secondary), ..record(0) };
        record.open.push(start);
        record.close(|_| is_over);
        record
    }

    #[test]
    fn a_seed_is_written_down_as_tried_if_it_is_over_and_was_never_seen_running() {
        let seed = || Start { kind: StartKind::Seed, confirmed: false, ..start(0, "a") };
        for (sentence, start, is_over, is_tried) in [
            ("a seed that came to nothing", seed(), true, true),
            ("one that may be alive", seed(), false, false),
            ("one that was seen running", Start { confirmed: true, ..seed() }, true, false),
            ("a join", Start { kind: StartKind::Join, ..seed() }, true, false),
        ] {
            let record = closed(start, is_over);
            assert_eq!(record.tried.is_some(), is_tried, "{sentence}");
            assert_eq!(record.open.is_empty(), is_over, "{sentence}");
        }
    }

    #[test]
    fn a_promotion_that_is_over_and_was_never_seen_may_have_made_its_member_lead() {
        let promotion = || Start { kind: StartKind::Promote, confirmed: false, ..start(0, "a") };
        for (sentence, start, is_over, led) in [
            ("a promotion that nobody saw", promotion(), true, true),
            ("one that may be alive", promotion(), false, false),
            (
                "one that was seen, of who follows since",
                Start { confirmed: true, ..promotion() },
                true,
                false,
            ),
            ("a demotion", Start { kind: StartKind::Demote, ..promotion() }, true, false),
        ] {
            assert_eq!(closed(start, is_over).last == Some(Role::Primary), led, "{sentence}");
        }
    }

    #[test]
    fn data_is_new_that_was_never_started_nor_confirmed_and_is_read_as_nothing() {
        for (sentence, record, is_new) in [
            ("empty", record(0).reads(Reading::Empty), true),
            ("zero", record(0).at(0), true),
            ("one", record(0).at(1), false),
            ("not read", record(0), false),
            ("started once", record(0).starts(1).reads(Reading::Empty), false),
            (
                "confirmed, as its claim alone says",
                Record { confirmed: 1, ..record(0).reads(Reading::Empty) },
                false,
            ),
        ] {
            assert_eq!(record.is_new(), is_new, "{sentence}");
        }
    }

    #[test]
    fn data_and_readings_have_words_for_people() {
        let words = [
            (holder(0).to_string(), "claim claim-0"),
            (HolderId::Pod("p".into()).to_string(), "pod p"),
            (HolderId::Container(container(0)).to_string(), "container container-0"),
            (Reading::At(Position::Ordinal(7)).to_string(), "7"),
            (Reading::Empty.to_string(), "empty"),
            (Reading::Unreadable("exit 1".to_owned()).to_string(), "unreadable: exit 1"),
        ];
        for (said, expected) in words {
            assert_eq!(said, expected);
        }
    }
}
