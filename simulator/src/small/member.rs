//! One member: its claim with the data, its pod, and the processes that may write there.

use super::State;
use super::names::{Kept, Serial};
use crate::options::{Options, Positions};
pub(crate) use crate::world::Mark;
use planner::Record;
use planner::names::{AttemptId, BootId, ClaimUid, ContainerId, GroupId, PodUid};
use planner::observation::{Answer, Role, Status};
use std::collections::{BTreeMap, BTreeSet};

/// How many primaries a set has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// All; a position is a bare number.
    Equal,
    /// One, that the others follow; a position is a history.
    Followed,
}

/// A member.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) claim: ClaimUid,
    pub(crate) version: String,
    pub(crate) record: Option<Kept<Record>>,
    /// Writes by their number in the list of all, as bits.
    pub(crate) data: u16,
    /// A copy into it was not finished.
    pub(crate) torn: bool,
    /// A copy into it began, and labels led no client to it since.
    pub(crate) joining: bool,
    pub(crate) boot: BootId,
    pub(crate) pod: Option<Pod>,
    /// In the container of its pod.
    pub(crate) process: Option<Process>,
    /// Of a pod that was deleted by force.
    pub(crate) orphan: Option<Process>,
}

/// A pod.
#[derive(Clone, Debug)]
pub(crate) struct Pod {
    pub(crate) uid: PodUid,
    pub(crate) container: Option<ContainerId>,
    /// What its kubelet shows as ended, while no other runs.
    pub(crate) ended: Option<ContainerId>,
    pub(crate) terminating: bool,
    pub(crate) active: Option<bool>,
    pub(crate) role: Option<Role>,
    /// What the guard left there of the commands that may still matter.
    pub(crate) folder: BTreeMap<AttemptId, Mark>,
}

/// A process of the application. It holds the lock of the volume.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) pod: PodUid,
    pub(crate) container: ContainerId,
    pub(crate) role: Role,
    pub(crate) lineage: u8,
    pub(crate) phase: Phase,
    /// It says that it failed.
    pub(crate) broken: bool,
}

/// How far a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Starting,
    /// It replaces the data by that of this member.
    Copying(usize),
    Running,
}

impl Process {
    /// It takes writes.
    pub(crate) fn serves(&self) -> bool {
        self.runs() && self.role == Role::Primary
    }

    pub(crate) fn runs(&self) -> bool {
        self.phase == Phase::Running && !self.broken
    }

    fn code(&self, options: &Options) -> i32 {
        match self.phase {
            _ if self.broken => 1,
            Phase::Starting | Phase::Copying(_) => 7,
            Phase::Running if options.has_secondary && self.role == Role::Primary => 8,
            Phase::Running => 0,
        }
    }
}

impl Member {
    /// A place with an empty volume and no pod yet.
    pub(crate) fn new(serial: &mut Serial) -> Self {
        Self {
            claim: ClaimUid(serial.name("claim")),
            version: serial.name("version"),
            record: None,
            data: 0,
            torn: false,
            joining: false,
            boot: BootId(serial.name("boot")),
            pod: None,
            process: None,
            orphan: None,
        }
    }

    pub(crate) fn processes(&self) -> impl Iterator<Item = &Process> {
        self.process.iter().chain(&self.orphan)
    }

    pub(crate) fn container(&self) -> Option<&ContainerId> {
        self.pod.as_ref().and_then(|pod| pod.container.as_ref())
    }

    /// What `status` answers.
    pub(crate) fn status(&self, options: &Options) -> Status {
        let Some(container) = self.container().cloned() else { return Status::NotAsked };
        let code = self.process.as_ref().map_or(7, |process| process.code(options));
        let group = self.process.as_ref().filter(|process| options.names_group && process.runs());
        let group = group.map(|process| GroupId(format!("group-{}", process.lineage)));
        Status::Answer(Answer { code, container, group, progress: None, text: String::new() })
    }
}

impl Member {
    /// It takes writes, in its pod.
    pub(crate) fn serves(&self) -> bool {
        self.process.as_ref().is_some_and(Process::serves)
    }

    /// Clients are led to whoever runs in a pod with that label.
    pub(crate) fn lead_clients(&mut self) {
        let is_active = self.pod.as_ref().is_some_and(|pod| pod.active == Some(true));
        self.joining &= !(is_active && self.process.as_ref().is_some_and(Process::runs));
    }
}

impl State {
    pub(crate) fn holds(&self, member: usize, write: usize) -> bool {
        self.members[member].data & (1 << write) != 0
    }

    /// What `sequence` answers of this member's data: its exit code and output.
    pub(crate) fn sequence(&self, member: usize, positions: Positions) -> (i32, String) {
        if self.members[member].torn {
            return (1, String::new());
        }
        let held = || (0..self.writes.len()).filter(|write| self.holds(member, *write));
        let count = held().count();
        match positions {
            Positions::Counter | Positions::Monotonic if count == 0 => (0, String::new()),
            Positions::Counter | Positions::Monotonic => (0, count.to_string()),
            Positions::Lineages | Positions::Renamed => {
                let lineages: BTreeSet<u8> = held().map(|write| self.writes[write].lineage).collect();
                let last = |lineage: u8| {
                    held()
                        .filter(move |at| self.writes[*at].lineage == lineage)
                        .map(|at| self.writes[at].number)
                };
                let words = lineages.into_iter().map(|of| format!("l{of}:{}", last(of).max().unwrap_or(0)));
                (0, words.collect::<Vec<_>>().join(" "))
            }
        }
    }
}
