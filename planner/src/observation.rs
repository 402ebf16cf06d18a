//! All that one look at a set saw. Raw evidence: nothing is concluded here.

use crate::decision::Verdicts;
use crate::names::{
    AttemptId, BootId, ClaimUid, ContainerId, GroupId, NodeName, PodUid, Reader, ReplicaName, Revision,
};
use crate::record::Record;
use crate::target::Target;
use crate::timer::{Age, Timer};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One look. Serialisable, so that a decision can be replayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Observation {
    /// What is wanted.
    pub target: Target,
    /// Fresh in each look; attempts are named by it, so a lost Memory cannot reuse a name.
    pub nonce: String,
    /// Another installation looks after this set, and is alive: its name.
    pub foreign: Option<String>,
    /// The StatefulSet, once it is there.
    pub workload: Option<Workload>,
    /// Every place that is or was one: by size, by pod, or by claim, also beyond `replicas`.
    pub replicas: BTreeMap<ReplicaName, Replica>,
    /// Pods and claims with a record that the set has on its other workload: it may serve there, or its data is there.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub elsewhere: BTreeSet<String>,
    /// The nodes that the API knows, by name.
    pub nodes: BTreeMap<NodeName, Node>,
    /// Containers that a kubelet reported terminated (never `ContainerStatusUnknown`).
    pub terminated: BTreeSet<ContainerId>,
    /// Commands of this leader, running or just ended.
    pub attempts: BTreeMap<AttemptId, Attempt>,
    /// What became of attempts that were asked for.
    pub fates: BTreeMap<AttemptId, Fate>,
    /// Claims whose volume is, or may be, attached to a node.
    pub attached: BTreeSet<(ClaimUid, NodeName)>,
    /// How long things have been so, by the leader's own clock; absent = too soon.
    #[serde(with = "crate::pairs")]
    pub ages: BTreeMap<Timer, Age>,
    /// Who reads positions in this look; none while no policy can be asked.
    #[serde(default)]
    pub reader: Option<Reader>,
    /// What the policy answered.
    pub verdicts: Verdicts,
}

/// The StatefulSet as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Workload {
    /// `spec.replicas`.
    pub replicas: u32,
    /// The revision that new pods get.
    pub revision: Revision,
    /// A field that differs from what is wanted and cannot be changed in place.
    pub immutable: Option<String>,
    /// Whether `revision` is that of the template now wanted: `status.observedGeneration` has caught up with it. None until
    /// whoever looks has compared the two.
    pub current: Option<bool>,
    /// Identities that were given up: of those that are given once, they never come back.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub released: BTreeSet<ReplicaName>,
}

impl Workload {
    /// `revision` is surely that of the template now wanted.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.current == Some(true)
    }
}

/// One place for a member.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Replica {
    /// Its number in the StatefulSet; of no meaning where identities are given once.
    pub ordinal: u32,
    /// Its pod, if there is one.
    pub pod: Option<Pod>,
    /// Its claims, in the order of the templates; empty where none exists (yet).
    pub claims: Vec<Claim>,
    /// Why its container does not run, where the cluster says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absence: Option<Absence>,
}

/// Why the container of a member does not run, in the words of the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Absence {
    /// What the cluster says. It is for people: nothing is decided by it.
    pub why: String,
    /// A correction brings the member back with its data. False where that is not known.
    pub recovers: bool,
}

/// A pod as the API shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pod {
    /// Its UID.
    pub uid: PodUid,
    /// Where it was placed.
    pub node: Option<NodeName>,
    /// It has a deletion timestamp.
    pub terminating: bool,
    /// Its phase is Failed or Succeeded (evicted, for one).
    pub finished: bool,
    /// The first container, once the kubelet told of it.
    pub container: Option<Container>,
    /// The application's container never ran: it waits for its first start. False where that is not known.
    #[serde(default)]
    pub never_ran: bool,
    /// Why it does not run, in the words of scheduler and kubelet: unschedulable, cannot pull, claim pending.
    pub trouble: Option<String>,
    /// It has the guard's environment and folder.
    pub guarded: bool,
    /// Guarded commands get no answer there, again and again, while `status` does: no shell, for one.
    pub unguardable: bool,
    /// The template that it was made from.
    pub revision: Revision,
    /// The label `rss-active-member`.
    pub active: Option<bool>,
    /// The label `clusterlabs.org/role`.
    pub role: Option<Role>,
    /// What `status` answered in this round.
    pub status: Status,
}

/// The first container of a pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Container {
    /// This run of it; absent before the first.
    pub id: Option<ContainerId>,
    /// What the kubelet says it does.
    pub state: ContainerState,
}

/// `state` of a container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContainerState {
    /// Its process runs.
    Running,
    /// Not started yet, with the kubelet's reason.
    Waiting(String),
    /// It ended, with the kubelet's reason.
    Terminated(String),
}

/// What `status` answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// Not asked: no running container to ask in.
    #[default]
    NotAsked,
    /// It ended by itself.
    Answer(Answer),
    /// No answer: a lost stream, an API error; nothing is known.
    Silent(String),
    /// No answer within its timeout.
    Hung {
        /// Whether `sh -c :` in the same container answered meanwhile.
        shell_answers: bool,
    },
}

/// An answer of `status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The exit code.
    pub code: i32,
    /// The container that it ran in.
    pub container: ContainerId,
    /// `rss.group=ID` on its output.
    pub group: Option<GroupId>,
    /// `rss.progress=TEXT` on its output.
    pub progress: Option<String>,
    /// The last line it printed otherwise, cut.
    pub text: String,
}

/// The label `clusterlabs.org/role`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Role {
    /// It takes writes.
    Primary,
    /// It follows.
    Secondary,
    /// Its application does not run.
    Stopped,
}

/// A claim of a replica.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    /// Its UID.
    pub uid: ClaimUid,
    /// It has a volume.
    pub bound: bool,
    /// It has a deletion timestamp.
    pub terminating: bool,
    /// When it was created, in seconds since the Unix epoch, where that is known.
    #[serde(default)]
    pub created_at: Option<u64>,
    /// What its annotation says; it may name another claim (a restored object).
    pub record: Option<Record>,
    /// Its annotation cannot be read.
    pub unreadable: bool,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Condition Ready is True.
    pub ready: bool,
    /// Which start of the machine this is.
    pub boot: BootId,
    /// Tainted `node.kubernetes.io/out-of-service`: an administrator vouches that it is off.
    pub out_of_service: bool,
}

/// A guarded command of this leader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// Where.
    pub replica: ReplicaName,
    /// In which pod.
    pub pod: PodUid,
    /// In which container.
    pub container: ContainerId,
    /// What.
    pub command: Command,
    /// The volume lock was asked for.
    pub locked: bool,
    /// `Run::starts` of the step that began it.
    pub starts: u64,
    /// `Run::at_rest` of the step that began it.
    pub at_rest: bool,
    /// What is known of it.
    pub state: AttemptState,
}

/// The commands that are run under the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Command {
    /// `sequence`.
    Read,
    /// `sequence` of a running member in a set that is well: no reading comes of it.
    Rehearse,
    /// `seed`.
    Seed,
    /// `primary` on a stopped member.
    Join,
    /// `secondary`.
    Follow,
    /// `primary` on a running secondary.
    Promote,
    /// `secondary` on a running primary.
    Demote,
    /// `stop`.
    Stop,
    /// `true`: only the volume lock is asked about.
    Probe,
}

/// How an attempt stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AttemptState {
    /// Its command runs and is within its deadline.
    Running,
    /// The guard refused it before the command began.
    Refused(Refusal),
    /// The command ended by itself.
    Ended(Output),
    /// It did not end within its deadline, and may still run.
    Overdue,
    /// The stream was lost: nothing is known.
    Lost(String),
}

/// Why the guard did not begin a command; only where it left no `rc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Refusal {
    /// 120: it arrived in another pod.
    OtherPod,
    /// 121: no folder to mark the beginning in.
    NoFolder,
    /// 122: it began before, or was revoked.
    BeganBefore,
    /// 123: the volume lock is held.
    LockBusy,
    /// 124: no volume lock can be had in this container.
    NoLock,
}

/// What a command said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// The exit code; the guard makes a script's own 120-124 a 119, except of a start.
    pub code: i32,
    /// What it wrote, cut.
    pub stdout: String,
    /// What it wrote as error, cut.
    pub stderr: String,
    /// The output was cut: it is never a position.
    pub truncated: bool,
}

/// What became of an attempt, as its folder in the container says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Fate {
    /// We made its folder first: it can never begin.
    Revoked,
    /// It began, and left no exit code (yet): in the container that was asked, or in one of before.
    Began,
    /// It ended with this code, there or before.
    Ended(i32),
    /// It began in a container before the one that was asked: that one has ended, and all that was started in it.
    Over,
    /// It began, and the guard refused it with 123 or 124: its command never ran.
    Refused,
}
