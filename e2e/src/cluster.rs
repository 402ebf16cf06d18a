//! The cluster that the tests run on, and what all of them share in it.

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Node;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ListParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::conditions::is_crd_established;
use kube::{Client, Config, ResourceExt};
use operator::clients::Clients;
use operator::telemetry::Metrics;
use tokio::sync::OnceCell;
use xtask::cluster::Cluster;
use xtask::own::Own;

use crate::{manifest, wait};

/// A client that never sends a command twice. It belongs to the runtime of one test.
pub(crate) async fn client() -> Result<Client> {
    Client::try_from(config().await?).context("failed to use the cluster's credentials")
}

/// An operator's ways to the API server, with the rights of its account in `namespace`.
pub(crate) async fn clients_of_operator(namespace: &str) -> Result<Clients> {
    let mut config = config().await?;
    config.auth_info.impersonate = Some(format!("system:serviceaccount:{namespace}:rss-operator"));
    Clients::new(config, &Metrics::default()).context("failed to use the cluster's credentials")
}

async fn config() -> Result<Config> {
    // A second test finds it installed.
    rustls::crypto::ring::default_provider().install_default().ok();
    let mut config = match own_context() {
        Some(context) => {
            let options = KubeConfigOptions { context: Some(context), ..KubeConfigOptions::default() };
            Config::from_kubeconfig(&options).await.context("failed to use the kubeconfig's context")?
        }
        None => local_config().await?,
    };
    config.default_retry = false;
    config.connect_timeout = Some(Duration::from_secs(30));
    config.read_timeout = None;
    Ok(config)
}

async fn local_config() -> Result<Config> {
    let file = kubeconfig()?;
    let known = Kubeconfig::read_from(&file).with_context(|| format!("failed to read {}", file.display()))?;
    Ok(Config::from_custom_kubeconfig(known, &KubeConfigOptions::default()).await?)
}

/// The context of the user's own kubeconfig, where that is to be tested on.
fn own_context() -> Option<String> {
    std::env::var("RSS_CONTEXT").ok().filter(|context| !context.is_empty())
}

/// The local cluster's, or that of `RSS_KUBECONFIG`.
pub(crate) fn kubeconfig() -> Result<PathBuf> {
    match std::env::var_os("RSS_KUBECONFIG") {
        Some(file) => Ok(file.into()),
        None => Ok(Cluster::attach()?.kubeconfig()),
    }
}

/// The words of kubectl, and of what speaks as it does, that lead to the cluster.
pub(crate) fn flags() -> Result<[OsString; 2]> {
    Ok(match own_context() {
        Some(context) => ["--context".into(), context.into()],
        None => ["--kubeconfig".into(), kubeconfig()?.into()],
    })
}

/// A kubectl that speaks to the cluster.
pub(crate) fn kubectl() -> Result<Command> {
    match own_context() {
        Some(context) => Ok(Own { context, image_prefix: None }.kubectl()),
        None => Ok(Cluster::attach()?.kubectl_command()),
    }
}

/// How many nodes the cluster has.
///
/// # Errors
/// If the API server does not say.
pub async fn nodes(client: &Client) -> Result<usize> {
    Ok(Api::<Node>::all(client.clone()).list(&ListParams::default()).await?.items.len())
}

/// The definitions of the resources and the operator's rights: once for all tests of a binary.
pub(crate) async fn prepare(client: &Client) -> Result<()> {
    static READY: OnceCell<()> = OnceCell::const_new();
    let once = async {
        let _lock = lock().await?;
        for file in ["crd", "crd-stateful-cluster"] {
            let definition: CustomResourceDefinition = manifest::deployed(file)?;
            let definitions = Api::all(client.clone());
            let name = manifest::apply(&definitions, &definition).await?.name_any();
            wait::until(&definitions, &name, "the definition is served", |found| {
                kube::runtime::wait::Condition::matches_object(&is_crd_established(), found)
            })
            .await?;
        }
        crate::installation::grant(client).await
    };
    READY.get_or_try_init(|| once).await.copied()
}

/// Empties the volumes of the claims that are gone. In a cluster of another kind they go by themselves.
pub(crate) async fn recycle_volumes() -> Result<()> {
    let Ok(cluster) = Cluster::attach() else { return Ok(()) };
    if own_context().is_some() || kubeconfig()? != cluster.kubeconfig() {
        return Ok(());
    }
    // One at a time: an old list names volumes that another test has been given since.
    let _lock = lock().await?;
    tokio::task::spawn_blocking(move || cluster.recycle_volumes()).await??;
    Ok(())
}

/// Held while something is changed that tests of several binaries share.
async fn lock() -> Result<File> {
    let path = std::env::temp_dir().join("rss-e2e.lock");
    let take = move || {
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        file.lock().map(|()| file)
    };
    tokio::task::spawn_blocking(take).await?.context("failed to take the tests' lock")
}
