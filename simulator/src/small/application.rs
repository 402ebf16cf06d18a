//! What the application's own commands do to its data.

use super::member::{Phase, Process};
use super::{Rules, State, law};
use planner::observation::{Command, Role};
use planner::plan::Run;

impl State {
    pub(super) fn start(&mut self, rules: &Rules, member: usize, run: &Run) {
        let runs = self.members[member].process.as_ref().is_some_and(Process::runs);
        match run.command {
            Command::Seed => {
                law::may_seed(self, rules, member);
                self.lineages += 1;
                self.spawn(member, Role::Primary, Phase::Starting);
            }
            Command::Join => self.copy(member, Role::Primary, run),
            Command::Follow if runs => self.turn(rules, member, Role::Secondary, run),
            Command::Follow => self.copy(member, Role::Secondary, run),
            Command::Promote => self.turn(rules, member, Role::Primary, run),
            _ => self.turn(rules, member, Role::Secondary, run),
        }
    }

    fn spawn(&mut self, at: usize, role: Role, phase: Phase) {
        let lineage = self.lineages;
        let member = &mut self.members[at];
        let Some(pod) = member.pod.as_ref() else { return };
        let Some(container) = pod.container.clone() else { return };
        if member.process.is_none() {
            member.process =
                Some(Process { pod: pod.uid.clone(), container, role, lineage, phase, broken: false });
        }
    }

    /// Its data is that of a live primary afterwards, and nobody's meanwhile.
    fn copy(&mut self, member: usize, role: Role, run: &Run) {
        let serves = |at: &usize| self.members[*at].process.as_ref().is_some_and(Process::serves);
        let peers = run.peers.iter().map(|peer| crate::world::api::ordinal(peer) as usize);
        let source = peers.filter(|at| *at != member && *at < self.members.len()).find(serves);
        let Some(source) = source else {
            if role == Role::Secondary && run.peers.is_empty() {
                self.spawn(member, role, Phase::Starting);
            }
            return;
        };
        law::may_overwrite(self, member);
        let into = &mut self.members[member];
        (into.data, into.torn, into.joining) = (0, true, true);
        self.spawn(member, role, Phase::Copying(source));
    }

    fn turn(&mut self, rules: &Rules, member: usize, role: Role, run: &Run) {
        let runs = self.members[member].process.as_ref().is_some_and(Process::runs);
        if !runs {
            return;
        }
        let mut lineage = self.members[member].process.as_ref().map_or(0, |process| process.lineage);
        if role == Role::Primary {
            let serves = |other: &usize| {
                *other != member && self.members[*other].process.as_ref().is_some_and(Process::serves)
            };
            match (0..self.members.len()).find(serves) {
                Some(beside) => {
                    lineage = self.members[beside].process.as_ref().map_or(0, |process| process.lineage);
                    self.members[member].data |= self.members[beside].data;
                }
                // It was to stand beside others, and cannot reach them.
                None if !run.peers.is_empty() => return,
                None => {
                    law::may_promote(self, rules, member);
                    self.lineages += 1;
                    lineage = self.lineages;
                }
            }
        }
        if let Some(process) = self.members[member].process.as_mut() {
            (process.role, process.lineage) = (role, lineage);
        }
    }

    /// A process is what it was started as.
    pub(crate) fn get_ready(&mut self, at: usize) {
        let Some(process) = self.members[at].process.clone() else { return };
        if let Phase::Copying(source) = process.phase {
            let there = self.members[source].process.as_ref().filter(|process| process.serves());
            let Some(lineage) = there.map(|process| process.lineage) else {
                // The copy breaks off.
                self.members[at].process = None;
                return;
            };
            (self.members[at].data, self.members[at].torn) = (self.members[source].data, false);
            self.members[at].process = Some(Process { lineage, ..process.clone() });
        }
        if let Some(process) = self.members[at].process.as_mut() {
            process.phase = Phase::Running;
        }
        self.members[at].lead_clients();
    }
}
