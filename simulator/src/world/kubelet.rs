//! Kubelets: they start containers after a while, restart those that end, and report terminated
//! ones; a pod deleted by force leaves its container running for a while, and no report.

use super::{Event, World};
use crate::options::GRACE_SECONDS;
use planner::names::{AttemptId, ContainerId, PodUid};
use planner::observation::{Container, ContainerState};
use planner::target::Storage;
use std::collections::BTreeMap;

/// The template with which no container starts.
pub(crate) const BROKEN: &str = "broken";

/// A template whose container has no shell: `status` answers there, and no guarded command does.
pub(crate) const WITHOUT_SHELL: &str = "without-shell";

/// A pod on its machine.
#[derive(Clone, Debug)]
pub(crate) struct Sandbox {
    pub(crate) pod: PodUid,
    pub(crate) machine: usize,
    pub(crate) volume: usize,
    /// The container that runs.
    pub(crate) container: Option<ContainerId>,
    /// One that ended and was not reported yet.
    pub(crate) crashed: Option<ContainerId>,
    /// What the guard left in `/run/rss`.
    pub(crate) folder: BTreeMap<AttemptId, Mark>,
}

/// What the folder of an attempt shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Made by a question for its fate: the attempt never begins.
    Revoked,
    /// Made by the attempt, whose command runs, or was cut off.
    Began,
    /// Made by the attempt, which the guard then refused.
    Refused,
    /// Made by the attempt, whose command ended with this code.
    Ended(i32),
    /// Made by the attempt, in a container that has ended since.
    Over,
}

/// What a guard tells once another container runs.
pub(crate) fn outlive(folder: &mut BTreeMap<AttemptId, Mark>) {
    folder.values_mut().filter(|mark| **mark != Mark::Revoked).for_each(|mark| *mark = Mark::Over);
}

impl World {
    pub(crate) fn sandbox(&self, pod: &PodUid) -> Option<&Sandbox> {
        self.sandboxes.iter().find(|sandbox| sandbox.pod == *pod)
    }

    pub(crate) fn sandbox_mut(&mut self, pod: &PodUid) -> Option<&mut Sandbox> {
        self.sandboxes.iter_mut().find(|sandbox| sandbox.pod == *pod)
    }

    pub(crate) fn ordinal_of(&self, pod: &PodUid) -> Option<u32> {
        self.pods.iter().find(|(_, object)| object.shown.uid == *pod).map(|(ordinal, _)| *ordinal)
    }

    pub(crate) fn machine_of(&self, pod: &PodUid) -> Option<usize> {
        self.sandbox(pod).map(|sandbox| sandbox.machine)
    }

    pub(super) fn start_container(&mut self, uid: &PodUid) {
        let Some(ordinal) = self.ordinal_of(uid) else { return };
        let pod = &self.pods[&ordinal];
        let (machine, terminating) = (pod.machine, pod.shown.terminating);
        let runs = self.sandbox(uid).is_some_and(|sandbox| sandbox.container.is_some());
        if !self.machines[machine].is_reachable() || terminating || runs {
            return;
        }
        if pod.shown.revision.0 == BROKEN {
            let waiting = ContainerState::Waiting("ErrImagePull".to_owned());
            self.show_container(ordinal, Container { id: None, state: waiting });
            return;
        }
        let id = ContainerId(format!("container-{}", self.fresh()));
        if self.options.storage == Storage::Container {
            let volume = self.new_volume();
            let former =
                std::mem::replace(&mut self.pods.get_mut(&ordinal).expect("seen above").volume, volume);
            self.volumes[former].exists = false;
        }
        let volume = self.pods[&ordinal].volume;
        let tells_containers = self.options.tells_containers;
        match self.sandbox_mut(uid) {
            Some(sandbox) => {
                (sandbox.container, sandbox.volume) = (Some(id.clone()), volume);
                if tells_containers {
                    outlive(&mut sandbox.folder);
                }
            }
            None => {
                let (pod, container) = (uid.clone(), Some(id.clone()));
                let folder = BTreeMap::new();
                self.sandboxes.push(Sandbox { pod, machine, volume, container, crashed: None, folder });
            }
        }
        self.say(|| format!("x-{ordinal} runs {id}"));
        self.show_container(ordinal, Container { id: Some(id), state: ContainerState::Running });
    }

    fn show_container(&mut self, ordinal: u32, container: Container) {
        if let Some(pod) = self.pods.get_mut(&ordinal) {
            pod.shown.never_ran &= container.id.is_none();
            pod.shown.container = Some(container);
            self.changes += 1;
        }
    }

    /// A container ends by itself, or is killed; its kubelet starts another one.
    pub(crate) fn crash_container(&mut self, uid: &PodUid) {
        let Some(container) = self.sandbox(uid).and_then(|sandbox| sandbox.container.clone()) else { return };
        self.say(|| format!("{container} ends"));
        self.end_all_in(&container);
        if let Some(sandbox) = self.sandbox_mut(uid) {
            sandbox.crashed = sandbox.container.take();
        }
        self.sync_pod(uid);
    }

    /// What a reachable kubelet does about a pod that the API knows.
    pub(super) fn sync_pod(&mut self, uid: &PodUid) {
        let Some(ordinal) = self.ordinal_of(uid) else { return };
        if !self.machines[self.pods[&ordinal].machine].is_reachable() {
            return;
        }
        let crashed = self.sandbox_mut(uid).and_then(|sandbox| sandbox.crashed.take());
        if let Some(id) = crashed {
            // After a power cut a kubelet does not always know what became of a container.
            if !self.mishap(3) {
                self.reports.push(id.clone());
            }
            let state = ContainerState::Terminated("Error".to_owned());
            self.show_container(ordinal, Container { id: Some(id), state });
        }
        match self.sandbox(uid).and_then(|sandbox| sandbox.container.clone()) {
            Some(container) if self.pods[&ordinal].shown.terminating => {
                let soon = self.while_of(500, 5000);
                self.after(soon, Event::End(uid.clone(), container));
            }
            Some(_) => {}
            None if self.pods[&ordinal].shown.terminating => self.remove_pod(ordinal),
            None => {
                let soon = self.while_of(1000, 10_000);
                self.after(soon, Event::Start(uid.clone()));
            }
        }
    }

    /// Deletion with a grace period, in seconds; none = the pod's own.
    pub(crate) fn delete_pod(&mut self, uid: &PodUid, grace: Option<u64>) {
        let Some(ordinal) = self.ordinal_of(uid) else { return };
        let Some(pod) = self.pods.get_mut(&ordinal).filter(|pod| !pod.shown.terminating) else { return };
        pod.shown.terminating = true;
        self.changes += 1;
        self.say(|| format!("x-{ordinal} ({uid}) is being deleted"));
        let machine = self.pods[&ordinal].machine;
        if !self.machines[machine].is_reachable() {
            return;
        }
        match self.sandbox(uid).and_then(|sandbox| sandbox.container.clone()) {
            Some(container) => {
                let longest = grace.unwrap_or(GRACE_SECONDS) * 1000;
                let soon = self.while_of(100, longest.max(100));
                self.after(soon, Event::End(uid.clone(), container));
            }
            None => self.remove_pod(ordinal),
        }
    }

    /// The pod is gone from the API at once. Its processes are alive for a while.
    pub(crate) fn force_delete(&mut self, uid: &PodUid) {
        let Some(ordinal) = self.ordinal_of(uid) else { return };
        self.say(|| format!("x-{ordinal} ({uid}) is deleted by force"));
        let machine = self.pods[&ordinal].machine;
        self.remove_pod(ordinal);
        let container = self.sandbox(uid).and_then(|sandbox| sandbox.container.clone());
        if let Some(container) = container.filter(|_| self.machines[machine].is_reachable()) {
            let soon = self.while_of(100, GRACE_SECONDS * 1000 - 1000);
            self.after(soon, Event::End(uid.clone(), container));
        }
    }

    pub(super) fn end_container(&mut self, uid: &PodUid, container: &ContainerId) {
        let Some(machine) = self.machine_of(uid) else { return };
        let same = self.sandbox(uid).is_some_and(|sandbox| sandbox.container.as_ref() == Some(container));
        // A kubelet that is cut off ends what it was told to end, and can tell nobody.
        let is_orphan = self.ordinal_of(uid).is_none();
        let there = &self.machines[machine];
        let acts = there.powered && (there.connected || is_orphan);
        if !acts || !same {
            return;
        }
        self.end_all_in(container);
        self.sandboxes.retain(|sandbox| sandbox.pod != *uid);
        if let Some(ordinal) = self.ordinal_of(uid) {
            self.reports.push(container.clone());
            self.remove_pod(ordinal);
        } else {
            self.say(|| format!("{container} ends, and nobody is told"));
        }
    }

    fn remove_pod(&mut self, ordinal: u32) {
        let Some(pod) = self.pods.remove(&ordinal) else { return };
        if !self.options.has_claims() {
            self.volumes[pod.volume].exists = false;
        }
        self.changes += 1;
        self.say(|| format!("x-{ordinal} ({}) is gone", pod.shown.uid));
        self.wake_controller();
    }

    /// What lives in a container's own file system ends with it.
    pub(super) fn end_data_of(&mut self, container: &ContainerId) {
        if self.options.storage != Storage::Container {
            return;
        }
        if let Some(sandbox) =
            self.sandboxes.iter().find(|sandbox| sandbox.container.as_ref() == Some(container))
        {
            self.volumes[sandbox.volume].exists = false;
        }
    }

    pub(super) fn end_all_in(&mut self, container: &ContainerId) {
        self.end_data_of(container);
        let inside: Vec<u64> =
            self.processes.iter().filter(|p| p.container == *container).map(|process| process.id).collect();
        for process in inside {
            self.end_process(process);
        }
        self.end_executions(|_, execution| execution.container == *container);
    }
}
