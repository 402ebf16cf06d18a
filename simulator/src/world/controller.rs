//! The StatefulSet controller: pods up to `replicas`, all at once, each with its claim; the highest
//! go first; a pod takes a new template only when somebody deletes the old one.

use super::api::{ClaimObject, PodObject, name};
use super::{Event, Volume, World};
use planner::names::{ClaimUid, PodUid, Revision};
use planner::observation::{Claim, Pod, Status};

impl World {
    pub(crate) fn wake_controller(&mut self) {
        if !self.is_scheduled(|event| matches!(event, Event::Controller)) {
            let soon = self.while_of(20, 1000);
            self.after(soon, Event::Controller);
        }
    }

    pub(super) fn control(&mut self) {
        let Some(size) = self.workload.as_ref().map(|workload| workload.replicas) else { return };
        for ordinal in 0..size {
            if !self.pods.contains_key(&ordinal) {
                self.create_pod(ordinal);
            }
        }
        let beyond: Vec<PodUid> = self
            .pods
            .range(size..)
            .filter(|(_, pod)| !pod.shown.terminating)
            .map(|(_, p)| p.shown.uid.clone())
            .collect();
        for uid in beyond {
            self.delete_pod(&uid, None);
        }
    }

    fn create_pod(&mut self, ordinal: u32) {
        let Some(revision) = self.workload.as_ref().map(|workload| workload.revision.clone()) else { return };
        let uid = PodUid(format!("pod-{}", self.fresh()));
        let volume = self.volume_for(ordinal);
        let machine = ordinal as usize % self.machines.len();
        self.put_pod(ordinal, uid, revision, (machine, volume));
    }

    /// A pod on a machine, with a volume.
    pub(super) fn put_pod(
        &mut self,
        ordinal: u32,
        uid: PodUid,
        revision: Revision,
        (machine, volume): (usize, usize),
    ) {
        let shown = Pod {
            uid: uid.clone(),
            node: Some(self.machines[machine].name.clone()),
            terminating: false,
            finished: false,
            container: None,
            never_ran: true,
            trouble: None,
            guarded: true,
            unguardable: false,
            revision,
            active: None,
            role: None,
            status: Status::NotAsked,
        };
        self.pods.insert(ordinal, PodObject { shown, machine, volume });
        self.changes += 1;
        self.say(|| format!("{} is created as {uid}", name(ordinal)));
        let soon = self.while_of(200, 4000);
        self.after(soon, Event::Start(uid));
    }

    /// The volume of the replica's claim; without claims a new one.
    fn volume_for(&mut self, ordinal: u32) -> usize {
        if !self.options.has_claims() {
            return self.new_volume();
        }
        if let Some(claim) = self.claims.get(&ordinal) {
            return claim.volume;
        }
        let uid = ClaimUid(format!("claim-{}", self.fresh()));
        self.put_claim(ordinal, uid)
    }

    /// A claim with a new volume.
    pub(super) fn put_claim(&mut self, ordinal: u32, uid: ClaimUid) -> usize {
        let volume = self.new_volume();
        let shown =
            Claim { uid, bound: true, terminating: false, created_at: None, record: None, unreadable: false };
        self.claims.insert(ordinal, ClaimObject { shown, volume, version: 1 });
        volume
    }

    pub(crate) fn new_volume(&mut self) -> usize {
        self.volumes.push(Volume::default());
        self.volumes.len() - 1
    }

    /// A claim and its volume go, with the pod that uses them, and come back empty.
    pub(crate) fn lose_claim(&mut self, ordinal: u32) {
        let Some(claim) = self.claims.remove(&ordinal) else { return };
        self.volumes[claim.volume].exists = false;
        let users: Vec<u64> =
            self.processes.iter().filter(|p| p.volume == claim.volume).map(|process| process.id).collect();
        for process in users {
            self.end_process(process);
        }
        self.say(|| format!("the claim of {} is deleted with its volume", name(ordinal)));
        self.changes += 1;
        match self.pods.get(&ordinal).map(|pod| pod.shown.uid.clone()) {
            Some(uid) if self.mishap(2) => self.force_delete(&uid),
            Some(uid) => self.delete_pod(&uid, None),
            None => self.wake_controller(),
        }
    }
}
