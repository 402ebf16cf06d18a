//! One look: everything that is known of the set becomes one `Observation`.

use super::Operator;
use crate::policy::Named;
use crate::world::api::{View, name};
use crate::world::{WITHOUT_SHELL, World};
use planner::decision::{Judgement, SequenceOutput, Verdict, Verdicts};
use planner::names::{AttemptId, ReplicaName, Revision};
use planner::observation::{AttemptState, Container, ContainerState, Pod, Replica, Status, Workload};
use planner::{AppState, Decisions, Memory, Observation, Readiness, judge, questions, timers};
use std::collections::{BTreeMap, BTreeSet};

impl Operator {
    pub(super) fn observe(&mut self, world: &mut World, view: &View, memory: &Memory) -> Observation {
        self.fetch(world, view);
        self.looks += 1;
        let policy = self.policy(world, view);
        let mut seen = Observation {
            target: view.resource.target.clone(),
            nonce: format!("o{}.{}.{}", self.number, self.life, self.looks),
            foreign: None,
            workload: workload(view, memory),
            replicas: replicas(world, view, memory),
            nodes: view.nodes.clone(),
            terminated: self.terminated.clone(),
            attempts: self.book.attempts.clone(),
            fates: self.book.fates.clone(),
            attached: BTreeSet::new(),
            elsewhere: BTreeSet::new(),
            ages: BTreeMap::new(),
            reader: policy
                .map(|policy| if world.options.names_readers { policy.reader() } else { "one".into() }),
            verdicts: Verdicts::default(),
        };
        seen.verdicts.readings = policy.map(|policy| self.readings(policy)).unwrap_or_default();
        if let Some(lies) = policy.and_then(|policy| policy.lies) {
            lies.read(&mut world.chance, &mut seen);
        }
        seen.ages = self.ages.look(&timers(&seen, memory), world.now);
        self.peers = primaries(&seen);
        match policy {
            Some(policy) => ask_policy(world, policy, &mut seen, memory),
            None => seen.verdicts.unavailable = Some("it is away".to_owned()),
        }
        seen
    }

    /// What would become of a lights-out now.
    pub(super) fn foretell(
        &self,
        world: &World,
        view: &View,
        seen: &Observation,
        memory: &Memory,
    ) -> Option<Readiness> {
        let (positions, number) = (world.options.positions, view.resource.policy);
        let policy = Named { positions, number, lies: view.resource.lies };
        match &seen.verdicts.unavailable {
            Some(why) => planner::ready(seen, memory, Err(why)),
            None => planner::ready(seen, memory, Ok(&policy)),
        }
    }

    /// One that is changed now and then may not be at hand in a look.
    fn policy(&self, world: &mut World, view: &View) -> Option<Named> {
        let is_away = world.options.policies && world.mishap(40);
        let (positions, number) = (world.options.positions, view.resource.policy);
        (!is_away).then_some(Named { positions, number, lies: view.resource.lies })
    }

    /// Replies, and what the watch delivered of containers that ended.
    fn fetch(&mut self, world: &mut World, view: &View) {
        let (mine, others) =
            std::mem::take(&mut world.inbox).into_iter().partition(|e| e.to.0 == self.number);
        world.inbox = others;
        let mine: Vec<super::Envelope> = mine;
        for envelope in mine.into_iter().filter(|envelope| envelope.to.1 == self.life) {
            self.book.open(envelope);
        }
        self.terminated.extend(world.reports[self.reports..].iter().cloned());
        self.reports = world.reports.len();
        let ended = view.pods.values().filter_map(|pod| pod.container.as_ref());
        let ended = ended.filter(|container| matches!(container.state, ContainerState::Terminated(_)));
        self.terminated.extend(ended.filter_map(|container| container.id.clone()));
    }

    fn readings(&self, policy: Named) -> BTreeMap<AttemptId, Judgement> {
        let reads = self.book.attempts.iter().filter(|(_, attempt)| attempt.command.is_sequence());
        let reading = |(id, attempt): (&AttemptId, &planner::observation::Attempt)| {
            let AttemptState::Ended(output) = &attempt.state else { return None };
            let said = SequenceOutput {
                replica: &attempt.replica,
                code: output.code,
                stdout: &output.stdout,
                stderr: &output.stderr,
                truncated: output.truncated,
            };
            Some((id.clone(), policy.sequence(&said)))
        };
        reads.filter_map(reading).collect()
    }
}

/// A policy may trap, or lie: its answer is a proposal.
fn ask_policy(world: &mut World, policy: Named, seen: &mut Observation, memory: &Memory) {
    let asked = questions(seen, memory);
    let verdicts = judge(&policy, &asked);
    seen.verdicts = Verdicts { readings: std::mem::take(&mut seen.verdicts.readings), ..verdicts };
    if let Some(lies) = policy.lies {
        return lies.answer(&mut world.chance, &asked, seen);
    }
    if seen.verdicts.seed.is_some() && world.mishap(8) {
        let all: Vec<&ReplicaName> = seen.replicas.keys().collect();
        let answer = all[world.chance.index(all.len())].clone();
        seen.verdicts.seed = Some(Verdict::Proposed { answer, why: "it lies".to_owned() });
    }
    if seen.verdicts.primaries.is_some() && world.mishap(20) {
        seen.verdicts.primaries = Some(Verdict::Missing("it trapped".to_owned()));
    }
}

/// The template that is to be applied: the last good one where the wanted one was refused.
pub(super) fn template(view: &View, memory: &Memory) -> Revision {
    let refused = memory.refused == Some(view.resource.target.generation);
    memory.good.clone().filter(|_| refused).unwrap_or_else(|| view.resource.template.clone())
}

fn workload(view: &View, memory: &Memory) -> Option<Workload> {
    let object = view.workload.as_ref()?;
    Some(Workload {
        replicas: object.replicas,
        revision: object.revision.clone(),
        immutable: None,
        current: Some(object.revision == template(view, memory)),
        released: BTreeSet::new(),
    })
}

/// Every number that is a place or may hold data.
fn replicas(world: &mut World, view: &View, memory: &Memory) -> BTreeMap<ReplicaName, Replica> {
    let size = view.workload.as_ref().map_or(0, |workload| workload.replicas);
    let size = size.max(view.resource.target.replicas);
    let mut pods: BTreeMap<u32, Pod> = view.pods.clone();
    find_unseen(world, memory, &mut pods);
    let ordinals: BTreeSet<u32> =
        (0..size).chain(pods.keys().copied()).chain(view.claims.keys().copied()).collect();
    ordinals
        .into_iter()
        .map(|ordinal| {
            let pod = pods.remove(&ordinal).map(|pod| asked(world, ordinal, pod));
            let claims = view.claims.get(&ordinal).map(|claim| claim.shown.clone()).into_iter().collect();
            (name(ordinal), Replica { ordinal, pod, claims, absence: None })
        })
        .collect()
}

/// That a pod is gone can close a start, so it is not taken from a cache.
fn find_unseen(world: &World, memory: &Memory, pods: &mut BTreeMap<u32, Pod>) {
    let starts = memory.holders.values().flat_map(|record| &record.open);
    for start in starts {
        if let Some(ordinal) = world.ordinal_of(&start.pod) {
            pods.insert(ordinal, world.pods[&ordinal].shown.clone());
        }
    }
}

fn asked(world: &mut World, ordinal: u32, mut pod: Pod) -> Pod {
    let running = match &pod.container {
        Some(Container { id: Some(id), state: ContainerState::Running }) if !pod.terminating => {
            Some(id.clone())
        }
        _ => None,
    };
    if let Some(container) = running {
        pod.status = world.status(ordinal, &container);
        pod.unguardable = pod.revision.0 == WITHOUT_SHELL && matches!(pod.status, Status::Answer(_));
    }
    pod
}

fn primaries(seen: &Observation) -> Vec<ReplicaName> {
    let is_primary =
        |replica: &Replica| AppState::of(replica.pod.as_ref(), &seen.target) == AppState::Primary;
    seen.replicas.iter().filter(|(_, replica)| is_primary(replica)).map(|(name, _)| name.clone()).collect()
}
