//! What befalls the cluster.

use super::Cluster;
use crate::settle;
use planner::key::Key;
use planner::names::PodUid;

impl Cluster {
    /// How many machines there are.
    #[must_use]
    pub fn machines(&self) -> usize {
        self.world.machines.len()
    }

    /// Clients write so many times more, one after the other, through whoever takes it.
    pub fn write(&mut self, times: u32) {
        (0..times).for_each(|_| self.world.write_somewhere());
    }

    /// A machine loses its power for so many milliseconds.
    pub fn cut_power(&mut self, machine: usize, millis: u64) {
        self.world.cut_power(machine, millis);
    }

    /// All machines do.
    pub fn cut_all_power(&mut self, millis: u64) {
        (0..self.machines()).for_each(|machine| self.cut_power(machine, millis));
    }

    /// The container of a pod ends by itself.
    pub fn crash_container(&mut self, pod: &PodUid) {
        self.world.crash_container(pod);
    }

    /// The database in a pod ends; its container goes on.
    pub fn kill_database(&mut self, pod: &PodUid) {
        let found = self.world.processes.iter().find(|process| process.pod == *pod);
        if let Some(process) = found.map(|process| process.id) {
            self.world.end_process(process);
        }
    }

    /// A person stands by what a key says, which is about to be given.
    pub fn stand_by(&mut self, key: &Key) {
        settle::stand_by(&mut self.world, key);
    }

    /// A pod is deleted by force: its processes are alive for a while.
    pub fn force_delete(&mut self, pod: &PodUid) {
        self.world.force_delete(pod);
    }
}
