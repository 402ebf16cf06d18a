//! Where the demonstration runs: the local cluster, or one of the user's own.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::set::SET;
use super::writers;
use crate::binary::Profile;
use crate::cluster::{self, Cluster};
use crate::image::Recipe;
use crate::own::Own;
use crate::progress::{Progress, Step};
use crate::{policies, run};

/// Marks what may be removed by the next run, with the name of the command.
pub(crate) const MARK: &str = "app.kubernetes.io/part-of";
/// Rights that belong to no namespace, as `deploy/` names them.
pub(super) const RIGHTS: [&str; 2] = ["rss-operator", "rss-operator-stateful-cluster"];
/// One for each member.
const NODES: u8 = 3;

/// A cluster to work in, and what is the command's own there.
pub(crate) struct Place {
    pub(crate) cluster: Where,
    /// The namespace of the databases and their client, and the beginning of the other names.
    pub(crate) name: &'static str,
}

/// Which cluster.
pub(crate) enum Where {
    /// The project's own, on this machine. `ours`: brought up by this run.
    Local { cluster: Cluster, ours: bool },
    /// The user's.
    Own(Own),
}

// === impl Place ===

impl Place {
    /// The cluster the user names; else the local one, brought up unless it is there and sound.
    pub(crate) fn prepare(name: &'static str, own: Option<Own>) -> Result<Self> {
        let cluster = match own {
            Some(own) => {
                own.check()?;
                Where::Own(own)
            }
            None => Where::local()?,
        };
        Ok(Self { cluster, name })
    }

    /// For the report.
    pub(crate) fn describe(&self) -> String {
        match &self.cluster {
            Where::Local { cluster, .. } => format!("local, {} nodes", cluster.nodes().len()),
            Where::Own(own) => own.context.clone(),
        }
    }

    /// The namespace of the operator.
    pub(crate) fn system(&self) -> String {
        format!("{}-system", self.name)
    }

    /// Rights that belong to no namespace; names of their own, beside those of an operator installed by hand.
    pub(crate) fn rights(&self, deployed: &str) -> String {
        deployed.replacen("rss", self.name, 1)
    }

    /// A kubectl that speaks to the cluster.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = match &self.cluster {
            Where::Local { cluster, .. } => cluster.kubectl_command(),
            Where::Own(own) => own.kubectl(),
        };
        command.args(words);
        command
    }

    /// Run kubectl and return what it printed.
    pub(crate) fn kubectl(&self, words: &[&str]) -> Result<String> {
        run::output(&mut self.command(words))
    }

    /// The same, in the namespace of the databases.
    pub(crate) fn within(&self, words: &[&str]) -> Result<String> {
        self.kubectl(&[&["--namespace", self.name], words].concat())
    }

    /// Pods by name, each with its UID.
    pub(crate) fn pods(&self, namespace: &str, label: &str) -> Result<BTreeMap<String, String>> {
        let query = "jsonpath={range .items[*]}{.metadata.name} {.metadata.uid}{\"\\n\"}{end}";
        let list = self.kubectl(&["--namespace", namespace, "get", "pods", "-l", label, "-o", query])?;
        let pods = list.lines().filter_map(|line| line.split_once(' '));
        Ok(pods.map(|(name, uid)| (name.to_owned(), uid.to_owned())).collect())
    }

    /// The author's tool, told which cluster it is about.
    pub(crate) fn tool(&self, words: &[&str]) -> Command {
        let mut command = Command::new(policies::tool_path());
        command.args(words);
        match &self.cluster {
            Where::Local { cluster, .. } => command.arg("--kubeconfig").arg(cluster.kubeconfig()),
            Where::Own(own) => command.arg("--context").arg(&own.context),
        };
        command
    }

    /// Make objects what they are described as.
    pub(crate) fn apply(&self, objects: &[Value]) -> Result<()> {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
        let words = ["apply", "--server-side", "--force-conflicts", "-f", "-"];
        let mut child = self
            .command(&words)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        // Dropped at once, so that kubectl sees the end.
        child.stdin.take().context("kubectl has no standard input")?.write_all(list.as_bytes())?;
        let done = child.wait_with_output()?;
        ensure!(done.status.success(), "kubectl apply: {}", String::from_utf8_lossy(&done.stderr).trim());
        Ok(())
    }

    /// Which images this run makes. On a cluster of the user's own they are there already.
    pub(crate) fn images(&self) -> &'static [&'static str] {
        match self.cluster {
            Where::Local { .. } => &["galera", "operator", "registry"],
            Where::Own(_) => &[],
        }
    }

    /// Make an image and give it to the nodes.
    pub(crate) fn load(&self, name: &str, profile: Profile, step: &mut Step) -> Result<()> {
        let Where::Local { cluster, .. } = &self.cluster else { return Ok(()) };
        let recipe: Recipe = name.parse().map_err(anyhow::Error::msg)?;
        cluster.load(&recipe.build(profile, step)?)
    }

    /// An image's name as the cluster knows it.
    pub(crate) fn image(&self, name: &str) -> String {
        match &self.cluster {
            Where::Own(own) => own.image(name),
            Where::Local { .. } => name.to_owned(),
        }
    }

    /// Remove what an earlier run left, and make the namespaces anew.
    pub(crate) fn clear(&self) -> Result<()> {
        self.remove()?;
        let namespace = |name: &str| {
            let metadata = json!({"name": name, "labels": {MARK: self.name}});
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        };
        self.apply(&[namespace(self.name), namespace(&self.system())])
    }

    fn remove(&self) -> Result<()> {
        let (system, mark) = (self.system(), format!("{MARK}={}", self.name));
        for name in [self.name, &system] {
            let found = self.kubectl(&["get", "namespace", name, "--ignore-not-found", "--show-labels"])?;
            if !found.is_empty() && !found.contains(&mark) {
                bail!("namespace {name} was not made by this command: remove it, or use another cluster");
            }
        }
        // The operator first: it would bring back what goes.
        self.kubectl(&["delete", "namespace", &system, "--ignore-not-found"])?;
        self.kubectl(&["delete", "namespace", self.name, "--ignore-not-found"])?;
        for deployed in RIGHTS {
            let rights = self.rights(deployed);
            self.kubectl(&["delete", "clusterrole,clusterrolebinding", &rights, "--ignore-not-found"])?;
        }
        if let Where::Local { cluster, .. } = &self.cluster {
            cluster.recycle_volumes()?;
        }
        Ok(())
    }

    /// Leave the cluster as it was found.
    pub(crate) fn leave(&self) -> Result<()> {
        match self.cluster {
            Where::Local { ours: true, .. } => cluster::down(),
            _ => Progress::new(1).step(&format!("remove {}", self.name), |_| self.remove()),
        }
    }

    /// What a person types to look around, and to end it.
    pub(crate) fn how_to_look(&self) -> String {
        let (name, system) = (self.name, self.system());
        let kubectl = match &self.cluster {
            Where::Local { .. } => "cargo xtask cluster kubectl".to_owned(),
            Where::Own(own) => format!("kubectl --context {}", own.context),
        };
        let end = match self.cluster {
            Where::Local { ours: true, .. } => "cargo xtask cluster down".to_owned(),
            _ => format!("{kubectl} delete namespace {system} {name}"),
        };
        let look = [
            format!("--namespace {name} get rss,pods"),
            format!("--namespace {name} describe rss {SET}"),
            format!("--namespace {name} logs {}", writers::POD),
            format!("--namespace {system} logs deployment/rss-operator --all-pods"),
        ];
        let look: Vec<_> = look.iter().map(|words| format!("  {kubectl} {words}")).collect();
        format!("it is left running:\n{}\nand removed by the next run, or by:\n  {end}", look.join("\n"))
    }
}

// === impl Where ===

impl Where {
    /// The local cluster, brought up unless it is there and sound.
    fn local() -> Result<Self> {
        if let Ok(cluster) = Cluster::attach() {
            if is_sound()? {
                return Ok(Self::Local { cluster, ours: false });
            }
            if cluster.kubectl(&["version", "--request-timeout=5s"]).is_ok() {
                bail!(
                    "the local cluster runs, but not all of it: cargo xtask cluster status says what is wrong"
                );
            }
        }
        cluster::up(NODES)?;
        Ok(Self::Local { cluster: Cluster::attach()?, ours: true })
    }
}

/// A node may be on its way back just now, so a cluster is given a moment.
fn is_sound() -> Result<bool> {
    for _ in 0..10 {
        if cluster::status()?.is_sound() {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_secs(1));
    }
    Ok(false)
}
