//! Commands in containers: what reaches one is run under the guard. How long a request is on its way, and whether its
//! reply comes through, is for whoever sends it.

use super::Cluster;
use super::objects::LOOK;
use crate::operator::Letter;
use crate::world::{Ask, Flight, Mark};
use planner::names::{AttemptId, ContainerId, PodUid, ReplicaName};
use planner::observation::{AttemptState, Command, Output, Refusal, Status};
use planner::plan::{Cause, Run};

/// A guarded command that has reached its pod.
#[derive(Clone, Debug)]
pub struct Request {
    /// The pod, by name.
    pub replica: ReplicaName,
    /// Only in this one.
    pub if_pod: PodUid,
    /// The name under which it begins at most once.
    pub attempt: AttemptId,
    /// What.
    pub command: Command,
    /// It takes the volume lock first.
    pub lock: bool,
    /// The pods of the primaries that it is told.
    pub peers: Vec<ReplicaName>,
}

/// What came back of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Its exit code, and what it printed.
    Ended(i32, String),
    /// The stream broke.
    Lost,
}

impl Mark {
    /// As the guard tells it.
    #[must_use]
    pub fn said(self) -> String {
        match self {
            Self::Revoked => "revoked\n".to_owned(),
            Self::Refused => "marked\n".to_owned(),
            Self::Began => "began\n".to_owned(),
            Self::Ended(code) => format!("ended {code}\n"),
            Self::Over => "over\n".to_owned(),
        }
    }
}

/// A guarded command that was not refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Began {
    /// What.
    pub command: Command,
    /// Where.
    pub replica: ReplicaName,
}

impl Cluster {
    /// Whether requests reach the running container of this pod.
    #[must_use]
    pub fn is_reachable(&self, pod: &ReplicaName) -> bool {
        let Some(pod) = self.world.pods.get(&self.world.number(pod)) else { return false };
        let there = self.world.sandbox(&pod.shown.uid).filter(|sandbox| sandbox.container.is_some());
        there.is_some_and(|sandbox| self.world.machines[sandbox.machine].is_reachable())
    }

    /// Runs a command; its reply is fetched by the number that is given back.
    pub fn begin(&mut self, request: Request) -> u64 {
        self.tickets += 1;
        let ticket = self.tickets;
        let is_new = self.world.mark(&request.if_pod, &request.attempt).is_none();
        let (command, replica) = (request.command, request.replica.clone());
        let flight = Flight {
            sender: (0, ticket),
            replica: request.replica.clone(),
            if_pod: request.if_pod.clone(),
            attempt: request.attempt.clone(),
            ask: Ask::Run(run(request.clone())),
            looked: self.world.now.saturating_sub(LOOK),
            mute: false,
        };
        self.world.deliver(flight);
        let now = self.world.mark(&request.if_pod, &request.attempt);
        if is_new && now.is_some_and(|mark| mark != Mark::Refused) {
            if command.is_start() && !self.world.is_written_down(&request.attempt) {
                self.world.breach(format!("{command:?} of {} begins and is written down nowhere", replica.0));
            }
            self.began.push(Began { command, replica });
        }
        self.collect();
        ticket
    }

    /// Whether the reply to a command is there.
    #[must_use]
    pub fn has_reply(&self, ticket: u64) -> bool {
        self.replies.contains_key(&ticket)
    }

    /// The reply to a command, once it is there.
    pub fn fetch(&mut self, ticket: u64) -> Option<Reply> {
        self.replies.remove(&ticket)
    }

    /// Makes the folder of an attempt, or tells what is in it. None: this is another pod.
    pub fn ask_fate(&mut self, pod: &ReplicaName, uid: &PodUid, attempt: &AttemptId) -> Option<Mark> {
        let is_it = self.world.pods.get(&self.world.number(pod)).is_some_and(|pod| pod.shown.uid == *uid);
        let sandbox = self.world.sandbox_mut(uid).filter(|_| is_it)?;
        Some(*sandbox.folder.entry(attempt.clone()).or_insert(Mark::Revoked))
    }

    /// What `status` says: an exit code and its output, or nothing, for ever.
    pub fn ask_status(&mut self, pod: &ReplicaName) -> Option<(i32, String)> {
        let number = self.world.number(pod);
        let container = self.world.pods.get(&number)?.shown.container_id()?.clone();
        match self.world.status(number, &container) {
            Status::Answer(answer) => {
                let group = answer.group.map(|group| format!("rss.group={}\n", group.0));
                let progress = answer.progress.map(|progress| format!("rss.progress={progress}\n"));
                Some((answer.code, group.into_iter().chain(progress).collect()))
            }
            _ => None,
        }
    }

    /// The guarded commands that began, in their order.
    #[must_use]
    pub fn began(&self) -> &[Began] {
        &self.began
    }

    pub(super) fn collect(&mut self) {
        for envelope in std::mem::take(&mut self.world.inbox) {
            let reply = match envelope.letter {
                Letter::State(AttemptState::Ended(Output { code, stdout, .. })) => Reply::Ended(code, stdout),
                Letter::State(AttemptState::Refused(why)) => Reply::Ended(code_of(why), String::new()),
                Letter::State(_) => Reply::Lost,
                // Of a question beside a command: the sender asks itself.
                Letter::Fate(_) | Letter::NoFate => continue,
            };
            self.replies.insert(envelope.to.1, reply);
        }
    }
}

/// The guard's exit code.
fn code_of(why: Refusal) -> i32 {
    match why {
        Refusal::OtherPod => 120,
        Refusal::NoFolder => 121,
        Refusal::BeganBefore => 122,
        Refusal::LockBusy => 123,
        Refusal::NoLock => 124,
    }
}

/// What the operator alone knows of it is of no meaning in a container.
fn run(request: Request) -> Run {
    Run {
        replica: request.replica,
        command: request.command,
        attempt: request.attempt,
        if_pod: request.if_pod,
        if_container: ContainerId(String::new()),
        lock: request.lock,
        starts: 0,
        at_rest: false,
        epoch: 0,
        peers: request.peers,
        cause: Cause::Answer,
    }
}
