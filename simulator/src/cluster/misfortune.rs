//! What befalls the cluster.

use super::Cluster;
use crate::settle;
use crate::world::{Event, Process};
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

    /// The network of a machine is cut for so many milliseconds; what runs there goes on.
    pub fn cut_off(&mut self, machine: usize, millis: u64) {
        self.world.disconnect(machine);
        self.world.after(millis, Event::Reconnect(machine));
    }

    /// The container of a pod ends by itself.
    pub fn crash_container(&mut self, pod: &PodUid) {
        self.world.crash_container(pod);
    }

    /// The database in a pod ends; its container goes on. False: there was none.
    pub fn kill_database(&mut self, pod: &PodUid) -> bool {
        let process = self.process_of(pod);
        process.into_iter().for_each(|process| self.world.end_process(process));
        process.is_some()
    }

    /// It stands still: whoever asks it hears nothing. False: there was none.
    pub fn freeze_database(&mut self, pod: &PodUid) -> bool {
        self.with_process(pod, |process| process.frozen = true)
    }

    /// It says of itself that it failed. False: there was none.
    pub fn break_database(&mut self, pod: &PodUid) -> bool {
        self.with_process(pod, |process| process.broken = true)
    }

    /// A person stands by what a key says, which is about to be given.
    pub fn stand_by(&mut self, key: &Key) {
        settle::stand_by(&mut self.world, key);
    }

    /// A claim is lost with its volume, and its pod deleted; another one is made. False: there was none.
    pub fn lose_claim(&mut self, ordinal: u32) -> bool {
        let is_there = self.world.claims.contains_key(&ordinal);
        self.world.lose_claim(ordinal);
        is_there
    }

    /// What runs in this pod goes on, and nobody hears of it.
    #[must_use]
    pub fn is_cut_off(&self, pod: &PodUid) -> bool {
        let machine = self.world.sandbox(pod).map(|sandbox| &self.world.machines[sandbox.machine]);
        machine.is_some_and(|machine| machine.powered && !machine.connected)
    }

    /// A pod is deleted by force: its processes are alive for a while.
    pub fn force_delete(&mut self, pod: &PodUid) {
        self.world.force_delete(pod);
    }

    fn process_of(&self, pod: &PodUid) -> Option<u64> {
        self.world.processes.iter().find(|process| process.pod == *pod).map(|process| process.id)
    }

    fn with_process(&mut self, pod: &PodUid, change: impl Fn(&mut Process)) -> bool {
        let Some(id) = self.process_of(pod) else { return false };
        self.world.say(|| format!("process {id} is frozen, or fails"));
        self.world.process_mut(id).into_iter().for_each(change);
        true
    }
}
