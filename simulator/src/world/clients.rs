//! Clients: they write to whoever takes it, and remember what was acknowledged.

use super::{Event, Phase, Process, World};
use planner::observation::Role;
use std::collections::BTreeSet;

/// After so many writes clients have seen enough.
const WRITES: usize = 60;

/// One write.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) lineage: u64,
    pub(crate) number: u64,
    /// A client was told that it is safe.
    pub(crate) acknowledged: bool,
    /// A person, or `AllowLoss`, gave it up.
    pub(crate) given_up: bool,
}

impl World {
    pub(super) fn write(&mut self) {
        let soon = self.while_of(700, 5000);
        self.after(soon, Event::Write);
        self.look_for_two_lineages();
        if self.writes.len() < WRITES {
            self.write_somewhere();
        }
        self.replicate();
    }

    pub(crate) fn write_somewhere(&mut self) {
        let serving: Vec<usize> =
            (0..self.processes.len()).filter(|at| self.processes[*at].serves()).collect();
        let Some(first) = self.chance.pick(&serving) else { return };
        let group = self.group_of(&self.processes[first]);
        if !group.is_empty() {
            self.write_to(&group, true);
        }
    }

    /// The volumes that a write through this process reaches before it is acknowledged.
    fn group_of(&self, first: &Process) -> Vec<usize> {
        let connected = self.machines[first.machine].is_reachable();
        let beside = |p: &Process| p.id != first.id && p.role == Role::Primary && p.lineage == first.lineage;
        let alone = self.options.has_secondary && !self.processes.iter().any(beside);
        if !connected && !alone || self.has_missed(first) {
            // Cut off from other primaries it does not know whether it is of the larger part.
            return Vec::new();
        }
        let with = |p: &&Process| {
            let beside = p.serves() && p.lineage == first.lineage && self.machines[p.machine].is_reachable();
            p.id == first.id || (connected && beside)
        };
        self.processes.iter().filter(with).map(|process| process.volume).collect()
    }

    /// A write through the process of one of these volumes, into all of them.
    pub(crate) fn write_to(&mut self, volumes: &[usize], acknowledged: bool) {
        let Some(first) = self.processes.iter().find(|process| volumes.contains(&process.volume)) else {
            return;
        };
        let lineage = first.lineage;
        let numbers = volumes.iter().flat_map(|volume| &self.volumes[*volume].writes);
        let of_lineage =
            numbers.filter_map(|index| self.writes.get(*index as usize)).filter(|w| w.lineage == lineage);
        let number = of_lineage.map(|write| write.number).max().unwrap_or(0) + 1;
        let index = u32::try_from(self.writes.len()).unwrap_or(u32::MAX);
        self.writes.push(Write { lineage, number, acknowledged, given_up: false });
        for volume in volumes {
            self.volumes[*volume].writes.insert(index);
        }
    }

    /// A write that some members have when the power goes, and no client was told of.
    pub(crate) fn write_in_part(&mut self) {
        let Some(first) = self.processes.iter().find(|process| process.serves()) else { return };
        let mut group = self.group_of(first);
        while group.len() > 1 && self.chance.one_in(2) {
            let at = self.chance.index(group.len());
            group.swap_remove(at);
        }
        if !group.is_empty() {
            self.write_to(&group, false);
        }
    }

    /// A write that one member alone has, and no client was told of.
    pub(crate) fn write_at(&mut self, ordinal: u32) {
        self.write_alone(ordinal, false);
    }

    /// A write that one member alone has when the lights go out, and a client was told of.
    pub(crate) fn write_last(&mut self, ordinal: u32) {
        self.write_alone(ordinal, true);
    }

    fn write_alone(&mut self, ordinal: u32, acknowledged: bool) {
        if let Some(volume) = self.pods.get(&ordinal).map(|pod| pod.volume) {
            self.write_to(&[volume], acknowledged);
        }
    }

    /// Secondaries take over what a primary has, sooner or later.
    fn replicate(&mut self) {
        if !self.options.has_secondary {
            return;
        }
        let secondaries: Vec<Process> = self.processes.iter().filter(|p| self.follows(p)).cloned().collect();
        for secondary in secondaries {
            let primary = self.processes.iter().find(|p| self.can_be_copied(p)).cloned();
            let Some(primary) = primary else { continue };
            if !self.holds_all(primary.volume, secondary.volume) {
                self.say(|| format!("{} holds what its primary has not", secondary.container));
                self.process_mut(secondary.id).into_iter().for_each(|process| process.broken = true);
                continue;
            }
            if !self.mishap(3) {
                let writes: BTreeSet<u32> = self.volumes[primary.volume].writes.clone();
                self.volumes[secondary.volume].writes = writes;
            }
            self.process_mut(secondary.id).into_iter().for_each(|process| process.lineage = primary.lineage);
        }
    }

    fn follows(&self, process: &Process) -> bool {
        let awake = process.phase == Phase::Running && !process.frozen && !process.broken;
        awake && process.role == Role::Secondary && self.machines[process.machine].is_reachable()
    }

    /// The first law, looked at whenever clients do.
    fn look_for_two_lineages(&mut self) {
        let serving = self.processes.iter().filter(|process| process.serves() && !process.by_hand);
        let lineages: BTreeSet<u64> = serving.map(|process| process.lineage).collect();
        if lineages.len() > 1 {
            self.breach(format!("lineages {lineages:?} take writes at the same time"));
        }
    }
}
