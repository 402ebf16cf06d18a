//! A registry in the local cluster, as a company has one: with TLS by an authority of its own, and a password.

mod access;
mod objects;
mod program;

use anyhow::{Context, Result};

use crate::cluster::{Cluster, layout};
use crate::progress::Progress;

/// Where it is in the cluster.
const NAMESPACE: &str = "rss-registry";
/// What its objects are called.
const NAME: &str = "registry";
/// Its address, the same for the machine and for pods: certificates are made before there is a service. It is of the
/// part of the network that is not given out by chance.
const ADDRESS: std::net::Ipv4Addr = std::net::Ipv4Addr::new(10, 218, 0, 50);
const PORT: u16 = 5000;
/// Who may push and pull.
const USER: &str = "rss";

/// The registry, for whoever pushes or pulls.
#[derive(Clone, Debug)]
pub struct Registry {
    /// `ADDRESS:PORT`, which stands before the names of images; reached from the machine and from every pod.
    pub host: String,
    /// The certificate of its authority.
    pub ca_pem: String,
    /// Who may push and pull.
    pub user: String,
    /// By this password.
    pub password: String,
}

impl Registry {
    /// What a person needs to push and pull.
    ///
    /// # Errors
    /// If the certificate of the authority cannot be written where it is said to be.
    pub fn described(&self) -> Result<String> {
        let authority = layout::state().join("registry.crt");
        std::fs::write(&authority, &self.ca_pem).context("failed to write the registry's authority")?;
        let Self { host, user, password, ca_pem: _ } = self;
        Ok(format!("host {host}\nuser {user}\npassword {password}\nauthority {}", authority.display()))
    }
}

/// Bring it up, unless it is; returns when it answers. What was pushed is kept until the cluster goes down.
///
/// # Errors
/// If it cannot be built, or does not get ready.
pub fn up(cluster: &Cluster) -> Result<Registry> {
    let mut progress = Progress::new(3);
    let image = progress.step("build the registry", program::image)?;
    progress.step("give it to the nodes", |_| cluster.load(&image))?;
    let registry = progress.step("start it", |step| {
        cluster.kubectl_with_input(&["apply", "-f", "-"], &objects::namespace().to_string())?;
        let registry = access::given(cluster, step)?;
        cluster.kubectl_with_input(&["apply", "-f", "-"], &objects::all(&image).to_string())?;
        let ready = ["rollout", "status", "deployment/registry", "--timeout=120s", "--namespace", NAMESPACE];
        cluster.kubectl(&ready).with_context(|| why_not(cluster))?;
        Ok(registry)
    })?;
    progress.finish(&format!("the registry is up at {}", registry.host));
    Ok(registry)
}

/// Where its files are: every node has them, for they share this machine.
fn folder() -> std::path::PathBuf {
    layout::state().join(NAME)
}

/// For an error that must tell why.
fn why_not(cluster: &Cluster) -> String {
    let say = |words: &[&str]| {
        let answer = cluster.kubectl(&[words, &["--namespace", NAMESPACE]].concat());
        answer.unwrap_or_else(|error| format!("{error:#}\n"))
    };
    let (pods, log) = (say(&["get", "pods"]), say(&["logs", "deployment/registry", "--tail=10"]));
    format!("the registry did not start\n{pods}{log}")
}
