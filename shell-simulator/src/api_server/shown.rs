//! What the cluster is, as objects.

use std::collections::BTreeMap;

use planner::names::{ContainerId, NodeName};
use planner::observation::{Claim, Node, Pod};
use serde_json::{Value, json};
use simulator::Cluster;

use super::State;
use super::status::{LONG_AGO, ended_for_good, gated, id_of, pod_status, terminated};
use crate::identities::is_identity;

/// The one namespace.
pub(crate) const NAMESPACE: &str = "shop";
/// The one set.
pub(crate) const SET: &str = "x";
/// Its path.
pub(crate) const SET_PATH: &str = "/apis/clusterlabs.org/v1alpha1/namespaces/shop/replicatedstatefulsets/x";
pub(crate) const WORKLOAD_PATH: &str = "/apis/apps/v1/namespaces/shop/statefulsets/rss-x";
const REVISION: &str = "controller-revision-hash";

fn pod_name(cluster: &Cluster, number: u32) -> String {
    cluster.name(number).map_or_else(|| format!("rss-{SET}-{number}"), |given| given.0.clone())
}

fn pod_path(cluster: &Cluster, number: u32) -> String {
    format!("/api/v1/namespaces/{NAMESPACE}/pods/{}", pod_name(cluster, number))
}

pub(super) fn claim_path(cluster: &Cluster, number: u32) -> String {
    format!("/api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims/data-{}", pod_name(cluster, number))
}

/// What of the cluster the objects are.
#[derive(Default)]
pub(crate) struct Shown {
    /// How many changes of it.
    changes: Option<u64>,
    nodes: BTreeMap<NodeName, Node>,
    /// And whether something is heard of its node.
    pods: BTreeMap<u32, (Pod, bool)>,
}

impl State {
    /// Lets everything happen that is due.
    pub(super) fn go_on(&mut self) {
        self.cluster.run_until(self.now);
        self.due = self.identities.go_on(self.now, &mut self.store);
    }

    /// When something happens next.
    pub(super) fn next(&self) -> Option<u64> {
        self.cluster.next().into_iter().chain(self.due).min()
    }

    /// Brings the objects to what the cluster is.
    pub(super) fn show(&mut self) {
        if self.shown.changes == Some(self.cluster.changes()) {
            return;
        }
        self.shown.changes = Some(self.cluster.changes());
        let nodes = self.cluster.nodes();
        for (name, node) in &nodes {
            if self.shown.nodes.insert(name.clone(), node.clone()).as_ref() != Some(node) {
                self.store.put(&format!("/api/v1/nodes/{name}"), node_object(name, node));
            }
        }
        self.show_claims();
        let pods = self.cluster.pods();
        for (ordinal, pod) in pods.iter() {
            let is_heard =
                pod.node.as_ref().is_none_or(|node| nodes.get(node).is_some_and(|node| node.ready));
            let now = (pod.clone(), is_heard);
            let path = pod_path(&self.cluster, *ordinal);
            if self.shown.pods.get(ordinal) != Some(&now) || self.store.get(&path).is_none() {
                self.show_pod(*ordinal, pod, is_heard);
                self.shown.pods.insert(*ordinal, now);
            }
        }
        let there: Vec<String> = pods.keys().map(|ordinal| pod_path(&self.cluster, *ordinal)).collect();
        let shown = self.store.of("pods").filter(|(_, pod)| !is_identity(pod) || self.is_hosted(pod));
        let gone: Vec<String> = shown.map(|(path, _)| path.clone()).collect();
        for path in gone.into_iter().filter(|path| !there.contains(path)) {
            self.remove_pod(&path);
        }
    }

    /// Its kubelet tells anew whether the pod at this path is ready.
    pub(super) fn show_again(&mut self, path: &str) {
        let numbers: Vec<u32> = self.shown.pods.keys().copied().collect();
        for number in numbers.into_iter().filter(|number| pod_path(&self.cluster, *number) == path) {
            self.shown.pods.remove(&number);
            self.shown.changes = None;
        }
    }

    fn show_claims(&mut self) {
        let claims = self.cluster.claims();
        for (ordinal, claim) in &claims {
            let path = claim_path(&self.cluster, *ordinal);
            if self.uid(&path).is_some_and(|uid| uid != claim.uid.0) {
                self.store.remove(&path);
            }
            if self.store.get(&path).is_none() {
                self.store.put(&path, claim_object(*ordinal, claim));
            }
        }
        let there: Vec<String> = claims.keys().map(|ordinal| claim_path(&self.cluster, *ordinal)).collect();
        self.forget("persistentvolumeclaims", |path| !there.iter().any(|there| there == path));
    }

    fn forget(&mut self, plural: &str, is_gone: impl Fn(&str) -> bool) {
        let all = self.store.of(plural).filter(|(_, object)| !is_identity(object));
        let gone: Vec<String> = all.map(|(path, _)| path.clone()).filter(|path| is_gone(path)).collect();
        gone.iter().for_each(|path| self.store.remove(path));
    }

    pub(super) fn uid(&self, path: &str) -> Option<String> {
        self.store.get(path)?["metadata"]["uid"].as_str().map(str::to_owned)
    }

    fn show_pod(&mut self, ordinal: u32, pod: &Pod, is_heard: bool) {
        let path = pod_path(&self.cluster, ordinal);
        if self.uid(&path).is_some_and(|uid| uid != pod.uid.0) {
            self.remove_pod(&path);
        }
        let mut object = self.store.get(&path).cloned().unwrap_or_else(|| self.pod_object(ordinal, pod));
        if pod.terminating && object["metadata"]["deletionTimestamp"].is_null() {
            object["metadata"]["deletionTimestamp"] = json!(LONG_AGO);
            // Without it, whoever writes it next would be the last.
            let grace = object["spec"]["terminationGracePeriodSeconds"].clone();
            object["metadata"]["deletionGracePeriodSeconds"] = grace;
        }
        let before = id_of(&object);
        let now = pod.container_id().cloned();
        let replaced = before.filter(|before| now.as_ref().is_some_and(|now| now != before));
        let last = match replaced {
            Some(replaced) => terminated(&replaced, self.cluster.has_reported(&replaced)),
            None => object["status"]["containerStatuses"][0]["lastState"].clone(),
        };
        let has_reported = |id: &ContainerId| self.cluster.has_reported(id);
        let status = pod_status(pod.container.as_ref(), &last, is_heard, has_reported);
        object["status"] = gated(status, &object["status"], &object["spec"]);
        self.store.put(&path, object);
    }

    fn pod_object(&self, ordinal: u32, pod: &Pod) -> Value {
        let workload = self.store.get(WORKLOAD_PATH).cloned().unwrap_or_default();
        let template = &workload["spec"]["template"];
        let mut labels = template["metadata"]["labels"].clone();
        labels[REVISION] = json!(pod.revision.0);
        let mut spec = template["spec"].clone();
        spec["nodeName"] = json!(pod.node.as_ref().map(|node| &node.0));
        json!({"metadata": {"name": format!("rss-{SET}-{ordinal}"), "namespace": NAMESPACE, "uid": pod.uid.0,
            "labels": labels, "creationTimestamp": LONG_AGO,
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": format!("rss-{SET}"),
                "uid": workload["metadata"]["uid"], "controller": true}]}, "spec": spec})
    }

    /// The last that a watch tells of a pod holds what its kubelet reported.
    fn remove_pod(&mut self, path: &str) {
        let Some(mut object) = self.store.get(path).cloned() else { return };
        if let Some(id) = id_of(&object).filter(|id| self.cluster.has_reported(id)) {
            object["status"] = ended_for_good(&object["status"], &id);
            self.store.put(path, object);
        }
        self.store.remove(path);
    }
}

fn node_object(name: &NodeName, node: &Node) -> Value {
    json!({"metadata": {"name": name.0, "uid": name.0}, "spec": {}, "status": {
        "nodeInfo": {"bootID": node.boot.0, "architecture": "", "containerRuntimeVersion": "", "kernelVersion": "",
            "kubeProxyVersion": "", "kubeletVersion": "", "machineID": "", "operatingSystem": "", "osImage": "",
            "systemUUID": ""},
        "conditions": [{"type": "Ready", "status": if node.ready { "True" } else { "Unknown" }}]}})
}

fn claim_object(ordinal: u32, claim: &Claim) -> Value {
    let phase = if claim.bound { "Bound" } else { "Pending" };
    json!({"metadata": {"name": format!("data-rss-{SET}-{ordinal}"), "namespace": NAMESPACE, "uid": claim.uid.0,
        "creationTimestamp": LONG_AGO}, "spec": {"volumeName": format!("pv-{}", claim.uid.0)},
        "status": {"phase": phase}})
}
