//! The cluster that a command asks, found as kubectl finds it.

mod failure;
mod kubeconfig;
mod place;
mod proxy;
mod timeout;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use http_body_util::Limited;
use kube::api::{Patch, PatchParams};
use kube::{Api, Client, ResourceExt};
use operator::api::ReplicatedStatefulSet;
use operator::observe::ALLOW;
use serde_json::json;
use tower::service_fn;

use crate::{names, shell};
use failure::{Failure, asked};
use place::Place;
use timeout::{CONNECT, Timeout};

/// What an answer may have, in bytes: several times what an API server keeps of one object.
const ANSWER: usize = 16 << 20;

/// Which cluster and namespace. The words are kubectl's.
#[derive(Args, Debug)]
pub(crate) struct ClusterArguments {
    /// The namespace. Default: that of the context.
    #[arg(short, long, value_parser = names::of_namespace)]
    namespace: Option<String>,
    /// The context of the kubeconfig. Default: its current one.
    #[arg(long)]
    context: Option<String>,
    /// The kubeconfig. Default: those in $KUBECONFIG that are there, else ~/.kube/config.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// How long the API server may take for a request: seconds, or a number with ms, s, m or h. 0 waits without end.
    #[arg(long, value_name = "TIME", default_value_t)]
    request_timeout: Timeout,
}

/// A way to the API server, and the namespace that is meant.
pub(crate) struct Cluster {
    client: Client,
    namespace: String,
    again: String,
    place: Place,
    timeout: Timeout,
}

impl Cluster {
    /// The resource of a set.
    ///
    /// # Errors
    /// If the API server does not give it.
    pub(crate) async fn set(&self, name: &str) -> Result<ReplicatedStatefulSet> {
        let Self { namespace, again, place, timeout, .. } = self;
        let sets = self.sets();
        match asked(place, *timeout, sets.get(name)).await {
            Err(Failure::NoObject(place)) => bail!(
                "there is no ReplicatedStatefulSet {name} in the namespace {namespace} of {place}; `kubectl get rss \
                 -A{again}` lists all"
            ),
            answered => answered
                .with_context(|| format!("failed to read the ReplicatedStatefulSet {namespace}/{name}")),
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
        let (sets, name) = (self.sets(), set.name_any());
        match asked(&self.place, self.timeout, sets.patch(&name, &params, &Patch::Merge(patch))).await {
            Ok(_) => Ok(()),
            Err(Failure::Changed) => {
                bail!("{name} was changed while it was looked at, and nothing was given: look again")
            }
            Err(failure) if failure.is_open() => Err(failure).with_context(|| {
                format!("whether the key was given is not known, look again (`{}`)", self.explain(&name))
            }),
            Err(failure) => {
                Err(failure).context("failed to write the key (`patch` of replicatedstatefulsets)")
            }
        }
    }

    /// What to type to see more of a set.
    pub(crate) fn explain(&self, name: &str) -> String {
        format!("kubectl rss explain {name}{}", self.words())
    }

    /// What a command is to have behind a name so that it asks the same namespace of the same cluster; a space first.
    pub(crate) fn words(&self) -> String {
        format!(" -n {}{}", self.namespace, self.again)
    }

    /// What a command is to have behind its own words so that it asks the same cluster.
    pub(crate) fn again(&self) -> &str {
        &self.again
    }

    fn sets(&self) -> Api<ReplicatedStatefulSet> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }
}

impl ClusterArguments {
    /// What a command is to have behind its own words so that it asks the same cluster: nothing where the environment
    /// tells it. Each word has a space before it.
    pub(crate) fn again(&self) -> String {
        let kubeconfig = self.kubeconfig.as_ref().map(|file| file.to_string_lossy());
        let given = [("context", self.context.as_deref()), ("kubeconfig", kubeconfig.as_deref())];
        let given = given.into_iter().filter_map(|(name, value)| Some((name, value?)));
        given.map(|(name, value)| format!(" --{name} {}", shell::word(value))).collect()
    }

    /// Opens no connection yet.
    pub(crate) async fn cluster(&self) -> Result<Cluster> {
        let (mut config, place) =
            kubeconfig::find(self.context.as_deref(), self.kubeconfig.as_deref()).await?;
        config.connect_timeout = Some(CONNECT);
        let namespace = match &self.namespace {
            Some(namespace) => namespace.clone(),
            None => names::of_namespace(&config.default_namespace).with_context(|| {
                format!("{place} has the namespace {:?}, which is none", config.default_namespace)
            })?,
        };
        let client = Client::try_from(config).map_err(|error| failure::of_credentials(&place, &error))?;
        let (again, timeout) = (self.again(), self.request_timeout);
        Ok(Cluster { client: bounded(client), namespace, again, place, timeout })
    }
}

/// The same client, whose answers end where they are too long.
fn bounded(client: Client) -> Client {
    let namespace = client.default_namespace().to_owned();
    let send = move |request| {
        let client = client.clone();
        async move {
            let answer = client.send(request).await?;
            Ok::<_, kube::Error>(answer.map(|body| Limited::new(body, ANSWER)))
        }
    };
    Client::new(service_fn(send), namespace)
}
