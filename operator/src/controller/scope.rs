//! The namespaces that are watched. Each becomes ready on its own.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Duration;

use k8s_openapi::NamespaceResourceScope;
use kube::api::Api;
use kube::runtime::reflector;
use kube::runtime::reflector::store::Writer;
use kube::runtime::watcher::Config;
use kube::{Client, Resource};
use serde::de::DeserializeOwned;

use super::follow::Source;
use crate::telemetry::{Missing, Watches};

/// How often the log names each namespace that cannot be watched.
const REPEAT: Duration = Duration::from_mins(1);

/// One namespace, or all of them.
pub(crate) struct Scope {
    client: Client,
    namespace: Option<String>,
    watches: Watches,
}

// === impl Scope ===

impl Scope {
    /// A scope for each of these namespaces. An empty list gives one scope for all namespaces.
    pub(crate) fn each(client: &Client, namespaces: &[String], watches: &Watches) -> Vec<Self> {
        let once: BTreeSet<&String> = namespaces.iter().collect();
        let named = once.into_iter().cloned().map(Some);
        let all = namespaces.is_empty().then_some(None);
        let scope = |namespace| Self { client: client.clone(), namespace, watches: watches.clone() };
        named.chain(all).map(scope).collect()
    }

    /// The watch of a kind in this scope.
    pub(crate) fn source<K>(&self, config: Config, writer: Writer<K>) -> Source<K>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
            + reflector::Lookup<DynamicType = ()>
            + Clone
            + DeserializeOwned
            + Debug
            + Send
            + Sync
            + 'static,
    {
        let client = self.client.clone();
        let api = match &self.namespace {
            Some(namespace) => Api::namespaced(client, namespace),
            None => Api::all(client),
        };
        let watch = self.watches.add(self.namespace.as_deref(), &<K as Resource>::kind(&()));
        Source::new(api, config, writer).reported(watch)
    }
}

/// Repeats in the log which watches have no answer, for as long as this is polled.
pub(crate) async fn repeat(watches: &Watches) {
    let tell = |missing: &Missing| {
        let (namespace, kinds, error) = (missing.namespace.as_str(), missing.kinds(), missing.why());
        tracing::warn!(namespace, kinds, error, "{}", missing.means());
    };
    repeat_pausing(watches, tell, tokio::time::sleep).await;
}

/// `pause` waits before `tell` gets the same namespace again.
async fn repeat_pausing<P: Future<Output = ()>>(
    watches: &Watches,
    tell: impl Fn(&Missing),
    pause: impl Fn(Duration) -> P,
) {
    loop {
        watches.some_missing().await;
        pause(REPEAT).await;
        watches.missing().iter().for_each(&tell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::Kind;
    use std::sync::Mutex;

    #[tokio::test]
    async fn the_log_names_a_namespace_each_minute_until_it_can_be_watched() {
        let watches = Watches::new(Kind::ReplicatedStatefulSet);
        let pods = watches.add(Some("gone"), "Pod");
        pods.failed("it is forbidden".to_owned());
        let lines = Mutex::new(Vec::new());
        let tell = |missing: &Missing| lines.lock().unwrap().push(missing.clone());
        let pause = |wait| {
            assert_eq!(wait, Duration::from_secs(60));
            tokio::task::yield_now()
        };
        let heal = async {
            while lines.lock().unwrap().len() < 2 {
                tokio::task::yield_now().await;
            }
            pods.listed();
            let before = lines.lock().unwrap().len();
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            assert_eq!(lines.lock().unwrap().len(), before, "the watch was answered");
        };
        tokio::select! {
            () = repeat_pausing(&watches, tell, pause) => {}
            () = heal => {}
        }
        let lines = lines.lock().unwrap();
        assert!(lines.iter().all(|one| (one.namespace.as_str(), one.kinds().as_str()) == ("gone", "Pod")));
    }

    #[tokio::test]
    async fn a_namespace_that_is_named_twice_is_watched_once() {
        let watches = Watches::new(Kind::ReplicatedStatefulSet);
        let client = Client::new(
            tower::service_fn(|_: hyper::Request<kube::client::Body>| {
                std::future::pending::<Result<hyper::Response<kube::client::Body>, std::convert::Infallible>>(
                )
            }),
            "default",
        );
        let of = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            Scope::each(&client, &names, &watches)
                .into_iter()
                .map(|scope| scope.namespace)
                .collect::<Vec<_>>()
        };
        assert_eq!(of(&["b", "a", "b"]), [Some("a".to_owned()), Some("b".to_owned())]);
        assert_eq!(of(&[]), [None]);
    }
}
