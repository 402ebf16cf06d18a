//! What an operator sees of the world.

use super::look::Patience;
use super::member::{Member, Pod};
use super::{Rules, State};
use crate::policy::policy;
use crate::world::api::name;
use planner::decision::{SequenceOutput, Verdicts};
use planner::names::NodeName;
use planner::observation::{AttemptState, Claim, Container, ContainerState, Node, Replica, Status, Workload};
use planner::record::Reading;
use planner::timer::{Age, Timer};
use planner::{Memory, Observation, judge, questions, timers};
use std::collections::{BTreeMap, BTreeSet};

impl State {
    /// Everything that an operator sees now. `silent` is the member whose `status` is not heard.
    pub(crate) fn observe(
        &self,
        rules: &Rules,
        patience: Patience,
        silent: Option<usize>,
    ) -> (Observation, Memory) {
        let options = &rules.options;
        let memory = self.status.as_deref().cloned().unwrap_or_default();
        let mut target = options.target();
        target.keys.clone_from(&self.keys);
        let shown = |at: usize| self.replica(rules, at, silent == Some(at));
        let mut seen = Observation {
            target,
            nonce: self.serial.clone().name("n"),
            foreign: None,
            workload: Some(Workload {
                replicas: options.replicas,
                revision: "r1".into(),
                immutable: None,
                current: Some(true),
                released: BTreeSet::new(),
            }),
            replicas: (0..self.members.len()).map(shown).collect(),
            nodes: self.members.iter().enumerate().map(node).collect(),
            terminated: self.life.terminated.clone(),
            attempts: self.life.attempts.clone(),
            fates: self.life.fates.clone(),
            attached: BTreeSet::new(),
            elsewhere: BTreeSet::new(),
            ages: BTreeMap::new(),
            reader: Some("one".into()),
            verdicts: Verdicts::default(),
        };
        let ended = self.members.iter().filter_map(|member| member.pod.as_ref()?.ended.clone());
        seen.terminated.extend(ended);
        self.read(rules, &mut seen);
        if patience > Patience::None {
            seen.ages = ripe(&seen, &memory, patience);
        }
        let verdicts = judge(policy(options.positions), &questions(&seen, &memory));
        seen.verdicts = Verdicts { readings: std::mem::take(&mut seen.verdicts.readings), ..verdicts };
        (seen, memory)
    }

    /// What `sequence` printed, by the policy.
    fn read(&self, rules: &Rules, seen: &mut Observation) {
        for (id, attempt) in self.life.attempts.iter().filter(|(_, a)| a.command.is_sequence()) {
            let AttemptState::Ended(output) = &attempt.state else { continue };
            let said = SequenceOutput {
                replica: &attempt.replica,
                code: output.code,
                stdout: &output.stdout,
                stderr: &output.stderr,
                truncated: false,
            };
            let judged = policy(rules.options.positions).sequence(&said);
            seen.verdicts.readings.insert(id.clone(), judged);
        }
    }

    /// What the policy makes of a member's data.
    pub(super) fn reading(&self, rules: &Rules, at: usize) -> Reading {
        let (code, stdout) = self.sequence(at, rules.options.positions);
        let replica = name(u32::try_from(at).unwrap_or(u32::MAX));
        let said = SequenceOutput { replica: &replica, code, stdout: &stdout, stderr: "", truncated: false };
        policy(rules.options.positions).sequence(&said).reading
    }

    fn replica(&self, rules: &Rules, at: usize, silent: bool) -> (planner::names::ReplicaName, Replica) {
        let member = &self.members[at];
        let ordinal = u32::try_from(at).unwrap_or(u32::MAX);
        let claim = Claim {
            uid: member.claim.clone(),
            bound: true,
            terminating: false,
            created_at: None,
            record: member.record.as_deref().cloned(),
            unreadable: false,
        };
        let status =
            || if silent { Status::Silent("lost".to_owned()) } else { member.status(&rules.options) };
        let pod = member.pod.as_ref().map(|pod| pod.shown(at, status));
        (name(ordinal), Replica { ordinal, pod, claims: vec![claim], absence: None })
    }
}

fn ripe(seen: &Observation, memory: &Memory, patience: Patience) -> BTreeMap<Timer, Age> {
    let timers = timers(seen, memory).into_iter().filter(|(_, ripening)| patience.ripens(ripening));
    timers.map(|(timer, _)| (timer, Age::Ripe)).collect()
}

fn node((at, member): (usize, &Member)) -> (NodeName, Node) {
    (node_name(at), Node { ready: true, boot: member.boot.clone(), out_of_service: false })
}

fn node_name(at: usize) -> NodeName {
    NodeName(format!("node-{at}"))
}

impl Pod {
    fn shown(&self, at: usize, status: impl FnOnce() -> Status) -> planner::observation::Pod {
        let running = self.container.clone().map(|id| (id, ContainerState::Running));
        let ended = || self.ended.clone().map(|id| (id, ContainerState::Terminated("Error".to_owned())));
        let container = running.or_else(ended).map(|(id, state)| Container { id: Some(id), state });
        planner::observation::Pod {
            uid: self.uid.clone(),
            node: Some(node_name(at)),
            terminating: self.terminating,
            finished: false,
            container,
            never_ran: false,
            trouble: None,
            guarded: true,
            unguardable: false,
            revision: "r1".into(),
            active: self.active,
            role: self.role,
            status: if self.container.is_some() && !self.terminating { status() } else { Status::NotAsked },
        }
    }
}
