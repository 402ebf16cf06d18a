//! What a look shows of each member, read from the raw evidence.

use super::past::Past;
use crate::key::{Key, KeyKind};
use crate::memory::Memory;
use crate::names::{ContainerId, PodUid, ReplicaName};
use crate::observation::{AttemptState, Container, ContainerState, Fate, Observation, Pod, Replica, Status};
use crate::plan::{News, Plan, Run, Step};
use crate::record::{HolderId, Record};
use crate::start::Start;
use crate::target::{Storage, Target};
use crate::timer::{Age, Timer};

/// A look, what was remembered before it, and the plan that it led to.
pub(super) struct Evidence<'a> {
    pub(super) seen: &'a Observation,
    pub(super) memory: &'a Memory,
    pub(super) plan: &'a Plan,
    /// In the order of their names.
    pub(super) members: Vec<Member<'a>>,
}

/// One replica as it is seen.
pub(super) struct Member<'a> {
    pub(super) name: &'a ReplicaName,
    pub(super) replica: &'a Replica,
    pub(super) state: State,
    /// Whose data it has now.
    pub(super) holder: Option<HolderId>,
}

/// What is known of a member's application in this look (section 2, AppState).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Primary,
    Secondary,
    Stopped,
    Failed,
    Down,
    Unknown,
}

impl<'a> Evidence<'a> {
    pub(super) fn of(seen: &'a Observation, memory: &'a Memory, plan: &'a Plan) -> Self {
        let member = |(name, replica): (&'a ReplicaName, &'a Replica)| Member {
            name,
            replica,
            state: state(replica.pod.as_ref(), &seen.target),
            holder: holder(replica, seen.target.storage),
        };
        Self { seen, memory, plan, members: seen.replicas.iter().map(member).collect() }
    }

    /// Whether nothing may be done at all.
    pub(super) fn hands_off(&self) -> bool {
        self.seen.foreign.is_some() || self.seen.target.paused
    }

    pub(super) fn member(&self, name: &ReplicaName) -> Option<&Member<'a>> {
        let at = self.members.binary_search_by(|member| member.name.cmp(name)).ok()?;
        self.members.get(at)
    }

    /// Where this data is now.
    pub(super) fn place_of(&self, holder: &HolderId) -> Option<&Member<'a>> {
        self.members.iter().find(|member| member.holder.as_ref() == Some(holder))
    }

    /// Whether a member runs by this data, and says so.
    pub(super) fn serves(&self, holder: &HolderId) -> bool {
        self.place_of(holder).is_some_and(|member| member.state.serves())
    }

    /// What was remembered of this data.
    pub(super) fn past(&self, holder: &HolderId) -> Past<'a> {
        Past::of(self, holder)
    }

    /// One record of each holder that was remembered, in status or on its claims.
    pub(super) fn remembered(&self) -> impl Iterator<Item = &'a Record> {
        let on_claims = self.members.iter().filter_map(|member| {
            let holder =
                member.holder.as_ref().filter(|holder| !self.memory.holders.contains_key(*holder))?;
            self.past(holder).own().next()
        });
        self.memory.holders.values().chain(on_claims)
    }

    /// Whether a start of this name was ever written, on any data.
    pub(super) fn past_anywhere(&self, start: &Start) -> bool {
        let claims = self.members.iter().flat_map(|member| &member.replica.claims);
        let records = self.memory.holders.values().chain(claims.filter_map(|claim| claim.record.as_ref()));
        records.flat_map(|record| &record.open).any(|known| known.attempt == start.attempt)
    }

    /// What the plan will remember of this data.
    pub(super) fn after(&self, holder: &HolderId) -> Option<&'a Record> {
        self.plan.memory.holders.get(holder)
    }

    /// What the plan will remember of the data that a member has now.
    pub(super) fn record_of(&self, member: &Member<'a>) -> Option<&'a Record> {
        self.after(member.holder.as_ref()?)
    }

    pub(super) fn runs(&self) -> impl Iterator<Item = &'a Run> {
        self.plan.steps.iter().filter_map(|step| match step {
            Step::Run(run) => Some(run),
            _ => None,
        })
    }

    pub(super) fn ripe(&self, timer: &Timer) -> bool {
        self.seen.ages.get(timer) == Some(&Age::Ripe)
    }

    /// Whether the time that a start's command has is over.
    pub(super) fn is_late(&self, start: &Start) -> bool {
        self.ripe(&Timer::Deadline(start.attempt.clone()))
    }

    /// Whether no pod of this UID is left in the API.
    pub(super) fn is_gone(&self, uid: &PodUid) -> bool {
        self.members.iter().all(|member| member.pod().is_none_or(|pod| &pod.uid != uid))
    }

    /// Whether a start that no member was seen to run by may be in the container that its pod runs now: its command is said
    /// there to have begun, or ended, and not before that one (4.2).
    pub(super) fn came_late(&self, start: &Start, container: &ContainerId) -> bool {
        let is_here = |member: &Member<'_>| {
            member.container() == Some(container) && member.pod().is_some_and(|pod| pod.uid == start.pod)
        };
        let fate = self.seen.fates.get(&start.attempt);
        let is_said = matches!(fate, Some(Fate::Began | Fate::Ended(_)));
        !start.confirmed && is_said && self.members.iter().any(is_here)
    }

    pub(super) fn anybody(&self, is: impl Fn(State) -> bool) -> bool {
        self.members.iter().any(|member| is(member.state))
    }

    /// Whether a guarded command is under way there, its member not confirmed and its deadline
    /// not passed (4.1).
    pub(super) fn is_busy(&self, container: &ContainerId) -> bool {
        self.seen.attempts.iter().any(|(id, attempt)| {
            let excused = || {
                let opens = || self.plan.memory.holders.values().flat_map(|record| &record.open);
                attempt.command.is_start()
                    && (opens().any(|start| &start.attempt == id && start.confirmed)
                        || self.ripe(&Timer::Deadline(id.clone())))
            };
            &attempt.container == container && attempt.state == AttemptState::Running && !excused()
        })
    }

    /// A key of a person that opens this now, and is used up by it (4.10).
    pub(super) fn key(&self, kind: KeyKind, subject: Option<&str>) -> Option<&'a Key> {
        self.seen.target.keys.iter().find(|key| {
            key.kind == kind && subject.is_none_or(|subject| key.subject == subject) && self.opens(key)
        })
    }

    /// Whether a key was not used before, is written down and told as used, and fits the facts.
    pub(super) fn opens(&self, key: &Key) -> bool {
        let text = key.text();
        !self.memory.used_keys.contains(&text)
            && self.plan.memory.used_keys.contains(&text)
            && self.plan.news.contains(&News::KeyUsed(text))
            && self.fits(key)
    }

    /// Whether answers of running members that were remembered before count now.
    pub(super) fn counts_answers(&self) -> bool {
        !self.memory.paused && self.seen.target.rehearsal_interval.is_some()
    }

    /// Whether a key is bound to the facts of this look: what is remembered after it, without the starts
    /// that the plan promises.
    fn fits(&self, key: &Key) -> bool {
        let mut memory = self.plan.memory.clone();
        // A plan that starts a member drops the answer of that member.
        if self.counts_answers() {
            memory.rehearsals = self.memory.rehearsals.clone();
            memory.rehearsals.extend(self.plan.memory.rehearsals.clone());
        }
        let promised: Vec<&Run> = self.runs().filter(|run| run.command.is_start()).collect();
        for record in memory.holders.values_mut() {
            let all = record.open.len();
            record.open.retain(|start| promised.iter().all(|run| run.attempt != start.attempt));
            record.starts = record.starts.saturating_sub((all - record.open.len()) as u64);
        }
        *key == Key::bound(key.kind, key.subject.clone(), self.seen, &memory)
    }
}

impl<'a> Member<'a> {
    pub(super) fn pod(&self) -> Option<&'a Pod> {
        self.replica.pod.as_ref()
    }

    /// Clients are led to it.
    pub(super) fn has_label(&self) -> bool {
        self.pod().is_some_and(|pod| pod.active == Some(true))
    }

    pub(super) fn takes_writes(&self) -> bool {
        self.state == State::Primary
    }

    /// The run of the first container that is there now, whatever its state.
    pub(super) fn container(&self) -> Option<&'a ContainerId> {
        self.pod()?.container.as_ref()?.id.as_ref()
    }
}

impl State {
    pub(super) fn serves(self) -> bool {
        matches!(self, Self::Primary | Self::Secondary)
    }
}

/// Which data a place has (section 2, Holder).
fn holder(replica: &Replica, storage: Storage) -> Option<HolderId> {
    match storage {
        Storage::Claims { .. } if replica.claims.is_empty() => None,
        Storage::Claims { .. } => {
            Some(HolderId::Claims(replica.claims.iter().map(|claim| claim.uid.clone()).collect()))
        }
        Storage::Pod => replica.pod.as_ref().map(|pod| HolderId::Pod(pod.uid.clone())),
        Storage::Container => {
            let container = replica.pod.as_ref()?.container.as_ref()?;
            container.id.clone().map(HolderId::Container)
        }
    }
}

/// How a member is (section 2, AppState). What the kubelet reports as ended has no process.
fn state(pod: Option<&Pod>, target: &Target) -> State {
    let Some(pod) = pod else { return State::Down };
    match &pod.container {
        _ if pod.finished => State::Down,
        Some(Container { state: ContainerState::Terminated(_) | ContainerState::Waiting(_), .. }) => {
            State::Down
        }
        _ if pod.terminating => State::Unknown,
        None => State::Down,
        Some(Container { state: ContainerState::Running, id }) => match &pod.status {
            Status::Answer(answer) if Some(&answer.container) == id.as_ref() => answered(answer.code, target),
            _ => State::Unknown,
        },
    }
}

/// What an exit code of `status` means. 126 and above is the shell's or a signal's, not the
/// application's.
fn answered(code: i32, target: &Target) -> State {
    match code {
        8 => State::Primary,
        0 if target.has_secondary => State::Secondary,
        0 => State::Primary,
        7 => State::Stopped,
        1..126 => State::Failed,
        _ => State::Unknown,
    }
}

#[cfg(test)]
mod table;
