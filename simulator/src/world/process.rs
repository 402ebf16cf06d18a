//! Processes of the application: bound to a container on a machine, they may outlive their pod.

use super::{Event, World};
use planner::names::{AttemptId, ContainerId, PodUid};
use planner::observation::Role;

/// A database process.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) id: u64,
    pub(crate) pod: PodUid,
    pub(crate) container: ContainerId,
    pub(crate) machine: usize,
    pub(crate) volume: usize,
    pub(crate) role: Role,
    /// Members of one lineage follow each other; a seed, and a promotion without a primary, begin one.
    pub(crate) lineage: u64,
    pub(crate) phase: Phase,
    /// It keeps the volume lock that its command took.
    pub(crate) locks: bool,
    /// It does nothing, and answers nothing.
    pub(crate) frozen: bool,
    /// It says that it failed.
    pub(crate) broken: bool,
    /// A person started it.
    pub(crate) by_hand: bool,
    /// What `status` says until it is ready.
    pub(crate) early_answer: i32,
    /// Its copy takes very long.
    pub(crate) slow: bool,
    /// Since when it runs.
    pub(crate) ready: u64,
}

/// How far a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It comes up on its own data.
    Starting,
    /// It replaces its data by that of this process.
    Copying(u64),
    /// It runs.
    Running,
}

/// Who starts a process, and where.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) pod: PodUid,
    pub(crate) container: ContainerId,
    pub(crate) machine: usize,
    pub(crate) volume: usize,
    pub(crate) attempt: Option<AttemptId>,
    pub(crate) locks: bool,
}

impl Process {
    /// It takes writes, if clients reach it.
    pub(crate) fn serves(&self) -> bool {
        self.phase == Phase::Running && self.role == Role::Primary && !self.frozen && !self.broken
    }
}

impl World {
    pub(crate) fn process(&self, id: u64) -> Option<&Process> {
        self.processes.iter().find(|process| process.id == id)
    }

    pub(crate) fn process_mut(&mut self, id: u64) -> Option<&mut Process> {
        self.processes.iter_mut().find(|process| process.id == id)
    }

    pub(crate) fn process_in(&self, container: &ContainerId) -> Option<&Process> {
        self.processes.iter().find(|process| process.container == *container)
    }

    pub(super) fn spawn(&mut self, place: Place, role: Role, phase: Phase, lineage: u64) -> u64 {
        let id = self.fresh();
        let early_answer = if self.mishap(3) { 1 } else { 7 };
        let Place { pod, container, machine, volume, attempt, locks } = place;
        self.volumes[volume].read = false;
        self.processes.push(Process {
            id,
            pod,
            container,
            machine,
            volume,
            role,
            lineage,
            phase,
            locks,
            frozen: false,
            broken: false,
            by_hand: attempt.is_none(),
            early_answer,
            slow: false,
            ready: 0,
        });
        id
    }

    /// A person starts the database of a member; the first of them leads.
    pub(crate) fn start_by_hand(&mut self, ordinal: u32) {
        let Some(pod) = self.pods.get(&ordinal).map(|pod| pod.shown.uid.clone()) else { return };
        let Some(sandbox) = self.sandbox(&pod).cloned() else { return };
        let Some(container) = sandbox.container else { return };
        let (machine, volume) = (sandbox.machine, sandbox.volume);
        let place = Place { pod, container, machine, volume, attempt: None, locks: false };
        let leads = self.processes.is_empty();
        self.lineages += u64::from(leads);
        let role = if leads || !self.options.has_secondary { Role::Primary } else { Role::Secondary };
        let id = self.spawn(place, role, Phase::Starting, self.lineages);
        self.after(1000, Event::Ready(id));
    }

    pub(super) fn get_ready(&mut self, id: u64) {
        let Some(process) = self.process(id).cloned() else { return };
        match process.phase {
            Phase::Running => {}
            Phase::Starting => self.run_now(&process, process.lineage),
            Phase::Copying(source) => {
                let source = self.process(source).filter(|source| self.can_be_copied(source)).cloned();
                let Some(source) = source else {
                    self.say(|| format!("the copy into volume {} breaks off", process.volume));
                    self.end_process(id);
                    return;
                };
                let writes = self.volumes[source.volume].writes.clone();
                let volume = &mut self.volumes[process.volume];
                (volume.writes, volume.torn) = (writes, false);
                self.run_now(&process, source.lineage);
            }
        }
    }

    fn run_now(&mut self, process: &Process, lineage: u64) {
        let (role, volume, now) = (process.role, process.volume, self.now);
        self.say(|| {
            format!("{} runs as {role:?} of lineage {lineage} on volume {volume}", process.container)
        });
        if let Some(process) = self.process_mut(process.id) {
            (process.phase, process.lineage, process.ready) = (Phase::Running, lineage, now);
        }
        self.lead_clients(&process.pod);
        self.changes += 1;
    }

    /// Clients are led to whoever runs in a pod with that label.
    pub(super) fn lead_clients(&mut self, pod: &PodUid) {
        let runs = |process: &&Process| process.pod == *pod && process.phase == Phase::Running;
        let is_active =
            self.pods.values().any(|there| there.shown.uid == *pod && there.shown.active == Some(true));
        if let Some(process) = self.processes.iter().find(runs).filter(|_| is_active) {
            self.volumes[process.volume].joining = false;
        }
    }

    pub(super) fn can_be_copied(&self, source: &Process) -> bool {
        source.serves() && self.machines[source.machine].is_reachable()
    }

    pub(crate) fn end_process(&mut self, id: u64) {
        let Some(at) = self.processes.iter().position(|process| process.id == id) else { return };
        let process = self.processes.swap_remove(at);
        (self.changes, self.ended) = (self.changes + 1, self.now);
        self.say(|| format!("the process in {} ends", process.container));
        // Its copiers notice when their copy ends.
        self.cancel(|event| matches!(event, Event::Ready(other) | Event::Gone(other) if *other == id));
    }

    /// A member that comes back to its group after it was cut off, or frozen: what it missed is
    /// copied, or it gives up.
    pub(super) fn rejoin_or_end(&mut self, machine: usize) {
        let back = self.processes.iter().filter(|p| p.machine == machine && p.role == Role::Primary);
        let back: Vec<u64> = back.map(|process| process.id).collect();
        for id in back {
            self.catch_up_or_end(id);
        }
    }

    /// Others of its lineage went on without it.
    pub(super) fn has_missed(&self, process: &Process) -> bool {
        let held = &self.volumes[process.volume].writes;
        let of_lineage = |write: &super::Write| write.acknowledged && write.lineage == process.lineage;
        self.writes.iter().zip(0u32..).any(|(write, index)| of_lineage(write) && !held.contains(&index))
    }

    pub(crate) fn catch_up_or_end(&mut self, id: u64) {
        let Some(process) = self.process(id).filter(|p| p.phase == Phase::Running).cloned() else { return };
        let ahead = |other: &&Process| {
            other.id != id && self.can_be_copied(other) && !self.holds_all(process.volume, other.volume)
        };
        let Some(ahead) = self.processes.iter().find(ahead).cloned() else {
            // The others are gone: it knows that it was not of the larger part.
            if self.has_missed(&process) {
                self.end_process(id);
            }
            return;
        };
        if ahead.lineage == process.lineage
            && self.chance.one_in(2)
            && self.holds_all(ahead.volume, process.volume)
        {
            self.volumes[process.volume].writes = self.volumes[ahead.volume].writes.clone();
        } else {
            self.end_process(id);
        }
    }
}
