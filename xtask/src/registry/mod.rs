//! Registries in the local cluster, as a company has one: with TLS by an authority of its own, and a password.

mod access;
mod objects;
mod person;
mod program;
mod requests;
mod trust;

use anyhow::{Context, Result};

use crate::cluster::{Cluster, layout};
use crate::progress::{Progress, Step};

pub use person::Person;
pub(crate) use program::{IMAGE, image};

/// Where the one is that people use.
const NAMESPACE: &str = "rss-registry";
/// What its objects are called, and its program.
pub const NAME: &str = "registry";
const PORT: u16 = 5000;
/// Who may push and pull.
const USER: &str = "rss";

/// A registry, for whoever pushes or pulls.
#[derive(Clone, Debug)]
pub struct Registry {
    /// Where its objects are.
    pub namespace: String,
    /// `ADDRESS:PORT`, which stands before the names of images; reached from the machine and from every pod.
    pub host: String,
    /// The certificate of its authority, in PEM.
    pub ca_pem: String,
    /// Who may push and pull.
    pub user: String,
    /// By this password.
    pub password: String,
}

// === impl Registry ===

impl Registry {
    /// What a person needs to push and pull.
    ///
    /// # Errors
    /// If the certificate of the authority cannot be written where it is said to be.
    pub fn described(&self) -> Result<String> {
        let authority = layout::state().join("registry.crt");
        std::fs::write(&authority, &self.ca_pem).context("failed to write the registry's authority")?;
        let Self { host, user, password, namespace: _, ca_pem: _ } = self;
        Ok(format!("host {host}\nuser {user}\npassword {password}\nauthority {}", authority.display()))
    }

    /// How many requests for manifests, blobs or the right to them its present pod has logged, whoever asked.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn requests(&self, cluster: &Cluster) -> Result<usize> {
        let log = cluster.kubectl(&["logs", "deployment/registry", "--namespace", &self.namespace])?;
        Ok(requests::count(&log))
    }
}

/// Bring the one up that people use, unless it is; returns when it answers. What was pushed is kept until the cluster
/// goes down.
///
/// # Errors
/// If it cannot be built, or does not get ready.
pub fn up(cluster: &Cluster) -> Result<Registry> {
    let mut progress = Progress::new(3);
    let image = progress.step("build the registry", program::image)?;
    progress.step("give it to the nodes", |_| cluster.load(&image))?;
    let registry = progress.step("start it", |step| {
        cluster.kubectl_with_input(&["apply", "-f", "-"], &objects::namespace().to_string())?;
        start(cluster, NAMESPACE, step)
    })?;
    progress.finish(&format!("the registry is up at {}", registry.host));
    Ok(registry)
}

/// Start one in a namespace that is there, unless it is; the nodes have its image. Returns when it answers.
///
/// # Errors
/// If it does not get ready.
pub fn start(cluster: &Cluster, namespace: &str, step: &mut Step) -> Result<Registry> {
    let apply = ["apply", "--namespace", namespace, "-f", "-"];
    cluster.kubectl_with_input(&apply, &objects::service().to_string())?;
    let registry = access::given(cluster, namespace, step)?;
    cluster.kubectl_with_input(&apply, &objects::deployment(namespace).to_string())?;
    let ready = ["rollout", "status", "deployment/registry", "--timeout=120s", "--namespace", namespace];
    cluster.kubectl(&ready).with_context(|| why_not(cluster, namespace))?;
    Ok(registry)
}

/// Where the files of one are: every node has them, for they share this machine.
fn folder(namespace: &str) -> std::path::PathBuf {
    layout::state().join(NAME).join(namespace)
}

/// For an error that must tell why.
fn why_not(cluster: &Cluster, namespace: &str) -> String {
    let say = |words: &[&str]| {
        let answer = cluster.kubectl(&[words, &["--namespace", namespace]].concat());
        answer.unwrap_or_else(|error| format!("{error:#}\n"))
    };
    let (pods, log) = (say(&["get", "pods"]), say(&["logs", "deployment/registry", "--tail=10"]));
    format!("the registry did not start\n{pods}{log}")
}
