//! Who makes pods where identities are given once: who goes comes back as nobody, and others come.

use super::World;
use crate::fixture::name;
use crate::names::ReplicaName;
use crate::observation::Pod;

impl World {
    /// The pod of a machine that is not heard of is told to end, and stays.
    fn end_for_good(&mut self, name: &ReplicaName) {
        let replica = self.seen.replicas.get_mut(name).unwrap();
        let ordinal = replica.ordinal;
        let is_heard = |pod: &Pod| pod.node.as_ref().is_some_and(|node| self.seen.nodes[node].ready);
        match replica.pod.as_mut().filter(|pod| !is_heard(pod)) {
            Some(pod) => pod.terminating = true,
            None => self.end_pod(ordinal, true),
        }
    }

    /// Who is named goes for ever, its claims stay, and as many others are made as are missing.
    pub(super) fn give_up(&mut self, to: u32, released: &[ReplicaName]) {
        for name in released {
            self.end_for_good(name);
        }
        let workload = self.seen.workload.as_mut().unwrap();
        workload.replicas = to;
        workload.released.extend(released.iter().cloned());
        self.make_up();
    }

    /// As many others are made as are missing, each with a name that nobody had.
    fn make_up(&mut self) {
        let workload = self.seen.workload.as_ref().unwrap();
        let standing = self.seen.replicas.keys().filter(|name| !workload.released.contains(*name)).count();
        let missing = workload.replicas.saturating_sub(standing as u32);
        let of_memory = self.memory.holders.values().map(|record| &record.replica);
        let number =
            |name: &ReplicaName| name.0.rsplit('-').next().and_then(|number| number.parse::<u32>().ok());
        let next =
            self.seen.replicas.keys().chain(of_memory).filter_map(number).max().map_or(0, |last| last + 1);
        (next..next + missing).for_each(|ordinal| self.new_pod(ordinal));
    }

    /// A person deletes its claims and its pod.
    pub(in crate::audit) fn take_claims(&mut self, ordinal: u32) {
        self.end_pod(ordinal, true);
        self.seen.replicas.remove(&name(ordinal));
        self.apps.remove(&ordinal);
        self.make_up();
    }
}
