//! A StatefulCluster, whoever looks after it, and how it ends.

use std::time::Duration;

use serde_json::json;
use simulator::Options;

use super::Blow;
use super::kubelets::Kubelets;
use super::object::{CLUSTER_PATH, default_tolerations, is_leaving, name, pods, resource};
use super::well::ASKED;
use crate::api_server::ApiServer;
use crate::operators::Operators;
use crate::watches::Watches;

/// Nodes with power.
const NODES: usize = 5;

/// What a person asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// So many pods.
    Size(u64),
    /// Another image, which is written into pods that live.
    Image(&'static str),
    /// Other arguments, for which other pods are needed.
    Arguments(&'static str),
    /// Pods that Kubernetes itself tells to end on a silent node, for which other pods are needed.
    Eviction,
    /// So many identities may take the place of others within a window.
    Budget(u64),
    /// The window, with its unit.
    Window(&'static str),
}

/// A StatefulCluster in its cluster, and the operator's processes.
pub struct Story {
    /// The API server.
    pub server: ApiServer,
    /// The processes.
    pub operators: Operators,
}

/// How a story ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Pods that were made, and pods that went.
    pub pods: (usize, usize),
    /// The same of claims.
    pub claims: (usize, usize),
    /// The templates that were kept.
    pub revisions: usize,
    /// What the status tells.
    pub told: String,
}

impl Story {
    /// So many pods are asked for, whose claims are kept or deleted once they are gone; and an operator is started, with
    /// whose watches this is wrong.
    #[must_use]
    pub fn begin(seed: u64, replicas: u64, retention: &str, watches: Watches) -> Self {
        let server = ApiServer::begin(seed, Options::calm());
        server.act(|state| {
            state.identities.kubelets = Kubelets::new(seed);
            for _ in 0..NODES {
                state.identities.kubelets.add_node(&mut state.store);
            }
            state.store.put(CLUSTER_PATH, resource(replicas, retention));
        });
        wanted(&server, replicas);
        let operators = Operators::start(&server, watches);
        Self { server, operators }
    }

    /// Lets time go on until all is well and nothing is done any more.
    ///
    /// # Errors
    /// If it does not come to that, or a law was broken: all that happened, and what is wrong.
    pub async fn settles(&mut self) -> Result<(), String> {
        ASKED.settles(&mut self.operators).await
    }

    /// Lets time go on.
    ///
    /// # Errors
    /// If a law was broken.
    pub async fn passes(&mut self, time: Duration) -> Result<(), String> {
        ASKED.passes(&mut self.operators, time).await
    }

    /// Something befalls one of those that it can befall: that of this number, counted around.
    pub fn befall(&self, blow: Blow, at: usize) {
        self.struck_by(blow, at);
    }

    /// The same, and whether there was one.
    pub(super) fn struck_by(&self, blow: Blow, at: usize) -> bool {
        self.server.act(|state| state.befall(blow, at))
    }

    /// A person asks for something else.
    pub fn want(&self, wish: Wish) {
        self.server.act(|state| {
            let mut cluster = state.store.get(CLUSTER_PATH).cloned().unwrap_or_default();
            let pod = &mut cluster["spec"]["template"]["spec"];
            match wish {
                Wish::Size(replicas) => cluster["spec"]["replicas"] = json!(replicas),
                Wish::Image(image) => pod["containers"][0]["image"] = json!(image),
                Wish::Arguments(arguments) => pod["containers"][0]["args"] = json!([arguments]),
                Wish::Eviction => pod["tolerations"] = default_tolerations(),
                Wish::Budget(budget) => cluster["spec"]["replacement"]["budget"] = json!(budget),
                Wish::Window(window) => cluster["spec"]["replacement"]["window"] = json!(window),
            }
            state.store.put(CLUSTER_PATH, cluster);
        });
        match wish {
            Wish::Size(replicas) => wanted(&self.server, replicas),
            Wish::Arguments(_) | Wish::Eviction => {
                let now = self.server.now();
                self.server.act(|state| state.identities.law.turn(now));
            }
            Wish::Image(_) | Wish::Budget(_) | Wish::Window(_) => {}
        }
    }

    /// More may be alive than are asked for: what a process sends comes much later than any request can.
    pub fn crowds(&self) {
        self.server.act(|state| state.identities.law.crowded = true);
    }

    /// Snapshots that can be restored: one after each change in the API server, the last of what is there now.
    #[must_use]
    pub fn snapshots(&self) -> Vec<u64> {
        self.server.act(|state| state.store.versions())
    }

    /// A snapshot of etcd is restored, and everything that watches is started anew.
    pub fn restore(&self, snapshot: u64) {
        self.operators.die();
        let now = self.server.now();
        self.server.act(|state| state.restore(now, snapshot));
    }

    /// How many identities were ever given to a pod.
    #[must_use]
    pub fn identities(&self) -> usize {
        self.server.act(|state| state.identities.law.made())
    }

    /// Why it waits, as the status says.
    #[must_use]
    pub fn holds(&self) -> String {
        self.server.act(|state| {
            let status = &state.store.get(CLUSTER_PATH).cloned().unwrap_or_default()["status"];
            status["holds"].to_string()
        })
    }

    /// The names of the pods that stand.
    #[must_use]
    pub fn standing(&self) -> Vec<String> {
        let pods = self.server.act(|state| pods(&state.store));
        pods.iter().filter(|(_, pod)| !is_leaving(pod)).map(|(_, pod)| name(pod).to_owned()).collect()
    }

    /// How it stands: after it became well and quiet, how it ended.
    #[must_use]
    pub fn end(&self) -> Ending {
        self.server.act(|state| {
            let status = &state.store.get(CLUSTER_PATH).cloned().unwrap_or_default()["status"];
            let told =
                ["ready", "replicas", "updatedReplicas", "currentRevision"].map(|field| &status[field]);
            Ending {
                pods: state.store.counts("pods"),
                claims: state.store.counts("persistentvolumeclaims"),
                revisions: state.store.of("controllerrevisions").count(),
                told: format!("{told:?}"),
            }
        })
    }
}

fn wanted(server: &ApiServer, replicas: u64) {
    let now = server.now();
    server.act(|state| state.identities.law.want(now, replicas));
}
