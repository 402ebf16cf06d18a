//! Clients: they write to whoever takes it; secondaries take over what their primary has.

use super::member::{Member, Process};
use super::{State, Write};
use planner::observation::Role;

impl State {
    /// A client writes to all who serve in the first one's lineage.
    pub(super) fn write(&mut self) {
        self.left.writes -= 1;
        let serves = |member: &Member| member.processes().find(|p| p.serves()).map(|p| p.lineage);
        let Some(lineage) = self.members.iter().find_map(serves) else { return };
        let group: Vec<usize> =
            (0..self.members.len()).filter(|at| serves(&self.members[*at]) == Some(lineage)).collect();
        self.write_to(lineage, &group, true);
    }

    pub(crate) fn write_to(&mut self, lineage: u8, group: &[usize], acknowledged: bool) {
        let held = |write: &usize| group.iter().any(|at| self.holds(*at, *write));
        let of_lineage = (0..self.writes.len()).filter(held).filter(|at| self.writes[*at].lineage == lineage);
        let number = of_lineage.map(|at| self.writes[at].number).max().unwrap_or(0) + 1;
        let index = self.writes.len();
        self.writes.push(Write { lineage, number, acknowledged, given_up: false });
        group.iter().for_each(|at| self.members[*at].data |= 1 << index);
    }

    fn primary_of(&self, secondary: usize) -> Option<usize> {
        let serves = |at: &usize| self.members[*at].process.as_ref().is_some_and(Process::serves);
        let follows = |process: &Process| process.runs() && process.role == Role::Secondary;
        self.members[secondary].process.as_ref().filter(|process| follows(process))?;
        (0..self.members.len()).find(serves)
    }

    pub(super) fn is_behind(&self, at: usize) -> bool {
        let lineage = |at: usize| self.members[at].process.as_ref().map(|process| process.lineage);
        self.primary_of(at).is_some_and(|primary| {
            self.members[primary].data != self.members[at].data || lineage(primary) != lineage(at)
        })
    }

    pub(super) fn replicate(&mut self, at: usize) {
        let Some(primary) = self.primary_of(at) else { return };
        let (data, own) = (self.members[primary].data, self.members[at].data);
        let lineage = self.members[primary].process.as_ref().map_or(0, |process| process.lineage);
        let Some(process) = self.members[at].process.as_mut() else { return };
        // One that holds what its primary has not gives up.
        process.broken = own & !data != 0;
        if !process.broken {
            process.lineage = lineage;
            self.members[at].data = data;
        }
    }
}
