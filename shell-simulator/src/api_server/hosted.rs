//! The pods and claims of a set's StatefulCluster: the operator makes them, and in the cluster they get a place.

use planner::names::{ClaimUid, PodUid, ReplicaName};
use serde_json::{Value, json};

use super::State;
use super::shown::SET_PATH;
use crate::identities::object::{
    claim_path, identity, is_identity, is_leaving, mounts, name, node_of, pods, released, uid,
};

impl State {
    /// The set's pods are made by its StatefulCluster.
    pub(crate) fn is_host(&self) -> bool {
        let set = self.store.get(SET_PATH);
        set.is_some_and(|set| set["spec"]["workload"] == "StatefulCluster")
    }

    /// The cluster has it, or had it.
    pub(super) fn is_hosted(&self, pod: &Value) -> bool {
        node_of(pod).is_some() && self.is_host()
    }

    /// A claim that is made is bound at once, to a volume that has no place yet.
    pub(super) fn host_claim(&mut self, claim: &Value) {
        let whose = ReplicaName(identity(claim).to_owned());
        self.cluster.host_claim(&whose, ClaimUid(uid(claim).to_owned()));
        let mut bound = claim.clone();
        bound["spec"]["volumeName"] = json!(format!("pv-{}", uid(claim)));
        bound["status"] = json!({"phase": "Bound"});
        self.store.put(&claim_path(name(claim)), bound);
    }

    /// Puts pods that wait for it on nodes, once their claims are there.
    pub(super) fn host(&mut self) {
        let moment = (self.store.version(), self.cluster.changes());
        if self.hosted == moment || !self.is_host() {
            return;
        }
        for (path, pod) in pods(&self.store) {
            if node_of(&pod).is_none() && !is_leaving(&pod) {
                self.place(&path, &pod);
            }
        }
        self.hosted = (self.store.version(), self.cluster.changes());
    }

    fn place(&mut self, path: &str, pod: &Value) {
        let claims = mounts(pod).into_iter().map(|name| self.store.get(&claim_path(name)));
        let Some(claims) = claims.collect::<Option<Vec<_>>>() else { return };
        let whose = ReplicaName(name(pod).to_owned());
        let Some(node) = self.cluster.host_pod(&whose, PodUid(uid(pod).to_owned())) else { return };
        for claim in claims {
            self.identities.law.mounts(pod, claim, &self.store);
        }
        let mut placed = pod.clone();
        placed["spec"]["nodeName"] = json!(node.0);
        self.store.put(path, placed);
    }

    /// Another size may be asked for, and members may be given up.
    pub(super) fn follow_cluster(&mut self, cluster: &Value) {
        self.identities.law.want(self.now, cluster["spec"]["replicas"].as_u64().unwrap_or(0));
        for name in released(cluster).into_iter().flatten() {
            self.cluster.release(&ReplicaName(name.to_owned()));
        }
    }

    /// A pod of a StatefulCluster without an application in it.
    pub(super) fn is_bare(&self, object: &Value) -> bool {
        is_identity(object) && !self.is_host()
    }
}
