//! Which API server is meant, by the files that kubectl would read.

use std::env;
use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};

use crate::file;

/// What more than one message ends with.
const CURE: &str = "name its kubeconfig by --kubeconfig or in $KUBECONFIG";

/// An API server, and how it was found.
#[derive(Clone, Debug)]
pub(super) struct Place {
    server: String,
    proxy: Option<String>,
    found: String,
}

/// The way to the API server of a context, else of the current one.
///
/// # Errors
/// If no file is there, or none of them tells that way.
pub(super) async fn find(context: Option<&str>, file: Option<&Path>) -> Result<(Config, Place)> {
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
        return Ok((config, place));
    }
    if there.is_empty() {
        bail!("no cluster to ask was found: there is no {}; {CURE}", list(&named, " and no "));
    }
    let read = merged(&there).map_err(|error| anyhow!("no cluster to ask was found: {error:#}; {CURE}"))?;
    let files = list(&there, ", ");
    let context = chosen(&read, context, &files)?;
    let options = KubeConfigOptions { context: Some(context.clone()), ..KubeConfigOptions::default() };
    let config = Config::from_custom_kubeconfig(read, &options).await;
    // These errors have the words of their causes in their own.
    let config = config.map_err(|error| {
        anyhow!("the context {context} of {files} tells no way to a cluster: {}", first_line(&error))
    })?;
    let place = Place::of(&config, format!("context {context} of {files}"));
    Ok((config, place))
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
    let known_words = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    let current = all.current_context.as_deref().filter(|context| !context.is_empty());
    let Some(context) = context.or(current) else {
        bail!("no context is current in {files}; choose one by --context: {known_words}")
    };
    if !known.contains(&context) {
        bail!("there is no context {context} in {files}; choose one by --context: {known_words}");
    }
    Ok(context.to_owned())
}

fn list(files: &[PathBuf], between: &str) -> String {
    files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(between)
}

// === impl Place ===

impl Place {
    fn of(config: &Config, found: String) -> Self {
        let server = without_login(&config.cluster_url.to_string());
        let proxy = config.proxy_url.as_ref().map(|proxy| without_login(&proxy.to_string()));
        Self { server, proxy, found }
    }
}

/// What an error says before it quotes a file, which may be what is secret of it.
pub(super) fn first_line(error: &dyn Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// An address, as it can be shown: a proxy's may have a password.
fn without_login(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{}", path.trim_end_matches('/'))
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { server, proxy, found } = self;
        write!(f, "{server}")?;
        proxy.iter().try_for_each(|proxy| write!(f, " by the proxy {proxy}"))?;
        write!(f, " ({found})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_what_is_secret_in_it() {
        for (address, shown) in [
            ("https://10.0.0.1:6443/", "https://10.0.0.1:6443"),
            ("https://rancher.example.com/k8s/clusters/c-1", "https://rancher.example.com/k8s/clusters/c-1"),
            ("http://alice:secret@proxy:3128/a@b", "http://proxy:3128/a@b"),
        ] {
            assert_eq!(without_login(address), shown);
        }
    }
}
