//! Members whose names are given once: somebody else makes their pods and claims, and a volume stays on the machine on which
//! it was mounted first.

use super::World;
use planner::names::{ClaimUid, NodeName, PodUid, ReplicaName, Revision};
use std::collections::{BTreeMap, BTreeSet};

/// Who has which name, and where its data is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identities {
    /// By their numbers here, in the order in which they were heard of.
    pub(crate) names: Vec<ReplicaName>,
    /// Those that were given up.
    pub(crate) released: BTreeSet<u32>,
    /// On which machine a volume is.
    homes: BTreeMap<usize, usize>,
}

impl World {
    /// The number by which a member is known here.
    pub(crate) fn number(&self, name: &ReplicaName) -> u32 {
        let given = (0u32..).zip(&self.identities.names).find(|(_, given)| *given == name);
        given.map_or_else(|| super::api::ordinal(name), |(number, _)| number)
    }

    /// The same of one that may be new.
    pub(crate) fn admit(&mut self, name: &ReplicaName) -> u32 {
        if !self.identities.names.contains(name) {
            self.identities.names.push(name.clone());
        }
        self.number(name)
    }

    /// A claim of its own is made for a member.
    pub(crate) fn host_claim(&mut self, of: &ReplicaName, uid: ClaimUid) {
        let number = self.admit(of);
        self.put_claim(number, uid);
        self.changes += 1;
    }

    /// A pod of a member is put on a machine that is heard of: on that of its volume, if it was mounted before. None: there
    /// is no such machine.
    pub(crate) fn host_pod(&mut self, of: &ReplicaName, uid: PodUid) -> Option<NodeName> {
        let number = self.number(of);
        let volume = self.claims.get(&number)?.volume;
        let machine = match self.identities.homes.get(&volume) {
            Some(home) => Some(*home).filter(|home| self.machines[*home].ready),
            None => self.emptiest_machine(),
        }?;
        self.identities.homes.insert(volume, machine);
        self.put_pod(number, uid, Revision::from("given"), (machine, volume));
        Some(self.machines[machine].name.clone())
    }

    fn emptiest_machine(&self) -> Option<usize> {
        let pods = |machine: &usize| self.pods.values().filter(|pod| pod.machine == *machine).count();
        (0..self.machines.len()).filter(|machine| self.machines[*machine].ready).min_by_key(pods)
    }
}
