//! One watch: it fills a cache, and tells which resources a change concerns.

mod patience;

use std::fmt::Debug;
use std::hash::Hash;
use std::time::Duration;

use futures::{Stream, StreamExt};
use kube::api::Api;
use kube::runtime::reflector;
use kube::runtime::reflector::store::Writer;
use kube::runtime::watcher::{Config, Error, Event, watcher};
use kube::{Resource, ResourceExt};
use serde::de::DeserializeOwned;
use tokio::sync::mpsc::UnboundedSender;

use super::SetKey;
use crate::reconcile::chain;
use crate::telemetry::Watch;
use patience::Patience;

/// For how many seconds a watch is asked for. The API server ends it then, and a connection that says nothing for five
/// more counts as dead: a cache falls no further behind unseen.
const WATCH: u32 = 30;

/// A request that fails does so within this time: the client waits 30 seconds for the head of an answer. A watch whose
/// request succeeds may say nothing for much longer.
const ANSWER: Duration = Duration::from_secs(35);

/// The caches of one kind of resource.
pub(crate) trait Caches: Clone + Send + Sync + 'static {
    /// Every resource of the kind.
    fn keys(&self) -> Vec<SetKey>;

    /// There is this one.
    fn has(&self, key: &SetKey) -> bool;
}

/// Where changes are told.
#[derive(Clone)]
pub(crate) struct Sender<S> {
    pub(crate) stores: S,
    pub(crate) changed: UnboundedSender<SetKey>,
}

/// One watch and the cache that it fills.
pub(crate) struct Source<K: reflector::Lookup + Clone + 'static>
where
    K::DynamicType: Eq + Hash + Clone,
{
    api: Api<K>,
    config: Config,
    writer: Writer<K>,
    watch: Option<Watch>,
}

impl<K> Source<K>
where
    K: Resource<DynamicType = ()>
        + reflector::Lookup<DynamicType = ()>
        + Clone
        + DeserializeOwned
        + Debug
        + Send
        + Sync
        + 'static,
{
    pub(crate) fn new(api: Api<K>, config: Config, writer: Writer<K>) -> Self {
        Self { api, config: config.timeout(WATCH), writer, watch: None }
    }

    /// The same source, which reports each answer to this watch.
    pub(crate) fn reported(self, watch: Watch) -> Self {
        Self { watch: Some(watch), ..self }
    }

    /// `note` sees each object before the cache does: a deleted one is not in the cache any more.
    pub(crate) fn follow<S: Caches>(
        self,
        all: &Sender<S>,
        note: impl Fn(&K) + Send + 'static,
        concerned: fn(&S, &K) -> Vec<SetKey>,
    ) -> impl Future<Output = ()> + Send + 'static {
        self.follow_pausing(all, note, concerned, tokio::time::sleep)
    }

    /// `pause` waits before the watch is asked for again.
    fn follow_pausing<S: Caches, P: Future<Output = ()> + Send>(
        self,
        all: &Sender<S>,
        note: impl Fn(&K) + Send + 'static,
        concerned: fn(&S, &K) -> Vec<SetKey>,
        pause: impl Fn(Duration) -> P + Send + 'static,
    ) -> impl Future<Output = ()> + Send + 'static {
        let Sender { stores, changed } = all.clone();
        let Self { api, config, mut writer, watch } = self;
        async move {
            let mut events = watcher(api, config).boxed();
            let mut patience = Patience::default();
            while let Some(event) = next(&mut events, watch.as_ref()).await {
                let wait = patience.after(&event);
                let event = match event {
                    Ok(event) => event.modify(trim),
                    Err(error) => {
                        say::<K>(&error, patience.has_told(), watch.as_ref());
                        pause(wait).await;
                        continue;
                    }
                };
                if let Event::Apply(object) | Event::Delete(object) | Event::InitApply(object) = &event {
                    note(object);
                }
                let mut keys = keep(&mut writer, &event, &stores, concerned);
                if matches!(event, Event::InitDone) {
                    // The order matters: `keys` returns only the resources of namespaces that are ready, and a namespace
                    // is ready only after its caches are full.
                    watch.iter().for_each(Watch::listed);
                    keys.extend(stores.keys());
                }
                for key in keys {
                    // Nobody listens while the process ends.
                    let _ = changed.send(key);
                }
            }
        }
    }
}

/// The next event. A watch that failed and does not fail again in time was answered.
async fn next<E>(events: &mut (impl Stream<Item = E> + Unpin), watch: Option<&Watch>) -> Option<E> {
    if let Some(watch) = watch.filter(|watch| watch.is_stale()) {
        match tokio::time::timeout(ANSWER, events.next()).await {
            Ok(event) => return event,
            Err(_) => watch.answered(),
        }
    }
    events.next().await
}

fn say<K: Resource<DynamicType = ()>>(error: &Error, is_known: bool, watch: Option<&Watch>) {
    let kind = <K as Resource>::kind(&());
    let (what, error) = in_words(error);
    let namespace = watch.map(Watch::namespace).unwrap_or_default();
    if is_known {
        tracing::debug!(%kind, namespace, error, "failed to {what}; it is tried again");
    } else {
        tracing::warn!(%kind, namespace, error, "failed to {what}; it is tried again");
    }
    if let Some(watch) = watch {
        watch.failed(format!("failed to {what}: {error}"));
    }
}

/// What failed, and why. What kube says itself has all the fields of an answer in it.
fn in_words(error: &Error) -> (&'static str, String) {
    match error {
        Error::InitialListFailed(why) => ("list", chain(why)),
        Error::WatchStartFailed(why) | Error::WatchFailed(why) => ("watch", chain(why)),
        Error::WatchError(status) => ("go on watching", chain(&kube::Error::Api(status.clone()))),
        Error::NoResourceVersion => ("watch", error.to_string()),
    }
}

/// Brings the cache up to date, and returns the resources that the change of an object concerns. `concerned` sees an
/// applied object before the cache has it, and so can compare the two. It sees a deleted object after the cache lost it, so a deletion
/// always differs from the cache.
pub(super) fn keep<K, S: Caches>(
    writer: &mut Writer<K>,
    event: &Event<K>,
    stores: &S,
    concerned: fn(&S, &K) -> Vec<SetKey>,
) -> Vec<SetKey>
where
    K: reflector::Lookup<DynamicType = ()> + Clone + 'static,
{
    let mut keys = match event {
        Event::Apply(object) => concerned(stores, object),
        _ => Vec::new(),
    };
    writer.apply_watcher_event(event);
    match event {
        Event::Delete(object) => keys.extend(concerned(stores, object)),
        Event::Apply(_) | Event::Init | Event::InitApply(_) | Event::InitDone => {}
    }
    keys
}

/// Who wrote which field, and the manifest in full, are a good half of an object and never looked at.
fn trim<K: Resource>(object: &mut K) {
    object.managed_fields_mut().clear();
    object.annotations_mut().remove("kubectl.kubernetes.io/last-applied-configuration");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::SetKey;
    use bytes::Bytes;
    use http_body_util::Full;
    use hyper::{Request, Response};
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::Client;
    use kube::client::Body;
    use serde_json::json;
    use std::convert::Infallible;
    use tokio::sync::mpsc::unbounded_channel;
    use tower::service_fn;

    #[derive(Clone)]
    struct NoCaches;

    impl Caches for NoCaches {
        fn keys(&self) -> Vec<SetKey> {
            Vec::new()
        }

        fn has(&self, _: &SetKey) -> bool {
            false
        }
    }

    #[tokio::test]
    async fn a_watch_is_asked_for_no_longer_than_a_dead_connection_may_go_unnoticed() {
        let (asked, mut requests) = unbounded_channel();
        let service = service_fn(move |request: Request<Body>| {
            let query = request.uri().query().unwrap_or_default().to_owned();
            asked.send(query).expect("the test listens");
            let list = json!({"metadata": {"resourceVersion": "1"}, "items": []}).to_string();
            async { Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(list)))) }
        });
        let maps: Api<ConfigMap> = Api::all(Client::new(service, "default"));
        let ((_, writer), (changed, _changes)) = (reflector::store(), unbounded_channel());
        let all = Sender { stores: NoCaches, changed };
        let follows = Source::new(maps, Config::default(), writer).follow(&all, |_| {}, |_, _| Vec::new());
        let watch = async {
            loop {
                let query = requests.recv().await.expect("the watch is asked for");
                if query.contains("watch=true") {
                    return query;
                }
            }
        };
        let query = tokio::select! {
            () = follows => panic!("a watch does not end"),
            query = watch => query,
        };
        assert!(query.split('&').any(|part| part == "timeoutSeconds=30"), "{query}");
    }

    #[tokio::test]
    async fn a_watch_that_is_refused_is_asked_for_ever_later() {
        let service = service_fn(|_: Request<Body>| {
            let status = json!({"kind": "Status", "status": "Failure", "message": "no", "reason": "Forbidden",
                "code": 403});
            let answer = Response::builder().status(403).body(Full::new(Bytes::from(status.to_string())));
            async { Ok::<_, Infallible>(answer.expect("an answer")) }
        });
        let maps: Api<ConfigMap> = Api::all(Client::new(service, "default"));
        let ((_, writer), (changed, _changes)) = (reflector::store(), unbounded_channel());
        let (waits, mut waited) = unbounded_channel();
        let pause = move |wait| {
            waits.send(wait).expect("the test listens");
            tokio::task::yield_now()
        };
        let source = Source::new(maps, Config::default(), writer);
        let all = Sender { stores: NoCaches, changed };
        let follows = source.follow_pausing(&all, |_| {}, |_, _| Vec::new(), pause);
        let four = async {
            let mut four = Vec::new();
            while four.len() < 4 {
                four.push(waited.recv().await.expect("it goes on"));
            }
            four
        };
        let four = tokio::select! {
            () = follows => panic!("a watch does not end"),
            four = four => four,
        };
        assert_eq!(four, [500, 1000, 2000, 4000].map(Duration::from_millis));
    }
}
