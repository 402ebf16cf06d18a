//! Sets for tests: three stopped members on claims, and small words to change them.

use crate::decision::Verdicts;
use crate::measure::Measure;
use crate::memory::{Epoch, Memory};
use crate::names::{AttemptId, ClaimUid, ContainerId, NodeName, PodUid, Reader, ReplicaName};
use crate::observation::{
    Answer, Claim, Container, ContainerState, Node, Observation, Pod, Replica, Role, Status, Workload,
};
use crate::position::Position;
use crate::record::{HolderId, Reading, Record, Taken, Tried};
use crate::rehearsal::{Heard, Rehearsal};
use crate::start::{Lock, Start, StartKind};
use crate::target::{
    DetachedVolume, Failover, ForcedDeletion, Identities, Mode, Rollout, Storage, Target, Timeouts,
};
use std::collections::{BTreeMap, BTreeSet};

/// `x-N`.
pub(crate) fn name(ordinal: u32) -> ReplicaName {
    ReplicaName(format!("x-{ordinal}"))
}

pub(crate) fn holder(ordinal: u32) -> HolderId {
    HolderId::Claims(vec![ClaimUid(format!("claim-{ordinal}"))])
}

/// Who reads in these sets.
pub(crate) fn reader() -> Reader {
    Reader::from("reader")
}

/// By what that one measures in an outage.
pub(crate) fn measure(outage: u64) -> Measure {
    Measure { outage, reader: Some(reader()) }
}

pub(crate) fn target(replicas: u32) -> Target {
    Target {
        generation: 1,
        replicas,
        primaries: replicas,
        paused: false,
        has_secondary: false,
        storage: Storage::Claims { lock: true },
        identities: Identities::Numbered,
        mode: Mode::Auto,
        failover: Failover::NoKnownLoss,
        forced_deletion: ForcedDeletion::WaitGracePeriod,
        detached_volume: DetachedVolume::Hold,
        replace_after: Some(600),
        rehearsal_interval: None,
        parallel_joins: 1,
        rollout: Rollout::RollingUpdate,
        timeouts: Timeouts { sequence: 10, seed: 60, primary: 600, secondary: 60, status: 10, stop: 30 },
        grace_seconds: 30,
        keys: Vec::new(),
    }
}

/// Every pod runs on a node of its own, every member answers Stopped, nothing is remembered.
pub(crate) fn stopped_set(replicas: u32) -> Observation {
    Observation {
        target: target(replicas),
        nonce: "n".to_owned(),
        foreign: None,
        workload: Some(workload(replicas)),
        replicas: (0..replicas).map(|ordinal| (name(ordinal), replica(ordinal))).collect(),
        nodes: (0..replicas).map(|ordinal| (NodeName(format!("node-{ordinal}")), node(ordinal))).collect(),
        terminated: BTreeSet::new(),
        attempts: BTreeMap::new(),
        fates: BTreeMap::new(),
        attached: BTreeSet::new(),
        elsewhere: BTreeSet::new(),
        ages: BTreeMap::new(),
        reader: Some(reader()),
        verdicts: Verdicts::default(),
    }
}

fn workload(replicas: u32) -> Workload {
    Workload {
        replicas,
        revision: "r1".into(),
        immutable: None,
        current: Some(true),
        released: BTreeSet::new(),
    }
}

fn node(ordinal: u32) -> Node {
    Node { ready: true, boot: format!("boot-{ordinal}").as_str().into(), out_of_service: false }
}

fn replica(ordinal: u32) -> Replica {
    let uid = ClaimUid(format!("claim-{ordinal}"));
    let claim =
        Claim { uid, bound: true, terminating: false, created_at: None, record: None, unreadable: false };
    Replica { ordinal, pod: Some(pod(ordinal)), claims: vec![claim], absence: None }
}

pub(crate) fn container(ordinal: u32) -> ContainerId {
    ContainerId(format!("container-{ordinal}"))
}

fn pod(ordinal: u32) -> Pod {
    Pod {
        uid: PodUid(format!("pod-{ordinal}")),
        node: Some(NodeName(format!("node-{ordinal}"))),
        terminating: false,
        finished: false,
        container: Some(Container { id: Some(container(ordinal)), state: ContainerState::Running }),
        never_ran: false,
        trouble: None,
        guarded: true,
        unguardable: false,
        revision: "r1".into(),
        active: Some(false),
        role: Some(Role::Stopped),
        status: answer(ordinal, 7),
    }
}

pub(crate) fn answer(ordinal: u32, code: i32) -> Status {
    let container = container(ordinal);
    Status::Answer(Answer { code, container, group: None, progress: None, text: String::new() })
}

/// A record of the claim of a replica, of epoch 1.
pub(crate) fn record(ordinal: u32) -> Record {
    Record::new(holder(ordinal), name(ordinal), Epoch { number: 1, ..Epoch::default() })
}

pub(crate) fn memory(records: impl IntoIterator<Item = Record>) -> Memory {
    let holders: BTreeMap<HolderId, Record> = records.into_iter().map(|r| (r.holder.clone(), r)).collect();
    let number = holders.values().map(|record| record.confirmed).max().unwrap_or(0);
    Memory { epoch: Epoch { number, ..Epoch::default() }, holders, outages: 1, ..Memory::default() }
}

/// Member 0 was primary and is stopped at `primary`; 1 and 2 follow, at least at those positions.
pub(crate) fn headless(primary: u64, followers: [u64; 2]) -> (Observation, Memory) {
    let mut seen = stopped_set(3).answers(1, 0).answers(2, 0);
    (seen.target.has_secondary, seen.target.primaries) = (true, 1);
    for ordinal in 1..3 {
        let pod = seen.pod_mut(ordinal);
        (pod.active, pod.role) = (Some(true), Some(Role::Secondary));
    }
    let mut old = record(0).confirmed_in(1).at(primary);
    old.last = Some(Role::Primary);
    let follower = |n: u32, at: u64| {
        let reading = Reading::At(Position::Ordinal(at));
        record(n).confirmed_in(1).open_start(&format!("a{n}")).ran_at(reading)
    };
    (seen, memory([old, follower(1, followers[0]), follower(2, followers[1])]))
}

/// As in `stopped_set`, but every member answers that it runs.
pub(crate) fn running(replicas: u32) -> Observation {
    (0..replicas).fold(stopped_set(replicas), |seen, ordinal| seen.answers(ordinal, 0))
}

/// In which epoch the first three members were confirmed.
pub(crate) fn confirmed(memory: &Memory) -> Vec<u64> {
    (0..3).filter_map(|n| memory.of(&name(n)).next().map(|record| record.confirmed)).collect()
}

/// Three members that run and are confirmed, with what each answered a moment ago while it ran: a set that asks once in a
/// minute.
pub(crate) fn rehearsed_set(numbers: [u64; 3]) -> (Observation, Memory) {
    let mut seen = (0..3).fold(stopped_set(3), |seen, ordinal| seen.answers(ordinal, 8));
    seen.target.rehearsal_interval = Some(60);
    let mut known = memory((0..3).map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))));
    for (ordinal, number) in (0..3).zip(numbers) {
        let pod = seen.pod_mut(ordinal);
        (pod.active, pod.role) = (Some(true), Some(Role::Primary));
        known.rehearsals.insert(name(ordinal), rehearsal(ordinal, Reading::At(Position::Ordinal(number))));
    }
    known.holders.values_mut().for_each(|record| record.last = Some(Role::Primary));
    (seen, known)
}

/// What a member said of its data while it ran.
pub(crate) fn rehearsal(ordinal: u32, reading: Reading) -> Rehearsal {
    Rehearsal {
        holder: holder(ordinal),
        starts: 1,
        container: container(ordinal),
        attempt: AttemptId(format!("r{ordinal}")),
        reader: Some(reader()),
        heard: Heard::Said(reading.into()),
        held: None,
    }
}

/// A start in the present container of a replica, confirmed, with its lock seen held.
pub(crate) fn start(ordinal: u32, attempt: &str) -> Start {
    Start {
        attempt: AttemptId::from(attempt),
        kind: StartKind::Join,
        pod: PodUid(format!("pod-{ordinal}")),
        container: container(ordinal),
        node: NodeName(format!("node-{ordinal}")),
        boot: format!("boot-{ordinal}").as_str().into(),
        lock: Lock::Held,
        confirmed: true,
        began: true,
        ended: true,
        said: String::new(),
        joining_before: false,
        opens: false,
        from: None,
        measure: measure(1),
    }
}

/// A seed of this replica that began with this much, and came to nothing.
pub(crate) fn tried(ordinal: u32, from: Option<Position>, why: &str) -> Tried {
    let Start { node, boot, .. } = start(ordinal, "seed");
    Tried { from, reader: Some(reader()), why: why.to_owned(), node, boot }
}

impl Record {
    pub(crate) fn confirmed_in(mut self, epoch: u64) -> Self {
        self.confirmed = epoch;
        self.epoch.number = epoch;
        self.starts = self.starts.max(1);
        self
    }

    pub(crate) fn starts(mut self, starts: u64) -> Self {
        self.starts = starts;
        self
    }

    pub(crate) fn open_start(mut self, attempt: &str) -> Self {
        let HolderId::Claims(uids) = &self.holder else { panic!("a holder on claims") };
        let ordinal = uids[0].0.rsplit('-').next().unwrap().parse().unwrap();
        self.open.push(start(ordinal, attempt));
        self
    }

    pub(crate) fn reads(mut self, reading: Reading) -> Self {
        self.reading = Some(self.taken(reading));
        self
    }

    /// What it said while it ran.
    pub(crate) fn ran_at(mut self, reading: Reading) -> Self {
        self.running = Some(self.taken(reading));
        self
    }

    fn taken(&self, reading: Reading) -> Taken {
        let ordinal: u32 = self.replica.0.rsplit('-').next().unwrap().parse().unwrap();
        let (starts, container) = (self.starts, container(ordinal));
        let (measure, facts, raw) = (measure(1), Vec::new(), String::new());
        Taken { reading, starts, container, measure, cut: false, facts, raw }
    }

    pub(crate) fn at(self, number: u64) -> Self {
        self.reads(Reading::At(Position::Ordinal(number)))
    }
}

impl Observation {
    pub(crate) fn pod_mut(&mut self, ordinal: u32) -> &mut Pod {
        self.replicas.get_mut(&name(ordinal)).unwrap().pod.as_mut().unwrap()
    }

    /// The first members say that they are of these groups.
    pub(crate) fn in_groups(&mut self, groups: [&str; 2]) {
        for (ordinal, group) in (0..).zip(groups) {
            let Status::Answer(answer) = &mut self.pod_mut(ordinal).status else { panic!("it answers") };
            answer.group = Some(group.into());
        }
    }

    pub(crate) fn answers(mut self, ordinal: u32, code: i32) -> Self {
        self.pod_mut(ordinal).status = answer(ordinal, code);
        self
    }
}
