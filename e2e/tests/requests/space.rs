//! A namespace of a real API server, in which the definitions of our resources are known.

use std::ffi::OsString;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::asked::Asked;
use super::sides::Real;
use super::universe::Kind;

const DEFINITIONS: [&str; 2] =
    [include_str!("../../../deploy/crd.yaml"), include_str!("../../../deploy/crd-stateful-cluster.yaml")];
/// What is not so after so many looks never will be.
const LOOKS: usize = 600;
const PAUSE: Duration = Duration::from_millis(100);
/// Whichever context is current may be of a cluster that somebody needs.
const UNNAMED: &str = "no cluster is named, and definitions in whichever is current would be overwritten; \
    name a cluster: RSS_KUBECONFIG=$(cargo xtask cluster kubeconfig), or RSS_CONTEXT=NAME for one of yours";

/// By the kubeconfig that is named; in a cluster of one's own by the one that kubectl takes, and a context.
///
/// # Errors
/// Neither is named, or what is named is no API server.
pub(crate) async fn connect() -> Result<Real> {
    rustls::crypto::ring::default_provider().install_default().ok();
    let context = std::env::var("RSS_CONTEXT").ok().filter(|context| !context.is_empty());
    let known = kubeconfig(std::env::var_os("RSS_KUBECONFIG"), context.as_deref())?;
    let options = KubeConfigOptions { context, ..KubeConfigOptions::default() };
    let mut config = Config::from_custom_kubeconfig(known, &options).await?;
    config.default_retry = false;
    Ok(Real(Client::try_from(config)?))
}

/// The file that is named, else that of kubectl, of which the context has to be named. A name that is empty is none:
/// the command that was to give it failed.
fn kubeconfig(file: Option<OsString>, context: Option<&str>) -> Result<Kubeconfig> {
    match (file.filter(|file| !file.is_empty()), context) {
        (Some(file), _) => {
            Kubeconfig::read_from(&file).with_context(|| format!("RSS_KUBECONFIG={}", file.display()))
        }
        (None, Some(_)) => Kubeconfig::read().context("failed to read the kubeconfig that RSS_CONTEXT is of"),
        (None, None) => bail!(UNNAMED),
    }
}

/// Makes a namespace, unlike any other.
pub(crate) async fn make(real: &Real) -> Result<String> {
    for definition in DEFINITIONS {
        let definition: Value = serde_saphyr::from_str(definition)?;
        let name = definition["metadata"]["name"].as_str().unwrap_or_default();
        let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}");
        let path = format!("{path}?fieldManager=rss-e2e&force=true");
        let (code, told) = real
            .ask(&Asked { method: "PATCH", path, content: "application/apply-patch+yaml", body: definition })
            .await?;
        ensure!(code < 300, "the definition is refused: {told}");
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let name = format!("rss-real-{:x}-{:x}", std::process::id(), since.as_millis() & 0xff_ffff);
    let body = json!({"metadata": {"name": name, "labels": {"rss-e2e": "true"}}});
    let path = "/api/v1/namespaces".to_owned();
    let (code, told) = real.ask(&Asked { method: "POST", path, content: "application/json", body }).await?;
    ensure!(code == 201, "no namespace: {told}");
    // A pod is refused before its namespace's account is there.
    until(real, format!("/api/v1/namespaces/{name}/serviceaccounts/default")).await?;
    for kind in [Kind::Set, Kind::Cluster] {
        until(real, kind.path(&name)).await?;
    }
    Ok(name)
}

async fn until(real: &Real, path: String) -> Result<()> {
    for _ in 0..LOOKS {
        let read =
            Asked { method: "GET", path: path.clone(), content: "application/json", body: Value::Null };
        if real.ask(&read).await.is_ok_and(|(code, _)| code == 200) {
            return Ok(());
        }
        sleep(PAUSE).await;
    }
    bail!("{path} is never there")
}

/// Takes it away, with all that is in it.
pub(crate) async fn remove(real: &Real, name: &str) -> Result<()> {
    let path = format!("/api/v1/namespaces/{name}");
    real.ask(&Asked { method: "DELETE", path, content: "application/json", body: json!({}) }).await.map(drop)
}

#[test]
fn a_cluster_that_nobody_named_is_not_asked() {
    for file in [None, Some(OsString::new())] {
        let error = kubeconfig(file, None).expect_err("the current context is no name").to_string();
        assert!(error.contains("RSS_KUBECONFIG=") && error.contains("RSS_CONTEXT=NAME"), "{error}");
    }
}
