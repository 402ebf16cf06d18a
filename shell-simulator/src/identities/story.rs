//! A StatefulCluster, whoever looks after it, and how it ends.

use std::time::Duration;

use serde_json::{Value, json};
use simulator::Options;

use super::Blow;
use super::kubelets::{Kubelets, Power};
use super::object::{CLUSTER_PATH, claims, has_failed, is_leaving, is_ready, mounts, name, node_of, pods};
use crate::api_server::{ApiServer, State};
use crate::life::Watches;
use crate::operators::Operators;

/// What is not done within this time is not done.
const QUIET: Duration = Duration::from_secs(45);
/// So many times of that kind it has, in which something is done or it is not well.
const LONGEST: usize = 60;
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
        for _ in 0..LONGEST {
            if self.is_quiet().await? && self.server.act(|state| is_well(state)).is_ok() {
                return Ok(());
            }
        }
        Err(self.told(|state| is_well(state).err().unwrap_or_else(|| "it never comes to rest".to_owned())))
    }

    /// Lets some time go on, and says whether nothing was done in it.
    async fn is_quiet(&mut self) -> Result<bool, String> {
        let before = self.operators.effects().len();
        self.passes(QUIET).await?;
        Ok(self.operators.effects().len() == before)
    }

    /// Lets time go on.
    ///
    /// # Errors
    /// If a law was broken.
    pub async fn passes(&mut self, time: Duration) -> Result<(), String> {
        self.operators.passes(time).await;
        let wrong = self.server.act(|state| state.wrong(state.identities.law.breaches()));
        if wrong.is_empty() { Ok(()) } else { Err(self.told(|_| wrong)) }
    }

    /// Something befalls one of those that it can befall: that of this number, counted around.
    pub fn befall(&self, blow: Blow, at: usize) {
        self.server.act(|state| state.befall(blow, at));
    }

    /// A person asks for something else.
    pub fn want(&self, wish: Wish) {
        self.server.act(|state| {
            let mut cluster = state.store.get(CLUSTER_PATH).cloned().unwrap_or_default();
            let container = &mut cluster["spec"]["template"]["spec"]["containers"][0];
            match wish {
                Wish::Size(replicas) => cluster["spec"]["replicas"] = json!(replicas),
                Wish::Image(image) => container["image"] = json!(image),
                Wish::Arguments(arguments) => container["args"] = json!([arguments]),
            }
            state.store.put(CLUSTER_PATH, cluster);
        });
        if let Wish::Size(replicas) = wish {
            wanted(&self.server, replicas);
        }
    }

    /// More may be alive than are asked for: what a process sends comes much later than any request can.
    pub fn crowds(&self) {
        self.server.act(|state| state.identities.law.crowded = true);
    }

    /// How many identities were ever given to a pod.
    #[must_use]
    pub fn identities(&self) -> usize {
        self.server.act(|state| state.identities.law.made())
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

    fn told(&self, what: impl FnOnce(&State) -> String) -> String {
        let said = self.server.act(|state| {
            let cluster = state.store.get(CLUSTER_PATH).cloned().unwrap_or_default();
            let pods =
                pods(&state.store).into_iter().map(|(_, pod)| format!("{} {}", name(&pod), pod["status"]));
            let pods: Vec<_> = pods.collect();
            format!("{}\n{}\n{}", pods.join("\n"), cluster["status"], what(state))
        });
        format!("{}\n{said}", self.operators.effects().join("\n"))
    }
}

fn wanted(server: &ApiServer, replicas: u64) {
    let now = server.now();
    server.act(|state| state.identities.law.want(now, replicas));
}

/// As a person wrote it.
fn resource(replicas: u64, retention: &str) -> Value {
    json!({
        "apiVersion": "enge.me/v1alpha1", "kind": "StatefulCluster",
        "metadata": {"name": "db", "namespace": "shop", "uid": "cluster", "generation": 1},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "db"}}, "serviceName": "peers",
            "template": {"spec": {"containers": [{"name": "db", "image": "db:1", "args": ["1"]}]}},
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}],
            "persistentVolumeClaimRetentionPolicy": {"whenScaled": retention},
            "replacement": {"unhealthyAfter": "2m", "unheardAfter": "1m", "budget": 1000, "window": "1m"},
            "progressDeadlineSeconds": 120},
    })
}

/// All that are asked for are available, and the status says so; nobody else stands or is awaited.
fn is_well(state: &State) -> Result<(), String> {
    let cluster = state.store.get(CLUSTER_PATH).cloned().unwrap_or_default();
    let replicas = cluster["spec"]["replicas"].as_u64().unwrap_or(0);
    let (pods, on) = (pods(&state.store), state.identities.kubelets.with(Power::On));
    let is_on = |pod: &Value| node_of(pod).is_none_or(|node| on.iter().any(|on| on == node));
    let (leaving, standing): (Vec<_>, Vec<_>) = pods.iter().partition(|(_, pod)| is_leaving(pod));
    let well =
        standing.iter().filter(|(_, pod)| is_ready(pod) && is_on(pod) && !has_failed(pod)).count() as u64;
    if well != replicas || standing.len() as u64 != replicas {
        return Err(format!("{well} of {} are available, and {replicas} are wanted", standing.len()));
    }
    if let Some((_, pod)) = leaving.iter().find(|(_, pod)| is_on(pod)) {
        return Err(format!("{} ends", name(pod)));
    }
    let status = &cluster["status"];
    if status["ready"] != format!("{replicas}/{replicas}") || status["memory"]["given"] != json!({}) {
        return Err(format!("the status tells {status}"));
    }
    let is_kept = cluster["spec"]["persistentVolumeClaimRetentionPolicy"]["whenScaled"] == "Retain";
    let claims = claims(&state.store);
    let is_left = |claim: &Value| !pods.iter().any(|(_, pod)| mounts(pod).contains(&name(claim)));
    match claims.iter().find(|(_, claim)| !is_kept && is_left(claim)) {
        Some((_, claim)) => Err(format!("{} is left", name(claim))),
        None => Ok(()),
    }
}
