//! Machines: each start of one has a boot ID of its own; a silent kubelet leaves everything as it is.

use super::{Event, World};
use planner::names::{BootId, ContainerId, NodeName, PodUid};
use planner::observation::Node;

/// For so long a kubelet may be silent before its node is not ready, in milliseconds.
const SILENCE: u64 = 40_000;

/// A machine with a kubelet on it.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) name: NodeName,
    pub(crate) boots: u64,
    pub(crate) powered: bool,
    pub(crate) connected: bool,
    pub(crate) ready: bool,
    shown_boot: BootId,
}

impl Machine {
    pub(super) fn new(number: u32) -> Self {
        let name = NodeName(format!("node-{number}"));
        let shown_boot = BootId(format!("{name}-boot-1"));
        Self { name, boots: 1, powered: true, connected: true, ready: true, shown_boot }
    }

    /// Commands reach it, and its kubelet works.
    pub(crate) fn is_reachable(&self) -> bool {
        self.powered && self.connected
    }

    pub(crate) fn shown(&self) -> Node {
        Node { ready: self.ready, boot: self.shown_boot.clone(), out_of_service: false }
    }
}

impl World {
    pub(crate) fn cut_power(&mut self, machine: usize, millis: u64) {
        if !self.machines[machine].powered {
            return;
        }
        self.say(|| format!("node-{machine} loses its power"));
        self.machines[machine].powered = false;
        let on_it: Vec<u64> =
            self.processes.iter().filter(|p| p.machine == machine).map(|process| process.id).collect();
        for process in on_it {
            self.end_process(process);
        }
        self.end_executions(|world, execution| world.machine_of(&execution.pod) == Some(machine));
        let ended: Vec<ContainerId> = self
            .sandboxes
            .iter()
            .filter(|s| s.machine == machine)
            .filter_map(|s| s.container.clone())
            .collect();
        ended.iter().for_each(|container| self.end_data_of(container));
        for sandbox in self.sandboxes.iter_mut().filter(|sandbox| sandbox.machine == machine) {
            sandbox.crashed = sandbox.container.take().or(sandbox.crashed.take());
        }
        self.after(SILENCE, Event::NotReady(machine));
        self.after(millis, Event::PowerUp(machine));
    }

    /// Its power comes back later than was said when it was cut.
    pub(crate) fn keep_dark(&mut self, machine: usize, millis: u64) {
        self.cancel(|event| matches!(event, Event::PowerUp(other) if *other == machine));
        self.after(millis, Event::PowerUp(machine));
    }

    pub(crate) fn power_up(&mut self, machine: usize) {
        if self.machines[machine].powered {
            return;
        }
        let there = &mut self.machines[machine];
        there.powered = true;
        there.boots += 1;
        let boot = there.boots;
        self.say(|| format!("node-{machine} starts for the {boot}th time"));
        if self.machines[machine].connected {
            self.sync_machine(machine);
        }
    }

    /// The kubelet cannot reach the API server, nor is it reached.
    pub(crate) fn disconnect(&mut self, machine: usize) {
        if self.machines[machine].connected {
            self.machines[machine].connected = false;
            self.say(|| format!("node-{machine} is cut off"));
            self.after(SILENCE, Event::NotReady(machine));
        }
    }

    pub(crate) fn reconnect(&mut self, machine: usize) {
        if !self.machines[machine].connected {
            self.machines[machine].connected = true;
            self.say(|| format!("node-{machine} is back"));
            self.rejoin_or_end(machine);
            if self.machines[machine].powered {
                self.sync_machine(machine);
            }
        }
    }

    pub(super) fn notice_silence(&mut self, machine: usize) {
        if !self.machines[machine].is_reachable() && self.machines[machine].ready {
            self.machines[machine].ready = false;
            self.changes += 1;
            self.say(|| format!("node-{machine} is not ready"));
        }
    }

    /// A kubelet that is back: it tells its boot, and what became of its containers, starts those that
    /// should run and ends those that should not.
    fn sync_machine(&mut self, machine: usize) {
        let there = &mut self.machines[machine];
        there.ready = true;
        there.shown_boot = BootId(format!("{}-boot-{}", there.name, there.boots));
        self.changes += 1;
        let known: Vec<PodUid> = self
            .pods
            .values()
            .filter(|pod| pod.machine == machine)
            .map(|pod| pod.shown.uid.clone())
            .collect();
        for uid in &known {
            self.sync_pod(uid);
        }
        let orphans = self.sandboxes.iter().filter(|s| s.machine == machine && !known.contains(&s.pod));
        let orphans: Vec<(PodUid, ContainerId)> =
            orphans.filter_map(|s| Some((s.pod.clone(), s.container.clone()?))).collect();
        for (uid, container) in orphans {
            let soon = self.while_of(500, 5000);
            self.after(soon, Event::End(uid, container));
        }
    }
}
