//! The cluster that a command asks, found as kubectl finds it.

use std::error::Error;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use kube::api::{Patch, PatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config, ResourceExt};
use operator::api::ReplicatedStatefulSet;
use operator::observe::ALLOW;
use serde_json::json;

/// Which cluster and namespace. The words are kubectl's.
#[derive(Args, Debug, Default)]
pub(crate) struct ClusterArguments {
    /// The namespace. Default: that of the context.
    #[arg(short, long)]
    namespace: Option<String>,
    /// The context of the kubeconfig. Default: its current one.
    #[arg(long)]
    context: Option<String>,
    /// The kubeconfig. Default: $KUBECONFIG, else ~/.kube/config.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
}

/// A way to the API server, and the namespace that is meant.
pub(crate) struct Cluster {
    client: Client,
    namespace: String,
}

impl Cluster {
    /// The resource of a set.
    ///
    /// # Errors
    /// If the API server does not give it.
    pub(crate) async fn set(&self, name: &str) -> Result<ReplicatedStatefulSet> {
        let namespace = &self.namespace;
        let sets = self.sets();
        let told = || format!("failed to read the ReplicatedStatefulSet {namespace}/{name}");
        match sets.get_opt(name).await.with_context(told)? {
            Some(set) => Ok(set),
            None => bail!(
                "there is no ReplicatedStatefulSet {name} in the namespace {namespace}; `kubectl get rss -A` lists all"
            ),
        }
    }

    /// Writes a key beside those that were given before, onto the very resource that was read.
    ///
    /// # Errors
    /// If the API server does not take it, or the resource was changed since.
    pub(crate) async fn allow(&self, set: &ReplicatedStatefulSet, key: &str) -> Result<()> {
        let given = set.annotations().get(ALLOW).filter(|given| !given.trim().is_empty());
        let all = given.map_or_else(|| key.to_owned(), |given| format!("{given},{key}"));
        let version = set.resource_version();
        let patch = json!({"metadata": {"resourceVersion": version, "annotations": {ALLOW: all}}});
        let params = PatchParams { field_manager: Some("kubectl-rss".to_owned()), ..PatchParams::default() };
        match self.sets().patch(&set.name_any(), &params, &Patch::Merge(patch)).await {
            Ok(_) => Ok(()),
            Err(kube::Error::Api(status)) if status.is_conflict() => {
                bail!(
                    "{} was changed while it was looked at, and nothing was given: look again",
                    set.name_any()
                )
            }
            Err(error) => Err(error).context("failed to write the key (`patch` of replicatedstatefulsets)"),
        }
    }

    fn sets(&self) -> Api<ReplicatedStatefulSet> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }
}

impl ClusterArguments {
    /// Opens no connection yet.
    pub(crate) async fn cluster(&self) -> Result<Cluster> {
        let options = KubeConfigOptions { context: self.context.clone(), ..Default::default() };
        let config = match &self.kubeconfig {
            Some(file) => match Kubeconfig::read_from(file) {
                Ok(read) => {
                    Config::from_custom_kubeconfig(read, &options).await.map_err(|error| once(&error))
                }
                Err(error) => Err(once(&error)),
            },
            // Within a cluster there is another way.
            None if self.context.is_none() => {
                Config::infer().await.map_err(|error| once(error.source().unwrap_or(&error)))
            }
            None => Config::from_kubeconfig(&options).await.map_err(|error| once(&error)),
        };
        Self::cluster_of(config?, self)
    }

    fn cluster_of(config: Config, arguments: &Self) -> Result<Cluster> {
        let namespace = arguments.namespace.clone().unwrap_or_else(|| config.default_namespace.clone());
        let client = Client::try_from(config).context("failed to use the cluster's credentials")?;
        Ok(Cluster { client, namespace })
    }
}

/// Why there is no cluster to ask. These errors have the words of their causes in their own.
fn once(error: &dyn Error) -> anyhow::Error {
    anyhow!("no cluster to ask was found: {error}; name its kubeconfig by --kubeconfig or in $KUBECONFIG")
}
