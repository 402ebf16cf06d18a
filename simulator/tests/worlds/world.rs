//! Three members made into a look and what is remembered.

use crate::member::{Known, Member, Open, Place, Read, State};
use planner::measure::Measure;
use planner::memory::{Base, Epoch, Outage};
use planner::names::{AttemptId, BootId, ClaimUid, ContainerId, NodeName, PodUid, ReplicaName};
use planner::observation::{
    Answer, Claim, Command, Container, ContainerState, Node, Pod, Replica, Role, Status, Workload,
};
use planner::position::{History, Interval};
use planner::record::{HolderId, Reading, Record, Taken};
use planner::start::{Lock, Start, StartKind};
use planner::timer::Age;
use planner::{Memory, Observation, Plan, Position, Step, timers};
use simulator::Options;
use std::collections::{BTreeMap, BTreeSet};

/// What kind of set, and whether everything that ripens has ripened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// All are primaries, nothing has ripened.
    Equal,
    /// All are primaries, everything has ripened.
    EqualRipe,
    /// One primary that the others follow, everything has ripened.
    FollowedRipe,
}

/// Three members of a set in its second epoch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    pub(crate) kind: Kind,
    pub(crate) members: [Member; 3],
}

const EPOCH: u64 = 2;

/// Who reads now.
const READER: &str = "reader";

fn measure(reader: &str) -> Measure {
    Measure { outage: 1, reader: Some(reader.into()) }
}

pub(crate) fn name(ordinal: usize) -> ReplicaName {
    ReplicaName(format!("x-{ordinal}"))
}

pub(crate) fn holder(ordinal: usize) -> HolderId {
    HolderId::Claims(vec![ClaimUid(format!("claim-{ordinal}"))])
}

/// The second epoch began with what the lowest reading holds.
pub(crate) fn base() -> Position {
    Position::History(History::up_to("a", 5))
}

/// What counts now.
pub(crate) fn reading(read: Read) -> Option<Reading> {
    if read == Read::Another { None } else { written(read) }
}

/// What its record says.
fn written(read: Read) -> Option<Reading> {
    let a = |last| Interval { first: 0, last };
    let history = |sources: &[(&str, u64)]| {
        let sources = sources.iter().map(|(source, last)| ((*source).to_owned(), vec![a(*last)]));
        Reading::At(Position::History(History(sources.collect())))
    };
    match read {
        Read::No => None,
        Read::Low => Some(history(&[("a", 5)])),
        Read::High | Read::Another => Some(history(&[("a", 9)])),
        Read::Apart => Some(history(&[("a", 5), ("b", 3)])),
        Read::Empty => Some(Reading::Empty),
        Read::Unreadable => Some(Reading::Unreadable("exit 1".to_owned())),
    }
}

impl World {
    /// Lights out, everybody read.
    pub(crate) fn outage(at: [u64; 3]) -> Self {
        let read = |n: u64| if n > 5 { Read::High } else { Read::Low };
        let member = |n| Member {
            known: Known::Current,
            open: Open::None,
            read: read(n),
            place: Place::Here,
            state: State::Stopped,
        };
        Self { kind: Kind::Equal, members: at.map(member) }
    }

    pub(crate) fn looked_at(&self) -> (Observation, Memory) {
        let options = if self.kind == Kind::FollowedRipe { Options::followed() } else { Options::calm() };
        let members = || self.members.iter().enumerate();
        let mut seen = Observation {
            target: options.target(),
            nonce: "n".to_owned(),
            foreign: None,
            workload: Some(Workload {
                replicas: 3,
                revision: "r1".into(),
                immutable: None,
                current: Some(true),
                released: BTreeSet::new(),
            }),
            replicas: members().map(|(n, member)| (name(n), self.replica(n, member))).collect(),
            nodes: (0..3).map(node).collect(),
            terminated: BTreeSet::new(),
            attempts: BTreeMap::new(),
            fates: BTreeMap::new(),
            attached: BTreeSet::new(),
            elsewhere: BTreeSet::new(),
            ages: BTreeMap::new(),
            reader: Some(READER.into()),
            verdicts: planner::Verdicts::default(),
        };
        let memory = self.memory();
        if self.kind != Kind::Equal {
            seen.ages = timers(&seen, &memory).into_keys().map(|timer| (timer, Age::Ripe)).collect();
        }
        (seen, memory)
    }

    fn memory(&self) -> Memory {
        let records = self.members.iter().enumerate().filter_map(|(n, member)| record(n, member));
        let running =
            |member: &Member| matches!(member.state, State::Primary | State::Secondary | State::Unknown);
        let dark = !self.members.iter().any(running);
        Memory {
            epoch: Epoch {
                number: EPOCH,
                base: Some(Base { position: base(), measure: measure(READER) }),
                ..Epoch::default()
            },
            holders: records.map(|record| (record.holder.clone(), record)).collect(),
            outage: dark.then(Outage::default),
            outages: 1,
            ..Memory::default()
        }
    }

    fn replica(&self, ordinal: usize, member: &Member) -> Replica {
        let uid = ClaimUid(format!("claim-{ordinal}"));
        let claim =
            Claim { uid, bound: true, terminating: false, created_at: None, record: None, unreadable: false };
        let number = u32::try_from(ordinal).unwrap_or(0);
        let pod = (member.place != Place::Gone).then(|| self.pod(ordinal, member));
        Replica { ordinal: number, pod, claims: vec![claim], absence: None }
    }

    fn pod(&self, ordinal: usize, member: &Member) -> Pod {
        let id = container(ordinal, member.place == Place::Restarted);
        let state = match member.state {
            State::Down => ContainerState::Terminated("Error".to_owned()),
            _ => ContainerState::Running,
        };
        let followed = self.kind == Kind::FollowedRipe;
        let code = match member.state {
            State::Primary if followed => 8,
            State::Primary | State::Secondary => 0,
            State::Failed => 1,
            _ => 7,
        };
        let answer = Answer { code, container: id.clone(), group: None, progress: None, text: String::new() };
        let status = match member.state {
            State::Unknown => Status::Silent("lost".to_owned()),
            State::Down => Status::NotAsked,
            _ => Status::Answer(answer),
        };
        let (active, role) = match member.state {
            State::Primary => (member.known == Known::Current, Role::Primary),
            State::Secondary => {
                (member.known == Known::Current, if followed { Role::Secondary } else { Role::Primary })
            }
            _ => (false, Role::Stopped),
        };
        Pod {
            uid: pod(ordinal),
            node: Some(NodeName(format!("node-{ordinal}"))),
            terminating: false,
            finished: false,
            container: Some(Container { id: Some(id), state }),
            never_ran: false,
            trouble: None,
            guarded: true,
            unguardable: false,
            revision: "r1".into(),
            active: Some(active),
            role: Some(role),
            status,
        }
    }

    /// Has the plan's seed told of another member, whom it cannot follow.
    pub(crate) fn name_as_peer(&self, plan: &mut Plan, other: usize) {
        if let Some(Step::Run(run)) = plan.steps.first_mut() {
            run.peers.push(name(other));
        }
    }

    /// Makes the plan's seed one of another member, promise and all.
    pub(crate) fn seed_instead(&self, plan: &mut Plan, other: usize) {
        let Some(Step::Run(run)) = plan.steps.first_mut() else { return };
        assert_eq!(run.command, Command::Seed);
        let holders = &mut plan.memory.holders;
        let mut moved = None;
        for record in holders.values_mut().filter(|record| record.replica == run.replica) {
            moved = record.open.pop();
            record.starts -= 1;
        }
        run.replica = name(other);
        (run.if_pod, run.if_container) = (pod(other), container(other, false));
        if let (Some(start), Some(record)) = (moved, holders.get_mut(&holder(other))) {
            let (pod, container) = (run.if_pod.clone(), run.if_container.clone());
            let (node, boot) = (NodeName(format!("node-{other}")), BootId(format!("boot-{other}")));
            record.starts += 1;
            record.open.push(Start { pod, container, node, boot, ..start });
        }
    }
}

fn node(ordinal: usize) -> (NodeName, Node) {
    let boot = BootId(format!("boot-{ordinal}"));
    (NodeName(format!("node-{ordinal}")), Node { ready: true, boot, out_of_service: false })
}

fn pod(ordinal: usize) -> PodUid {
    PodUid(format!("pod-{ordinal}"))
}

fn container(ordinal: usize, restarted: bool) -> ContainerId {
    ContainerId(format!("container-{ordinal}{}", if restarted { "-again" } else { "" }))
}

fn record(ordinal: usize, member: &Member) -> Option<Record> {
    let mut record = Record::new(holder(ordinal), name(ordinal), Epoch { number: EPOCH, ..Epoch::default() });
    (record.confirmed, record.joining, record.starts) = match member.known {
        Known::Nothing => return None,
        Known::Older => (1, false, 1),
        Known::Current => (EPOCH, false, 1),
        Known::Joining => (1, true, 2),
        Known::New => (0, false, 0),
    };
    if record.confirmed == EPOCH {
        record.last = Some(Role::Primary);
    }
    record.open.extend(start(ordinal, member.open));
    let (starts, container) = (record.starts, container(ordinal, false));
    let reader = if member.read == Read::Another { "another" } else { READER };
    record.reading = written(member.read).map(|reading| Taken {
        reading,
        starts,
        container,
        measure: measure(reader),
        cut: false,
        facts: Vec::new(),
        raw: String::new(),
    });
    Some(record)
}

fn start(ordinal: usize, open: Open) -> Option<Start> {
    let (pod, container) = match open {
        Open::None => return None,
        Open::Elsewhere => (PodUid(format!("former-{ordinal}")), ContainerId(format!("former-{ordinal}"))),
        Open::Unconfirmed | Open::Held => (pod(ordinal), container(ordinal, false)),
    };
    Some(Start {
        attempt: AttemptId(format!("a{ordinal}")),
        kind: StartKind::Join,
        pod,
        container,
        node: NodeName(format!("node-{ordinal}")),
        boot: BootId(format!("boot-{ordinal}")),
        lock: if open == Open::Unconfirmed { Lock::Unasked } else { Lock::Held },
        confirmed: open != Open::Unconfirmed,
        began: true,
        ended: true,
        said: String::new(),
        joining_before: false,
        opens: false,
        from: None,
        measure: measure(READER),
    })
}
