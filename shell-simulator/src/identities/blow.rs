//! What befalls the pods of a StatefulCluster, their claims and nodes.

use serde_json::json;

use super::kubelets::{Power, show};
use super::object::{LONG_AGO, claims, is_leaving, node_of, node_path, pods, ready, uid};
use crate::api_server::State;

/// What befalls them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blow {
    /// Somebody deletes a pod.
    Delete,
    /// The same, by force.
    Force,
    /// A kubelet evicts a pod.
    Evict,
    /// The container of a pod fails, and may be well again after a while.
    Sicken,
    /// The same, and it is never well again.
    Break,
    /// Somebody deletes a claim.
    DeleteClaim,
    /// The node of a pod loses its power.
    PowerOff,
    /// All nodes have power again.
    PowerOn,
    /// Somebody removes the node of a pod for ever; there is another one.
    LoseNode,
}

impl Blow {
    /// All of them.
    pub(super) const ALL: [Self; 9] = [
        Self::Delete,
        Self::Force,
        Self::Evict,
        Self::Sicken,
        Self::Break,
        Self::DeleteClaim,
        Self::PowerOff,
        Self::PowerOn,
        Self::LoseNode,
    ];
}

impl State {
    /// It befalls one of those that it can befall: the one of this number, counted around. False: there was none, or this
    /// ends what befell it.
    pub(super) fn befall(&mut self, blow: Blow, at: usize) -> bool {
        match blow {
            Blow::PowerOff | Blow::PowerOn | Blow::LoseNode => self.befall_nodes(blow, at),
            Blow::DeleteClaim => {
                let mut claims = claims(&self.store);
                claims.retain(|(_, claim)| !is_leaving(claim));
                let Some((path, _)) = one(&claims, at) else { return false };
                show(&mut self.store, path, |claim| claim["metadata"]["deletionTimestamp"] = json!(LONG_AGO));
                true
            }
            _ => self.befall_pod(blow, at),
        }
    }

    fn befall_pod(&mut self, blow: Blow, at: usize) -> bool {
        let mut pods = pods(&self.store);
        pods.retain(|(_, pod)| !is_leaving(pod));
        let Some((path, pod)) = one(&pods, at) else { return false };
        let is_placed = pod["spec"]["nodeName"].is_string();
        let has_begun = pod["status"]["containerStatuses"][0].is_object();
        match blow {
            Blow::Delete if is_placed => show(&mut self.store, path, |pod| {
                pod["metadata"]["deletionTimestamp"] = json!(LONG_AGO);
                pod["metadata"]["deletionGracePeriodSeconds"] = json!(30);
            }),
            Blow::Evict if is_placed => show(&mut self.store, path, |pod| {
                pod["status"] = json!({"phase": "Failed", "reason": "Evicted", "conditions": ready("False")});
            }),
            Blow::Sicken | Blow::Break if has_begun => {
                self.identities.kubelets.sicken(uid(pod), blow == Blow::Sicken);
                show(&mut self.store, path, |pod| {
                    pod["status"]["conditions"] = ready("False");
                    pod["status"]["containerStatuses"][0]["state"] =
                        json!({"waiting": {"reason": "CrashLoopBackOff"}});
                });
            }
            Blow::Evict | Blow::Sicken | Blow::Break => return false,
            _ => self.store.remove(path),
        }
        true
    }

    fn befall_nodes(&mut self, blow: Blow, at: usize) -> bool {
        let kubelets = &mut self.identities.kubelets;
        let (on, off) = (kubelets.with(Power::On), kubelets.with(Power::Off));
        let pods = pods(&self.store);
        let of_pod =
            one(&pods, at).and_then(|(_, pod)| node_of(pod)).filter(|node| on.iter().any(|on| on == node));
        match (blow, of_pod) {
            (Blow::PowerOff, Some(node)) if on.len() > 2 => kubelets.turn(node, Some(Power::Off)),
            (Blow::PowerOn, _) => {
                off.iter().for_each(|node| kubelets.turn(node, Some(Power::On)));
                return false;
            }
            (Blow::LoseNode, Some(node)) => {
                kubelets.turn(node, None);
                self.store.remove(&node_path(node));
                kubelets.add_node(&mut self.store);
            }
            _ => return false,
        }
        true
    }
}

fn one<T>(of: &[T], at: usize) -> Option<&T> {
    of.get(at % of.len().max(1))
}
