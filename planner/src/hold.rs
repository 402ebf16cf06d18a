//! Why doing nothing is right. A hold becomes a condition's reason and message, a log line and
//! an answer to the person who asks, all in the same words.

mod words;

use crate::key::Key;
use crate::memory::Failure;
use crate::names::{AttemptId, NodeName, PodUid, ReplicaName};
use crate::observation::Command;
use crate::plan::Cause;
use crate::position::Position;
use crate::record::Reading;
use serde::{Deserialize, Serialize};

/// One thing that waits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hold {
    /// What waits.
    pub scope: Scope,
    /// For what.
    pub reason: Reason,
    /// Everything that a person may allow to open it.
    pub keys: Vec<Key>,
    /// What a person corrects so that the hold ends without loss, where that is known: why the member does not run, or why
    /// its data cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// What a hold holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Scope {
    /// The whole set.
    Set,
    /// One replica.
    Replica(ReplicaName),
}

/// Why something waits; each names what blocks it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Reason {
    /// Another installation looks after this set.
    NotOurs(String),
    /// The resource says hands off.
    Paused,
    /// The member gave no answer: it may be running.
    Unheard(ReplicaName, String),
    /// The application says that something is wrong.
    Failing(ReplicaName, String),
    /// The member cannot be asked: it has no running container.
    NotRunning(ReplicaName, String),
    /// The pod was made without the guard, or no guarded command can be run in it; only `status` is asked there.
    Unguarded(ReplicaName),
    /// The pod has no guard although it was made from the wanted template: another pod would be made alike.
    GuardMissing(ReplicaName),
    /// Its position is not known yet; with what was answered, where that gave none.
    Unread(ReplicaName, Option<String>),
    /// A member of the newest epoch lost its data, or it cannot be read.
    LostData(ReplicaName, String),
    /// A member shows less than it was known to hold.
    PositionWentBack {
        /// The member.
        name: ReplicaName,
        /// The position that it shows.
        shows: Position,
        /// A position that it held.
        held: Position,
    },
    /// Two members hold what the other does not.
    Diverged(ReplicaName, ReplicaName),
    /// No member holds all that the set held when this epoch began.
    BelowBase(ReplicaName),
    /// What the set held when this epoch began was read as another kind of position than what is read now, by another
    /// policy or other settings: neither is known to be more.
    BaseOfOtherKind {
        /// The member that holds most by what is read now.
        best: ReplicaName,
        /// What the epoch began with.
        base: Position,
        /// What that member holds.
        here: Position,
    },
    /// No data that is there counts as of the newest epoch; each with what was read of it.
    NoneOfEpoch(Vec<(ReplicaName, Option<Reading>)>),
    /// A member whose join was not seen to end holds more than every candidate.
    JoinerAhead(ReplicaName),
    /// No candidate of this outage is left; what became of each that was tried.
    SeedsExhausted(Vec<Failure>),
    /// The policy cannot be asked: its module is not at hand, or cannot be used.
    PolicyUnavailable(String),
    /// The policy gave no seed.
    NoSeedVerdict(String),
    /// The policy proposed what the data does not allow.
    SeedRefused {
        /// Whom it named.
        proposed: ReplicaName,
        /// Why not.
        why: String,
    },
    /// The policy gave no order.
    NoOrderVerdict(String),
    /// The policy gave an order of others than those that it was asked about.
    OrderRefused {
        /// The order.
        proposed: Vec<ReplicaName>,
        /// Why not.
        why: String,
    },
    /// The policy lets a member follow one that it cannot follow.
    LeaderRefused {
        /// The member.
        member: ReplicaName,
        /// Whom it was to follow.
        proposed: ReplicaName,
        /// Why not.
        why: String,
    },
    /// The policy lets this member wait.
    PolicyHolds(ReplicaName, String),
    /// `recovery.mode` is Ask: what would be done next waits for a person's word. Why this member, where a policy said so.
    AwaitsApproval(ReplicaName, Command, Option<String>),
    /// `recovery.mode` is `PlanOnly`: what would be done next is told, and not done.
    PlannedOnly(ReplicaName, Command, Option<String>),
    /// A command that may have brought data to life is not known to be over.
    StartOpen {
        /// Whose.
        who: ReplicaName,
        /// Which.
        attempt: AttemptId,
        /// The pod in which it was asked for.
        pod: PodUid,
        /// And the node of that.
        node: NodeName,
        /// Seconds after which it counts as over, because its pod is gone without a report.
        grace: Option<u64>,
    },
    /// A command is under way.
    UnderWay(ReplicaName, Command),
    /// A join or seed is past its timeout and still gets on, or may.
    Overdue(ReplicaName, Command),
    /// A command that was to bring it up is over, and it does not run; with the exit code and last line of the command.
    NotUp(ReplicaName, Command, String),
    /// It was told to lead or to follow, and does not answer so yet; and how that command ended, if it has.
    NotTurned(ReplicaName, Command, String),
    /// The volume lock is held by something that we did not start.
    LockBusy(ReplicaName),
    /// Its data is not known to be part of the set's history: a join would destroy it.
    Errant(ReplicaName),
    /// No live primary to join.
    NoPrimary(ReplicaName),
    /// The joins that may run at once are under way.
    JoinsBusy(ReplicaName),
    /// No secondary may be promoted.
    NoPromotion(ReplicaName, String),
    /// Members say that they belong to different groups.
    TwoGroups(ReplicaName, ReplicaName),
    /// The set had more replicas before it was scaled to 0.
    RestoreSize {
        /// Replicas wanted now.
        wanted: u32,
        /// Replicas before.
        before: u32,
    },
    /// A field cannot be changed in place.
    Immutable(String),
    /// No pod could start with the template of this generation: the last good one is kept.
    TemplateRefused(i64),
    /// It was repaired, and the next repair waits.
    RepairDelayed(ReplicaName),
    /// Its pod would be replaced, and what it holds, and nobody else is known to hold, would end with it.
    DataAlone(ReplicaName, Cause),
    /// It is the last member that serves, or may.
    LastServer(ReplicaName),
    /// A change waits until this member is well.
    NotWell(ReplicaName),
    /// The StatefulSet is not there yet, its status is behind, or nobody compared it yet with what is wanted.
    WorkloadPending,
    /// Where identities are given once: places that whoever makes pods has given nobody yet.
    PlacesOpen {
        /// How many.
        open: u32,
        /// Of how many.
        wanted: u32,
    },
    /// The annotation of a claim cannot be read.
    RecordUnreadable(ReplicaName),
    /// The claim of a member that runs is being deleted.
    ClaimTerminating(ReplicaName),
    /// This pod or claim is of the set's other workload: it may serve there, or its data is there.
    OtherWorkload(String),
}

impl Reason {
    /// The stable name: condition reason, event reason and metric label.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NotOurs(_) => "NotOurs",
            Self::Paused => "Paused",
            Self::Unheard(..) => "Unheard",
            Self::Failing(..) => "Failing",
            Self::NotRunning(..) => "NotRunning",
            Self::Unguarded(_) => "Unguarded",
            Self::GuardMissing(_) => "GuardMissing",
            Self::Unread(..) => "Unread",
            Self::LostData(..) => "LostData",
            Self::PositionWentBack { .. } => "PositionWentBack",
            Self::Diverged(..) => "Diverged",
            Self::BelowBase(_) => "BelowBase",
            Self::BaseOfOtherKind { .. } => "BaseOfOtherKind",
            Self::NoneOfEpoch(_) => "NoneOfEpoch",
            Self::JoinerAhead(_) => "JoinerAhead",
            Self::SeedsExhausted(_) => "SeedsExhausted",
            Self::PolicyUnavailable(_) => "PolicyUnavailable",
            Self::NoSeedVerdict(_) => "NoSeedVerdict",
            Self::SeedRefused { .. } => "SeedRefused",
            Self::NoOrderVerdict(_) => "NoOrderVerdict",
            Self::OrderRefused { .. } => "OrderRefused",
            Self::LeaderRefused { .. } => "LeaderRefused",
            Self::PolicyHolds(..) => "PolicyHolds",
            Self::AwaitsApproval(..) => "AwaitsApproval",
            Self::PlannedOnly(..) => "PlannedOnly",
            Self::StartOpen { .. } => "StartOpen",
            Self::UnderWay(..) => "UnderWay",
            Self::Overdue(..) => "Overdue",
            Self::NotUp(..) => "NotUp",
            Self::NotTurned(..) => "NotTurned",
            Self::LockBusy(_) => "LockBusy",
            Self::Errant(_) => "Errant",
            Self::NoPrimary(_) => "NoPrimary",
            Self::JoinsBusy(_) => "JoinsBusy",
            Self::NoPromotion(..) => "NoPromotion",
            Self::TwoGroups(..) => "TwoGroups",
            Self::RestoreSize { .. } => "RestoreSize",
            Self::Immutable(_) => "Immutable",
            Self::TemplateRefused(_) => "TemplateRefused",
            Self::RepairDelayed(_) => "RepairDelayed",
            Self::DataAlone(..) => "DataAlone",
            Self::LastServer(_) => "LastServer",
            Self::NotWell(_) => "NotWell",
            Self::WorkloadPending => "WorkloadPending",
            Self::PlacesOpen { .. } => "PlacesOpen",
            Self::RecordUnreadable(_) => "RecordUnreadable",
            Self::ClaimTerminating(_) => "ClaimTerminating",
            Self::OtherWorkload(_) => "OtherWorkload",
        }
    }

    /// Whether it ends by itself when the world gets better, or only by a person (kstatus: Stalled). A member that is
    /// not to rest for a template alone is begun from what it holds, where that can be had.
    #[must_use]
    pub fn needs_person(&self) -> bool {
        matches!(
            self,
            Self::LostData(..)
                | Self::PositionWentBack { .. }
                | Self::Diverged(..)
                | Self::BelowBase(_)
                | Self::BaseOfOtherKind { .. }
                | Self::NoneOfEpoch(_)
                | Self::JoinerAhead(_)
                | Self::SeedsExhausted(_)
                | Self::SeedRefused { .. }
                | Self::OrderRefused { .. }
                | Self::LeaderRefused { .. }
                | Self::AwaitsApproval(..)
                | Self::PlannedOnly(..)
                | Self::LockBusy(_)
                | Self::Errant(_)
                | Self::NoPromotion(..)
                | Self::TwoGroups(..)
                | Self::RestoreSize { .. }
                | Self::Immutable(_)
                | Self::TemplateRefused(_)
                | Self::NotOurs(_)
                | Self::RecordUnreadable(_)
                | Self::ClaimTerminating(_)
                | Self::OtherWorkload(_)
        ) || matches!(self, Self::DataAlone(_, cause) if *cause != Cause::Template)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::name;

    #[test]
    fn what_waits_for_the_world_needs_nobody_and_what_waits_for_a_word_does() {
        assert!(!Reason::NoPrimary(name(0)).needs_person());
        assert!(!Reason::WorkloadPending.needs_person());
        assert!(Reason::Errant(name(0)).needs_person());
        assert!(Reason::TwoGroups(name(0), name(1)).needs_person());
    }

    #[test]
    fn what_would_be_done_and_what_is_no_order_is_said_by_name() {
        use crate::observation::Command;
        let said = |command, why: Option<&str>| {
            Reason::PlannedOnly(name(1), command, why.map(Into::into)).to_string()
        };
        assert!(
            said(Command::Promote, None).starts_with("planned: x-1 becomes primary, the others follow; ")
        );
        assert!(said(Command::Seed, Some("it is at 9")).starts_with(
            "planned: the set starts from x-1 (it is at 9), and those join that hold nothing beyond it; "
        ));
    }
}
