//! What the application's commands do, and how they go wrong.

use super::exec::Execution;
use super::process::Place;
use super::{Event, Phase, World};
use crate::oracle;
use planner::names::ReplicaName;
use planner::observation::{Command, Role};

/// What a command came to so far.
pub(super) struct Course {
    /// When it ends, if ever, in milliseconds from now.
    pub(super) ends: Option<u64>,
    /// With this exit code.
    pub(super) code: i32,
}

fn fails_after(millis: u64) -> Course {
    Course { ends: Some(millis), code: 1 }
}

impl World {
    pub(super) fn begin(&mut self, execution: &Execution, peers: &[ReplicaName]) -> Course {
        let quick = Course { ends: Some(self.while_of(50, 2000)), code: 0 };
        match execution.command {
            Command::Read | Command::Rehearse | Command::Probe => quick,
            Command::Seed => self.seed(execution),
            Command::Join => self.copy(execution, Role::Primary, peers),
            Command::Follow if self.runs_secondary(execution) => {
                self.change_role(execution, Role::Secondary, peers)
            }
            Command::Follow => self.copy(execution, Role::Secondary, peers),
            Command::Promote => self.change_role(execution, Role::Primary, peers),
            Command::Demote => self.change_role(execution, Role::Secondary, peers),
            Command::Stop => self.stop(execution),
        }
    }

    /// A running secondary is told whom to follow.
    fn runs_secondary(&self, execution: &Execution) -> bool {
        let process = self.process_in(&execution.container);
        process.is_some_and(|process| process.role == Role::Secondary && process.phase == Phase::Running)
    }

    fn place(&self, execution: &Execution) -> Place {
        let locks = execution.locks && self.options.flock == crate::options::Flock::Inherited;
        Place {
            pod: execution.pod.clone(),
            container: execution.container.clone(),
            machine: execution.machine,
            volume: execution.volume,
            attempt: Some(execution.attempt.clone()),
            locks,
        }
    }

    fn seed(&mut self, execution: &Execution) -> Course {
        if self.mishap(10) {
            return fails_after(self.while_of(100, 3000));
        }
        if self.failing_seeds > 0 {
            self.failing_seeds -= 1;
            return fails_after(100);
        }
        if let Err(what) = oracle::may_seed(self, execution.volume, execution.looked) {
            self.breach(format!("seed {}: {what}", execution.attempt));
        }
        self.lineages += 1;
        let place = self.place(execution);
        let process = self.spawn(place, Role::Primary, Phase::Starting, self.lineages);
        self.come_up(process)
    }

    /// Most come up and their command ends; some do only one of the two.
    fn come_up(&mut self, process: u64) -> Course {
        let takes = self.while_of(1000, 15_000);
        if self.mishap(12) {
            self.after(takes / 2, Event::Gone(process));
            return fails_after(takes / 2);
        }
        if std::mem::take(&mut self.late_seed) {
            self.after(60_000, Event::Ready(process));
            return fails_after(takes);
        }
        if self.mishap(12) {
            let late = self.chance.between(20_000, 90_000);
            self.after(late, Event::Ready(process));
            return fails_after(takes);
        }
        self.after(takes, Event::Ready(process));
        let hangs = self.mishap(12);
        Course { ends: (!hangs).then_some(takes + 50), code: 0 }
    }

    /// Its data is that of a live primary afterwards, and nobody's meanwhile.
    fn copy(&mut self, execution: &Execution, role: Role, peers: &[ReplicaName]) -> Course {
        if self.process_in(&execution.container).is_some() {
            return fails_after(self.while_of(100, 3000));
        }
        // How far its command comes nobody can tell from without.
        self.volumes[execution.volume].joining = true;
        if self.mishap(12) {
            return fails_after(self.while_of(100, 3000));
        }
        let place = self.place(execution);
        let Some(source) = self.source(peers, execution.volume) else {
            if role == Role::Primary || !peers.is_empty() {
                return fails_after(self.while_of(100, 3000));
            }
            let process = self.spawn(place, role, Phase::Starting, self.lineages);
            return self.come_up(process);
        };
        let inside = self.holds_all(source.1, execution.volume) && !self.volumes[execution.volume].torn;
        if !(inside && self.mishap(2)) {
            if let Err(what) = oracle::may_overwrite(self, execution.volume, source.1) {
                self.breach(format!("join {}: {what}", execution.attempt));
            }
            let volume = &mut self.volumes[execution.volume];
            volume.writes.clear();
            volume.torn = true;
        }
        let process = self.spawn(place, role, Phase::Copying(source.0), 0);
        match self.slow_copy.take() {
            Some(takes) => self.copy_slowly(process, takes),
            None => self.come_up(process),
        }
    }

    fn copy_slowly(&mut self, process: u64, takes: u64) -> Course {
        self.process_mut(process).into_iter().for_each(|process| process.slow = true);
        self.after(takes, Event::Ready(process));
        Course { ends: Some(takes + 50), code: 0 }
    }

    /// A live primary among the peers: its process and volume.
    fn source(&mut self, peers: &[ReplicaName], own: usize) -> Option<(u64, usize)> {
        let pods: Vec<_> = peers
            .iter()
            .filter_map(|peer| self.pods.get(&self.number(peer)))
            .map(|pod| pod.shown.uid.clone())
            .collect();
        let usable = |p: &&super::Process| p.volume != own && pods.contains(&p.pod) && self.can_be_copied(p);
        let all: Vec<(u64, usize)> =
            self.processes.iter().filter(usable).map(|process| (process.id, process.volume)).collect();
        self.chance.pick(&all)
    }

    fn change_role(&mut self, execution: &Execution, role: Role, peers: &[ReplicaName]) -> Course {
        let takes = self.while_of(100, 5000);
        let Some(process) =
            self.process_in(&execution.container).filter(|p| p.phase == Phase::Running).cloned()
        else {
            return fails_after(takes);
        };
        if self.mishap(10) {
            return fails_after(takes);
        }
        let mut lineage = process.lineage;
        if role == Role::Primary {
            let inside = |p: &super::Process| self.holds_all(p.volume, process.volume);
            let lives = |p: &&super::Process| p.id != process.id && p.serves() && inside(p);
            if let Some(beside) = self.processes.iter().find(lives) {
                lineage = beside.lineage;
                let caught_up = self.volumes[beside.volume].writes.clone();
                self.volumes[process.volume].writes.extend(caught_up);
            } else if !peers.is_empty() {
                // It was to stand beside others, and cannot reach them.
                return fails_after(takes);
            } else {
                if let Err(what) = oracle::may_promote(self, &process) {
                    self.breach(format!("promote {}: {what}", execution.attempt));
                }
                self.lineages += 1;
                lineage = self.lineages;
            }
        }
        self.say(|| format!("{} is {role:?} of lineage {lineage} now", process.container));
        if let Some(process) = self.process_mut(process.id) {
            (process.role, process.lineage) = (role, lineage);
        }
        self.changes += 1;
        Course { ends: (!self.mishap(12)).then_some(takes), code: 0 }
    }

    fn stop(&mut self, execution: &Execution) -> Course {
        let takes = self.while_of(100, 8000);
        if self.mishap(8) {
            return fails_after(takes);
        }
        if let Some(process) = self.process_in(&execution.container).filter(|p| !p.frozen).map(|p| p.id) {
            self.after(takes, Event::Gone(process));
        }
        Course { ends: (!self.mishap(12)).then_some(takes + 50), code: 0 }
    }
}
