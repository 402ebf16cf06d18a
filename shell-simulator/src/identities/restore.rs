//! A snapshot of etcd is restored, while nodes and kubelets are what they are.

use serde_json::{Value, json};

use super::kubelets::show;
use super::object::{CLUSTER_PATH, Objects, has_failed, name, node_of, node_path, pods, ready, uid};
use crate::api_server::State;

impl State {
    /// All is as it was at a version, but for nodes that went or came since, and for what kubelets say of their containers.
    pub(super) fn restore(&mut self, now: u64, version: u64) {
        let (running, nodes) = (pods(&self.store), self.nodes());
        self.store.go_back(version);
        self.register(nodes);
        for (path, pod) in pods(&self.store) {
            let status = reported(&pod, &running);
            show(&mut self.store, &path, |pod| pod["status"] = status);
        }
        self.identities.kubelets.look_anew();
        let replicas = self.store.get(CLUSTER_PATH).and_then(|cluster| cluster["spec"]["replicas"].as_u64());
        self.identities.law.want(now, replicas.unwrap_or(0));
        self.identities.law.forgets_budget(now);
    }

    fn nodes(&self) -> Objects {
        self.store.shared("nodes").map(|(path, node)| (path.clone(), node.clone())).collect()
    }

    /// Kubelets register themselves, and a node that has none is removed.
    fn register(&mut self, nodes: Objects) {
        for (path, node) in self.nodes() {
            if !nodes.iter().any(|(of, _)| *of == path) {
                self.store.remove(&node_path(name(&node)));
            }
        }
        for (path, node) in nodes {
            self.store.put(&path, Value::clone(&node));
        }
    }
}

/// What the kubelet of a pod says of it, once it sees it again: of one that it has as ever, what it said last; one that ended
/// since has no container any more.
fn reported(pod: &Value, running: &Objects) -> Value {
    let is_same = |other: &Value| uid(other) == uid(pod) && node_of(other) == node_of(pod);
    match running.iter().find(|(_, other)| is_same(other)) {
        Some((_, running)) => running["status"].clone(),
        None if node_of(pod).is_none() || has_failed(pod) => pod["status"].clone(),
        None => json!({"phase": "Pending", "conditions": ready("False")}),
    }
}
