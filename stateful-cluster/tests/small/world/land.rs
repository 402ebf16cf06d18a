//! What kubelets and the API server do.

use std::collections::BTreeSet;

use stateful_cluster::names::Identity;
use stateful_cluster::observation::{Claim, Life};
use stateful_cluster::plan::Step;

use super::World;
use super::made::pod;

impl World {
    /// What its kubelet does next: the application starts, or ends.
    pub(super) fn go_on(&mut self, identity: &Identity) {
        let Some(pod) = self.now.pods.get_mut(identity).filter(|pod| !pod.is_unheard()) else { return };
        if pod.leaving {
            self.now.pods.remove(identity);
            for claim in self.now.claims.values_mut() {
                claim.mounted_by.remove(identity);
            }
        } else if pod.may_run()
            && let Some(claim) = self.now.claims.get_mut(&(identity.clone(), "data".into()))
        {
            claim.mounted_by.insert(identity.clone());
            pod.life = Life::Available;
            // Where nobody asks for it, it would only make more states.
            let is_asked = self.released.is_some() && self.made.get(identity) == Some(&1);
            self.filled.extend(is_asked.then(|| identity.clone()));
        }
    }

    /// A request comes to the API server.
    pub(super) fn land(&mut self, step: &Step) {
        self.on_the_way.remove(step);
        let pods = &mut self.now.pods;
        match step {
            Step::CreatePod { identity, .. } if !pods.contains_key(identity) => {
                let made = self.made.entry(identity.clone()).or_default();
                *made += 1;
                pods.insert(identity.clone(), pod(identity, *made));
            }
            Step::CreateClaim { identity, template, if_pod } => {
                let lives = pods.get(identity).is_some_and(|pod| pod.uid == *if_pod);
                let claim = Claim { uid: "claim".into(), leaving: false, mounted_by: BTreeSet::new() };
                let key = (identity.clone(), template.clone());
                self.refused.remove(&key);
                lives.then(|| self.now.claims.entry(key).or_insert(claim));
            }
            Step::SetAside { identity, if_pod } => {
                let pod = pods.get_mut(identity).filter(|pod| pod.uid == *if_pod);
                pod.into_iter().for_each(|pod| pod.labelled = false);
            }
            Step::DeletePod { identity, if_pod, .. } => {
                let pod = pods.get_mut(identity).filter(|pod| pod.uid == *if_pod);
                pod.into_iter().for_each(|pod| pod.leaving = true);
            }
            Step::DeleteClaim { identity, template, .. } => {
                let key = (identity.clone(), template.clone());
                if let Some(claim) = self.now.claims.remove(&key) {
                    let is_to_stay = self.retains || !claim.mounted_by.is_empty();
                    let misused =
                        is_to_stay.then(|| format!("the claim of {identity} is deleted and was to stay"));
                    self.misused = self.misused.take().or(misused);
                }
            }
            Step::CreatePod { .. } | Step::Update { .. } => {}
        }
    }
}
