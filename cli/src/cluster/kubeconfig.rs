//! Which API server is meant, by the files that kubectl would read.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};

use super::field;
use super::place::Place;
use super::proxy;
use crate::file;

/// What more than one message ends with.
const CURE: &str = "name its kubeconfig by --kubeconfig or in $KUBECONFIG";

/// A way to an API server.
pub(super) struct Found {
    pub(super) config: Config,
    pub(super) place: Place,
    /// Who asks there, as the kubeconfig calls it.
    pub(super) user: Option<String>,
    /// The variable of the environment that names the proxy, if it is not the kubeconfig that does.
    pub(super) proxy: Option<&'static str>,
}

/// The way to the API server of a context, else of the current one.
///
/// # Errors
/// If no file is there, or none of them tells that way.
pub(super) async fn find(context: Option<&str>, file: Option<&Path>) -> Result<Found> {
    let named = named(file)?;
    let there: Vec<_> = match file {
        Some(_) => named.clone(),
        // As kubectl does: one that is not there may be of another machine.
        None => named.iter().filter(|path| path.symlink_metadata().is_ok()).cloned().collect(),
    };
    if there.is_empty()
        && context.is_none()
        && let Ok(config) = Config::incluster()
    {
        let place = Place::of(&config, "from within its cluster".to_owned());
        return Ok(Found { config, place, user: None, proxy: None });
    }
    if there.is_empty() {
        bail!("no cluster to ask was found: there is no {}; {CURE}", list(&named, " and no "));
    }
    let read = merged(&there).map_err(|error| anyhow!("no cluster to ask was found: {error:#}; {CURE}"))?;
    let files = list(&there, ", ");
    let context = chosen(&read, context, &files)?;
    let proxy = if has_proxy(&read, &context) { None } else { of_environment() };
    let of_context = read.contexts.iter().find(|named| named.name == context);
    let user = of_context.and_then(|named| named.context.as_ref()?.user.clone());
    let options = KubeConfigOptions { context: Some(context.clone()), ..KubeConfigOptions::default() };
    let config = Config::from_custom_kubeconfig(read, &options).await;
    let no_way = |why: String| anyhow!("the context {context} of {files} tells no way to a cluster: {why}");
    let mut config = config.map_err(|error| no_way(field::why(&error)))?;
    field::complete(&mut config).map_err(no_way)?;
    if proxy.is_some() && is_direct(&config) {
        config.proxy_url = None;
    }
    let place = Place::of(&config, format!("context {context} of {files}"));
    Ok(Found { config, place, user, proxy })
}

/// The files that were named, whether they are there or not.
fn named(file: Option<&Path>) -> Result<Vec<PathBuf>> {
    let list = env::var_os("KUBECONFIG").unwrap_or_default();
    let list = env::split_paths(&list).filter(|path| !path.as_os_str().is_empty());
    match (file, list.collect::<Vec<_>>()) {
        (Some(file), _) => Ok(vec![file.to_owned()]),
        (None, list) if !list.is_empty() => Ok(list),
        (None, _) => {
            let home = env::home_dir().with_context(|| format!("there is no home folder; {CURE}"))?;
            Ok(vec![home.join(".kube/config")])
        }
    }
}

/// All of them as one: what an earlier one says counts.
fn merged(files: &[PathBuf]) -> Result<Kubeconfig> {
    let mut all = Kubeconfig::default();
    for path in files {
        // A pipe can be read once, and ends with who writes to it.
        if !file::is_pipe(path) {
            file::read(path, file::KEYS).with_context(|| path.display().to_string())?;
        }
        let told = |error| anyhow!("{}: {}", path.display(), first_line(&error));
        all = all.merge(Kubeconfig::read_from(path).map_err(told)?).map_err(told)?;
    }
    Ok(all)
}

/// The name of the context that is meant.
fn chosen(all: &Kubeconfig, context: Option<&str>, files: &str) -> Result<String> {
    let known: Vec<&str> = all.contexts.iter().map(|context| context.name.as_str()).collect();
    if known.is_empty() {
        bail!("no cluster to ask was found: there are no contexts in {files}; {CURE}");
    }
    let known_words = known.join(", ");
    let current = all.current_context.as_deref().filter(|context| !context.is_empty());
    let Some(context) = context.or(current) else {
        bail!("no context is current in {files}; choose one by --context: {known_words}")
    };
    if !known.contains(&context) {
        bail!("there is no context {context} in {files}; choose one by --context: {known_words}");
    }
    Ok(context.to_owned())
}

/// Whether the cluster of a context has a proxy of its own, which takes the place of the environment's.
fn has_proxy(all: &Kubeconfig, context: &str) -> bool {
    let context = all.contexts.iter().find(|named| named.name == context);
    let cluster = context.and_then(|named| Some(&named.context.as_ref()?.cluster));
    let cluster = all.clusters.iter().find(|named| Some(&named.name) == cluster);
    let proxy = cluster.and_then(|named| named.cluster.as_ref()?.proxy_url.as_ref());
    proxy.is_some_and(|proxy| !proxy.is_empty())
}

/// The variable that names a proxy for TLS.
fn of_environment() -> Option<&'static str> {
    ["HTTPS_PROXY", "https_proxy"]
        .into_iter()
        .find(|name| env::var(name).is_ok_and(|proxy| !proxy.is_empty()))
}

/// Whether the proxy of the environment is not for this server: it is that of TLS.
fn is_direct(config: &Config) -> bool {
    let list = env::var("NO_PROXY").or_else(|_| env::var("no_proxy")).unwrap_or_default();
    let server = &config.cluster_url;
    server.scheme_str() != Some("https") || proxy::is_excepted(server.host().unwrap_or_default(), &list)
}

fn list(files: &[PathBuf], between: &str) -> String {
    files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(between)
}

/// What an error says before it quotes a file, which may be what is secret of it.
pub(super) fn first_line(error: &dyn Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}
