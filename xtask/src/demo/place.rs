//! Where the demonstration runs: the local cluster, or one of the user's own.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::set::SET;
use super::{Own, writers};
use crate::cluster::{self, Cluster};
use crate::image::Recipe;
use crate::operator::Profile;
use crate::progress::{Progress, Step};
use crate::run;

/// The namespace of the databases and their client.
pub(super) const NAMESPACE: &str = "rss-demo";
/// The namespace of the operator.
pub(super) const SYSTEM: &str = "rss-system";
/// Marks what may be removed by the next run.
const MARK: &str = "app.kubernetes.io/part-of=rss-demo";
/// Rights that belong to no namespace; a name of their own, beside those of an operator installed by hand.
pub(super) const RIGHTS: &str = "rss-demo-operator";
/// One for each member.
const NODES: u8 = 3;

/// A cluster to work in.
pub(super) enum Place {
    /// The project's own, on this machine. `ours`: brought up by this run.
    Local { cluster: Cluster, ours: bool },
    /// The user's.
    Own(Own),
}

// === impl Place ===

impl Place {
    /// The cluster the user names; else the local one, brought up unless it is there and sound.
    pub(super) fn prepare(own: Option<Own>) -> Result<Self> {
        if let Some(own) = own {
            return Ok(Self::Own(own));
        }
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

    /// For the report.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Local { cluster, .. } => format!("local, {} nodes", cluster.nodes().len()),
            Self::Own(own) => own.context.clone(),
        }
    }

    /// A kubectl that speaks to the cluster.
    pub(super) fn command(&self, words: &[&str]) -> Command {
        let mut command = match self {
            Self::Local { cluster, .. } => cluster.kubectl_command(),
            Self::Own(own) => {
                let mut command = Command::new("kubectl");
                command.arg("--context").arg(&own.context);
                command
            }
        };
        command.args(words);
        command
    }

    /// Run kubectl and return what it printed.
    pub(super) fn kubectl(&self, words: &[&str]) -> Result<String> {
        run::output(&mut self.command(words))
    }

    /// The same, in the namespace of the databases.
    pub(super) fn within(&self, words: &[&str]) -> Result<String> {
        self.kubectl(&[&["--namespace", NAMESPACE], words].concat())
    }

    /// Make objects what they are described as.
    pub(super) fn apply(&self, objects: &[Value]) -> Result<()> {
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
    pub(super) fn images(&self) -> &'static [&'static str] {
        match self {
            Self::Local { .. } => &["galera", "operator"],
            Self::Own(_) => &[],
        }
    }

    /// Make an image and give it to the nodes.
    pub(super) fn load(&self, name: &str, profile: Profile, step: &mut Step) -> Result<()> {
        let Self::Local { cluster, .. } = self else { return Ok(()) };
        let recipe: Recipe = name.parse().map_err(anyhow::Error::msg)?;
        cluster.load(&recipe.build(profile, step)?)
    }

    /// An image's name as the cluster knows it.
    pub(super) fn image(&self, name: &str) -> String {
        match self {
            Self::Own(Own { image_prefix: Some(prefix), .. }) => {
                format!("{}/{name}", prefix.trim_end_matches('/'))
            }
            _ => name.to_owned(),
        }
    }

    /// Remove what an earlier run left, and make the namespaces anew.
    pub(super) fn clear(&self) -> Result<()> {
        self.remove()?;
        let (key, value) = MARK.split_once('=').context("a label has a value")?;
        let namespace = |name| {
            let metadata = json!({"name": name, "labels": {key: value}});
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        };
        self.apply(&[namespace(NAMESPACE), namespace(SYSTEM)])
    }

    fn remove(&self) -> Result<()> {
        for name in [NAMESPACE, SYSTEM] {
            let found = self.kubectl(&["get", "namespace", name, "--ignore-not-found", "--show-labels"])?;
            if !found.is_empty() && !found.contains(MARK) {
                bail!("namespace {name} was not made by this command: remove it, or use another cluster");
            }
        }
        // The operator first: it would bring back what goes.
        self.kubectl(&["delete", "namespace", SYSTEM, "--ignore-not-found"])?;
        self.kubectl(&["delete", "namespace", NAMESPACE, "--ignore-not-found"])?;
        self.kubectl(&["delete", "clusterrole,clusterrolebinding", RIGHTS, "--ignore-not-found"])?;
        if let Self::Local { cluster, .. } = self {
            cluster.recycle_volumes()?;
        }
        Ok(())
    }

    /// Leave the cluster as it was found.
    pub(super) fn leave(&self) -> Result<()> {
        match self {
            Self::Local { ours: true, .. } => cluster::down(),
            _ => Progress::new(1).step("remove the demonstration", |_| self.remove()),
        }
    }

    /// What a person types to look around, and to end it.
    pub(super) fn how_to_look(&self) -> String {
        let kubectl = match self {
            Self::Local { .. } => "cargo xtask cluster kubectl".to_owned(),
            Self::Own(own) => format!("kubectl --context {}", own.context),
        };
        let end = match self {
            Self::Local { ours: true, .. } => "cargo xtask cluster down".to_owned(),
            _ => format!("{kubectl} delete namespace {SYSTEM} {NAMESPACE}"),
        };
        let look = [
            format!("--namespace {NAMESPACE} get rss,pods"),
            format!("--namespace {NAMESPACE} describe rss {SET}"),
            format!("--namespace {NAMESPACE} logs {}", writers::POD),
            format!("--namespace {SYSTEM} logs deployment/rss-operator --all-pods"),
        ];
        let look: Vec<_> = look.iter().map(|words| format!("  {kubectl} {words}")).collect();
        format!("it is left running:\n{}\nand removed by the next run, or by:\n  {end}", look.join("\n"))
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
