//! What must hold in every state.

use stateful_cluster::names::Identity;
use stateful_cluster::observation::Pod;
use stateful_cluster::{audit, decide};

use super::World;

impl World {
    /// What must never be.
    pub(crate) fn wrong(&self) -> Option<String> {
        if self.misused.is_some() {
            return self.misused.clone();
        }
        if let Some(identity) = self.made_twice() {
            return Some(format!("{identity} was made twice"));
        }
        let set_aside = |pod: &&Pod| pod.leaving && pod.is_unheard();
        let alive = self.now.pods.values().filter(|pod| !set_aside(pod)).count();
        if alive > self.replicas as usize + 1 {
            return Some(format!("{alive} are alive"));
        }
        if let Some(wrong) = self.unasked() {
            return Some(wrong);
        }
        let plan = decide(&self.seen(0), &self.memory);
        audit(&self.seen(0), &self.memory, &plan).err().map(|found| format!("the audit refuses: {found:?}"))
    }

    /// Where an owner decides, only for what it holds itself is one made again.
    fn made_twice(&self) -> Option<&Identity> {
        let again = self.made.iter().filter(|(_, times)| **times > 1).map(|(identity, _)| identity);
        let is_its_own = |identity: &Identity| {
            self.released.is_some() && self.now.claims.keys().any(|(of, _)| of == identity)
        };
        again.filter(|identity| self.now.pods.contains_key(*identity)).find(|identity| !is_its_own(identity))
    }

    /// Nobody in this world but the operator deletes a claim.
    fn unasked(&self) -> Option<String> {
        let released = self.released.as_ref()?;
        let kept: Vec<_> = self.filled.difference(released).collect();
        let has_claim = |identity: &Identity| self.now.claims.keys().any(|(of, _)| of == identity);
        if let Some(identity) = kept.iter().find(|identity| !has_claim(identity)) {
            return Some(format!("{identity} has lost its claim"));
        }
        (kept.len() > self.replicas as usize).then(|| format!("{kept:?} have more places than there are"))
    }
}
