//! What goes wrong, one thing at a time.

use super::look::Patience;
use super::member::Process;
use super::{Rules, State};
use planner::names::{BootId, ClaimUid};

/// Something that goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mishap {
    /// Its process is killed.
    Kill(usize),
    /// Its container ends, and its kubelet tells of it, or does not.
    EndContainer(usize, bool),
    /// Its node loses power, and is back.
    CutPower(usize),
    /// Its pod is deleted by force; its process goes on.
    DeleteByForce(usize),
    /// Its application says that it failed.
    Break(usize),
    /// Its claim is deleted with its data.
    LoseClaim(usize),
    /// The operator looks, and does not hear its `status`.
    Silence(usize),
    /// This command fails, and so does what it brings up.
    Fail(usize),
    /// This command fails, and what it brings up comes up all the same.
    FailAlone(usize),
    /// The status of the resource is lost.
    Erase,
}

impl State {
    /// All that may go wrong now.
    pub(crate) fn mishaps(&self) -> Vec<Mishap> {
        let mut all = Vec::new();
        for (at, member) in self.members.iter().enumerate() {
            if member.process.is_some() {
                all.push(Mishap::Kill(at));
            }
            if member.process.as_ref().is_some_and(Process::runs) {
                all.push(Mishap::Break(at));
            }
            if member.container().is_some() {
                all.extend([Mishap::EndContainer(at, true), Mishap::EndContainer(at, false)]);
                all.push(Mishap::CutPower(at));
                if self.life.queue.is_empty() {
                    all.push(Mishap::Silence(at));
                }
            }
            if member.pod.is_some() && member.orphan.is_none() {
                all.extend([Mishap::DeleteByForce(at), Mishap::LoseClaim(at)]);
            }
        }
        for (at, flight) in self.flights.iter().enumerate() {
            if flight.begun.is_some() && self.members[flight.member].process.is_some() {
                all.extend([Mishap::Fail(at), Mishap::FailAlone(at)]);
            }
        }
        if self.status.is_some() {
            all.push(Mishap::Erase);
        }
        all
    }

    pub(crate) fn suffer(&mut self, rules: &Rules, mishap: Mishap) {
        self.left.faults = self.left.faults.saturating_sub(1);
        match mishap {
            Mishap::Kill(at) => self.members[at].process = None,
            Mishap::EndContainer(at, told) => self.end_container(at, told),
            Mishap::CutPower(at) => {
                self.end_container(at, false);
                self.members[at].orphan = None;
                self.members[at].boot = BootId(self.serial.name("boot"));
            }
            Mishap::DeleteByForce(at) => self.delete_by_force(at),
            Mishap::Break(at) => {
                self.members[at].process.iter_mut().for_each(|process| process.broken = true);
            }
            Mishap::LoseClaim(at) => self.lose_claim(at),
            Mishap::Silence(at) => _ = self.look(rules, Patience::None, Some(at)),
            Mishap::Fail(at) => {
                let member = self.flights[at].member;
                self.members[member].process = None;
                self.end_command(at, Some(1));
            }
            Mishap::FailAlone(at) => self.end_command(at, Some(1)),
            Mishap::Erase => {
                self.status = None;
                self.version = self.serial.name("version");
            }
        }
    }

    fn lose_claim(&mut self, at: usize) {
        self.end_container(at, false);
        let (claim, version) = (ClaimUid(self.serial.name("claim")), self.serial.name("version"));
        let member = &mut self.members[at];
        (member.claim, member.version, member.record) = (claim, version, None);
        (member.data, member.torn, member.joining, member.pod) = (0, false, false, None);
    }
}
