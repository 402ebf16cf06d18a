//! What runs and what does not.

use anyhow::Result;
use serde::Serialize;

use super::layout;
use super::process::Component;
use super::{Cluster, Format};

/// The cluster as it is now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// Is there a cluster at all?
    exists: bool,
    kubeconfig: Option<String>,
    nodes: Vec<NodeStatus>,
    components: Vec<ComponentStatus>,
}

#[derive(Debug, Serialize)]
struct NodeStatus {
    name: String,
    ready: bool,
}

#[derive(Debug, Serialize)]
struct ComponentStatus {
    name: String,
    pid: Option<i32>,
    log: String,
}

/// Look at the processes, and ask the API server about the nodes if it runs.
pub(crate) fn look() -> Result<Status> {
    let cluster = Cluster::attach().ok();
    let components = Component::recorded()?;
    let nodes = match &cluster {
        Some(cluster) => nodes(cluster),
        None => Vec::new(),
    };
    Ok(Status {
        exists: layout::state().exists(),
        kubeconfig: cluster.map(|cluster| cluster.kubeconfig().display().to_string()),
        nodes,
        components: components.iter().map(ComponentStatus::of).collect(),
    })
}

fn nodes(cluster: &Cluster) -> Vec<NodeStatus> {
    let query = "jsonpath={range .items[*]}{.metadata.name} \
         {.status.conditions[?(@.type==\"Ready\")].status}{\"\\n\"}{end}";
    // No answer is an answer: the list of components below it says why.
    let answer = cluster.kubectl(&["get", "nodes", "--request-timeout=5s", "-o", query]).unwrap_or_default();
    let seen: Vec<_> = answer.lines().filter_map(|line| line.split_once(' ')).collect();
    let ready = |name: &str| seen.iter().any(|(n, state)| *n == name && state.trim() == "True");
    layout::Node::all(cluster.nodes)
        .map(|node| NodeStatus { ready: ready(&node.name()), name: node.name() })
        .collect()
}

// === impl ComponentStatus ===

impl ComponentStatus {
    fn of(component: &Component) -> Self {
        Self {
            name: component.name.clone(),
            pid: component.pid(),
            log: component.log().display().to_string(),
        }
    }
}

// === impl Status ===

impl Status {
    /// Every node is ready and every component runs.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.exists
            && !self.nodes.is_empty()
            && self.nodes.iter().all(|node| node.ready)
            && self.components.iter().all(|component| component.pid.is_some())
    }

    /// For a reader or for a program.
    ///
    /// # Errors
    /// None in practice: the status is plain data.
    pub fn render(&self, format: Format) -> Result<String> {
        match format {
            Format::Json => Ok(serde_json::to_string_pretty(self)?),
            Format::Text => Ok(self.text()),
        }
    }

    fn text(&self) -> String {
        if !self.exists {
            return "there is no local cluster: cargo xtask cluster up".to_owned();
        }
        let mut lines = Vec::new();
        for node in &self.nodes {
            lines.push(format!("{:<26}{}", node.name, if node.ready { "ready" } else { "not ready" }));
        }
        for component in &self.components {
            let state = match component.pid {
                Some(pid) => format!("runs, pid {pid}"),
                None => format!("does not run, see {}", component.log),
            };
            lines.push(format!("{:<26}{state}", component.name));
        }
        if self.kubeconfig.is_none() {
            lines.push("it is unfinished: cargo xtask cluster up starts it anew".to_owned());
        }
        lines.join("\n")
    }
}
