//! The guard around every command: a command begins at most once, only in the pod that it was
//! meant for, and not while something else has the volume.

use super::World;
use super::exec::{Ask, Execution, Flight};
use super::kubelet::{Mark, WITHOUT_SHELL};
use crate::options::Flock;
use planner::names::{AttemptId, PodUid};
use planner::observation::{AttemptState, Fate, Refusal};

impl World {
    /// A command line has reached a container.
    pub(super) fn arrive(&mut self, id: u64) {
        let Some(flight) = self.flights.get(&id).cloned() else { return };
        let reached = self.pods.get(&self.number(&flight.replica)).and_then(|pod| {
            let sandbox = self.sandbox(&pod.shown.uid)?;
            let container = sandbox.container.clone()?;
            let reachable = self.machines[sandbox.machine].is_reachable();
            reachable.then(|| (sandbox.pod.clone(), container, sandbox.machine, sandbox.volume))
        });
        let Some((pod, container, machine, volume)) = reached else {
            self.reply(id, AttemptState::Lost("no running container".to_owned()));
            return;
        };
        if pod != flight.if_pod {
            match flight.ask {
                Ask::Fate => self.drop_flight(id),
                Ask::Run(_) => self.reply(id, AttemptState::Refused(Refusal::OtherPod)),
            }
            return;
        }
        let template = self.pods.get(&self.number(&flight.replica)).map(|pod| &pod.shown.revision);
        if template.is_some_and(|template| template.0 == WITHOUT_SHELL) {
            match flight.ask {
                Ask::Fate => self.drop_flight(id),
                Ask::Run(_) => self.reply(id, AttemptState::Lost("there is no shell".to_owned())),
            }
            return;
        }
        match &flight.ask {
            Ask::Fate => self.tell_fate(id, &flight),
            Ask::Run(run) => {
                let execution = Execution {
                    flight: id,
                    pod,
                    container,
                    machine,
                    volume,
                    attempt: flight.attempt.clone(),
                    command: run.command,
                    looked: flight.looked,
                    locks: run.lock,
                    code: 0,
                };
                self.begin_once(execution, &run.peers);
            }
        }
    }

    /// Makes the folder, so that the attempt can never begin, or reads what is in it. A refusal
    /// leaves no more behind than a beginning does.
    fn tell_fate(&mut self, id: u64, flight: &Flight) {
        let Some(sandbox) = self.sandbox_mut(&flight.if_pod) else { return };
        let mark = *sandbox.folder.entry(flight.attempt.clone()).or_insert(Mark::Revoked);
        let fate = match mark {
            Mark::Revoked => Fate::Revoked,
            Mark::Began | Mark::Refused => Fate::Began,
            Mark::Ended(code) => Fate::Ended(code),
            Mark::Over => Fate::Over,
        };
        self.reply_fate(id, fate);
    }

    fn begin_once(&mut self, mut execution: Execution, peers: &[planner::names::ReplicaName]) {
        let id = execution.flight;
        if let Some(mark) = self.mark(&execution.pod, &execution.attempt) {
            if mark == Mark::Revoked {
                self.send_fate(id, Fate::Revoked);
            }
            self.reply(id, AttemptState::Refused(Refusal::BeganBefore));
            return;
        }
        let busy = self.is_locked(&execution);
        let refusal = match self.options.flock {
            Flock::Missing if execution.locks => Some(Refusal::NoLock),
            Flock::Unsupported if execution.locks => Some(Refusal::LockBusy),
            _ if execution.locks && busy => Some(Refusal::LockBusy),
            _ => None,
        };
        if let Some(refusal) = refusal {
            self.set_mark(&execution, Mark::Refused);
            self.reply(id, AttemptState::Refused(refusal));
            return;
        }
        self.set_mark(&execution, Mark::Began);
        let (command, container) = (execution.command, execution.container.clone());
        self.say(|| format!("{command:?} begins in {container} ({})", execution.attempt));
        let course = self.begin(&execution, peers);
        execution.code = course.code;
        self.enter(execution, course.ends);
    }

    /// The folder of an attempt in a pod, if it is there.
    pub(crate) fn mark(&self, pod: &PodUid, attempt: &AttemptId) -> Option<Mark> {
        self.sandbox(pod).and_then(|sandbox| sandbox.folder.get(attempt).copied())
    }

    pub(super) fn set_mark(&mut self, execution: &Execution, mark: Mark) {
        if let Some(sandbox) = self.sandbox_mut(&execution.pod) {
            sandbox.folder.insert(execution.attempt.clone(), mark);
        }
    }

    /// Whether somebody on this machine holds the lock of the volume.
    fn is_locked(&self, by: &Execution) -> bool {
        let (volume, machine) = (by.volume, by.machine);
        let process = self.processes.iter().any(|p| p.locks && p.volume == volume && p.machine == machine);
        process || self.is_locked_by_command(by)
    }
}
