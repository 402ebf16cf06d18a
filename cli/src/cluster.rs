//! The cluster that a command asks, found as kubectl finds it.

mod answer;
mod cause;
mod failure;
mod field;
mod kubeconfig;
mod login;
mod named_alike;
mod place;
mod proxy;
mod timeout;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use http_body_util::Limited;
use kube::api::{GetParams, Patch, PatchParams, Request};
use kube::{Client, Error, Resource, ResourceExt};
use operator::api::{ReplicatedStatefulSet, StatefulCluster};
use operator::observe::ALLOW;
use serde_json::json;
use tower::service_fn;

use crate::{names, shell};
use cause::Elsewhere;
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
    #[arg(long, value_name = "TIME", default_value_t, allow_hyphen_values = true)]
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
        let Self { namespace, again, .. } = self;
        let asking = self.requests().get(name, &GetParams::default()).map_err(Error::BuildRequest);
        match self.answered("get", async { self.client.request_text(asking?).await }).await {
            Err(Failure::NoObject(place)) => {
                let elsewhere = self.named_alike(name).await;
                let words = self.words();
                let elsewhere = elsewhere.unwrap_or_else(|| {
                    format!("`kubectl get rss{words}` lists those there, `kubectl get rss -A{again}` all")
                });
                bail!(
                    "there is no ReplicatedStatefulSet {name} in the namespace {namespace} of {place}; {elsewhere}"
                )
            }
            answered => answered
                .with_context(|| format!("failed to read the ReplicatedStatefulSet {namespace}/{name}")),
        }
    }

    /// Where else to look for what is no set. That it cannot be asked is no matter: it was not asked for.
    async fn named_alike(&self, name: &str) -> Option<String> {
        let clusters = Request::new(StatefulCluster::url_path(&(), Some(&self.namespace)));
        let asking = clusters.get(name, &GetParams::default()).ok()?;
        let answer = asked(&self.place, self.timeout, "get", self.client.request_text(asking)).await.ok()?;
        named_alike::told(&answer, name, &self.words())
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
        let name = set.name_any();
        let asking = self.requests().patch(&name, &params, &Patch::Merge(patch)).map_err(Error::BuildRequest);
        match self.answered("patch", async { self.client.request_text(asking?).await }).await {
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

    /// Requests about the sets of the namespace.
    fn requests(&self) -> Request {
        Request::new(ReplicatedStatefulSet::url_path(&(), Some(&self.namespace)))
    }

    /// The set that is answered.
    async fn answered(
        &self,
        verb: &'static str,
        text: impl Future<Output = kube::Result<String>>,
    ) -> Result<ReplicatedStatefulSet, Failure> {
        let text = asked(&self.place, self.timeout, verb, text).await?;
        answer::read(&text).map_err(|unread| Failure::of_answer(self.place.clone(), &unread, &self.words()))
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
        let mut found = kubeconfig::find(self.context.as_deref(), self.kubeconfig.as_deref()).await?;
        found.config.connect_timeout = Some(CONNECT);
        // What a server says that cannot answer now is told at once: a person decides whether to ask again.
        found.config.default_retry = false;
        let (config, place) = (&found.config, &found.place);
        let namespace = match &self.namespace {
            Some(namespace) => namespace.clone(),
            None => names::of_namespace(&config.default_namespace).with_context(|| {
                format!("{place} has the namespace {:?}, which is none", config.default_namespace)
            })?,
        };
        let (again, timeout) = (self.again(), self.request_timeout);
        found.place = found.place.asked_again(again.clone());
        let (client, place) = login::client(found, timeout).await?;
        Ok(Cluster { client: bounded(client), namespace, again, place, timeout })
    }
}

/// The same client, whose answers end where they are too long, or send elsewhere.
fn bounded(client: Client) -> Client {
    let namespace = client.default_namespace().to_owned();
    let send = move |request| {
        let client = client.clone();
        async move {
            let answer = client.send(request).await?;
            if answer.status().is_redirection() {
                let location = answer.headers().get("location").and_then(|location| location.to_str().ok());
                let elsewhere = Elsewhere::new(answer.status().as_u16(), location);
                return Err(Error::Service(Box::new(elsewhere)));
            }
            Ok::<_, Error>(answer.map(|body| Limited::new(body, ANSWER)))
        }
    };
    Client::new(service_fn(send), namespace)
}
