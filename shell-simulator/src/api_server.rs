//! An API server in memory, in front of the simulated cluster, under the client of the operator.

mod landing;
mod shown;

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use api_server::{Answer, Place, Request as Write, Store, failure};
use bytes::Bytes;
use futures::stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use hyper::{Request, Response, StatusCode};
use kube::client::Body;
use serde_json::Value;
use simulator::{Cluster, Options};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, sleep_until};

pub(crate) use shown::SET_PATH;

use crate::identities::Identities;
use crate::life::{Life, Trouble};

type Reply = UnsyncBoxBody<Bytes, Infallible>;

/// How long a request is on its way, and its answer.
const WAY: Duration = Duration::from_millis(2);

/// The API server and the cluster behind it.
#[derive(Clone)]
pub struct ApiServer(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    began: Instant,
    /// Told at each change.
    version: watch::Sender<u64>,
    /// Something new may be due.
    due: Notify,
}

/// The objects, and the cluster that they show.
pub(crate) struct State {
    pub(crate) cluster: Cluster,
    pub(crate) store: Store,
    pub(crate) identities: Identities,
    shown: u64,
    /// When the cluster is looked after next.
    awaited: Option<u64>,
    now: u64,
    /// When something befalls the pods of a StatefulCluster next.
    due: Option<u64>,
}

impl State {
    /// What is wrong: laws that were broken, and what was asked for that the API server does not know.
    pub(crate) fn wrong(&self, broken: &[String]) -> String {
        let unknown = self.store.unsupported().iter();
        let unknown = unknown.map(|what| format!("the API server does not know {what}"));
        broken.iter().cloned().chain(unknown).collect::<Vec<_>>().join("; ")
    }
}

impl ApiServer {
    /// With a cluster behind it in which nothing is but machines, and with its own task that lets things happen.
    #[must_use]
    pub fn begin(seed: u64, options: Options) -> Self {
        let state = State {
            cluster: Cluster::new(seed, options),
            store: Store::default(),
            identities: Identities::default(),
            shown: u64::MAX,
            awaited: None,
            now: 0,
            due: None,
        };
        let shared = Shared {
            state: Mutex::new(state),
            began: Instant::now(),
            version: watch::Sender::new(0),
            due: Notify::new(),
        };
        let server = Self(Arc::new(shared));
        tokio::spawn(server.clone().go_on());
        server
    }

    async fn go_on(self) {
        loop {
            self.act(|_| ());
            let next = {
                let mut state = self.state();
                state.awaited = state.next();
                state.awaited
            };
            let next = next.map(|millis| self.0.began + Duration::from_millis(millis));
            let due = async {
                match next {
                    Some(next) => sleep_until(next).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = due => {}
                () = self.0.due.notified() => {}
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Milliseconds since the beginning.
    #[must_use]
    pub fn now(&self) -> u64 {
        u64::try_from(self.0.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Does something at this moment, and tells everybody who waits.
    pub(crate) fn act<R>(&self, act: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.state();
        let before = state.store.version();
        state.now = self.now();
        state.go_on();
        let done = act(&mut state);
        state.go_on();
        if state.shown != state.cluster.changes() {
            state.shown = state.cluster.changes();
            state.show();
        }
        let (after, changes) = (state.store.version(), state.shown);
        let is_due = state.awaited != state.next();
        drop(state);
        let news = after.wrapping_add(changes);
        self.0.version.send_if_modified(|told| std::mem::replace(told, news) != news || before != after);
        if is_due {
            self.0.due.notify_one();
        }
        done
    }

    /// Looks at the cluster.
    pub fn look<R>(&self, look: impl FnOnce(&Cluster) -> R) -> R {
        self.act(|state| look(&state.cluster))
    }

    /// Something befalls the cluster.
    pub fn befall(&self, blow: impl FnOnce(&mut Cluster)) {
        self.act(|state| blow(&mut state.cluster));
    }

    /// Ends when it is so, looked at at each change.
    pub(crate) async fn becomes(&self, so: impl Fn(&State) -> bool) {
        let mut version = self.0.version.subscribe();
        loop {
            version.mark_unchanged();
            if so(&self.state()) {
                return;
            }
            if version.changed().await.is_err() {
                return;
            }
        }
    }

    /// Answers a request of an operator.
    pub(crate) async fn serve(
        self,
        life: Arc<Life>,
        request: Request<Body>,
    ) -> Result<Response<Reply>, Infallible> {
        let (head, body) = request.into_parts();
        let sent = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        let sent: Value = serde_json::from_slice(&sent).unwrap_or_default();
        let query = head.uri.query().unwrap_or_default();
        if query.split('&').any(|part| part == "watch=true") {
            let since = query.split('&').find_map(|part| part.strip_prefix("resourceVersion="));
            let since = since.and_then(|since| since.parse().ok()).unwrap_or_default();
            life.lives().await;
            let place = Place::of(head.uri.path(), query);
            return Ok(Response::new(self.watch(life, place, since)));
        }
        // A request that is on its way lands also if nobody waits for its answer any more.
        let landing = match Write::of(&head, sent) {
            Some(write) => tokio::spawn(self.land(Arc::clone(&life), write)),
            None => tokio::spawn(self.read(Arc::clone(&life), Place::of(head.uri.path(), query))),
        };
        let Ok((code, body)) = landing.await else { return std::future::pending().await };
        life.lives().await;
        sleep(WAY).await;
        Ok(response(code, &body))
    }

    async fn read(self, life: Arc<Life>, place: Place) -> Answer {
        life.lives().await;
        sleep(WAY).await;
        self.act(|state| state.store.read(&place))
    }

    async fn land(self, life: Arc<Life>, write: Write) -> Answer {
        life.lives().await;
        let trouble = if is_effect(&write.place) { life.begins(named(&write)) } else { None };
        life.lives().await;
        sleep(WAY).await;
        match trouble {
            Some(Trouble::Refused(code)) => return refused(code),
            Some(Trouble::Late(seconds)) => {
                tokio::spawn(async move {
                    sleep(Duration::from_secs(seconds)).await;
                    self.act(|state| state.write(&write));
                });
                return refused(504);
            }
            _ => {}
        }
        let answer = self.act(|state| state.write(&write));
        match trouble {
            Some(Trouble::Death) => life.die(),
            Some(Trouble::AnswerLost) => return refused(500),
            Some(Trouble::Unanswered) => std::future::pending().await,
            _ => {}
        }
        answer
    }

    /// What happened to these objects since that version, for as long as somebody listens.
    fn watch(self, life: Arc<Life>, place: Place, since: u64) -> Reply {
        let version = self.0.version.subscribe();
        let lines = stream::unfold((self, life, place, since, version), async |all| {
            let (server, life, place, since, mut version) = all;
            loop {
                version.mark_unchanged();
                life.lives().await;
                let (until, text) = {
                    let state = server.state();
                    (state.store.version(), state.store.since(&place, since))
                };
                if !text.is_empty() {
                    sleep(life.lag(&place.plural)).await;
                    if life.breaks_off() {
                        return None;
                    }
                    let text = if life.stutters() { format!("{text}{text}") } else { text };
                    let line = Ok::<_, Infallible>(Frame::data(Bytes::from(text)));
                    return Some((line, (server, life, place, until, version)));
                }
                version.changed().await.ok()?;
            }
        });
        StreamBody::new(lines).boxed_unsync()
    }
}

fn named(write: &Write) -> String {
    let Write { verb, place, .. } = write;
    let name = place.name.as_deref().unwrap_or_default();
    let at = place.subresource.as_deref().map(|at| format!("/{at}")).unwrap_or_default();
    format!("{verb:?} {}/{name}{at}", place.plural)
}

fn refused(code: u16) -> Answer {
    let reason = match code {
        409 => "Conflict",
        429 => "TooManyRequests",
        504 => "Timeout",
        _ => "InternalError",
    };
    failure(StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), reason)
}

/// What a crash can come after: whatever others see. A lease is renewed whether anything is done or not, and an event
/// is for people.
fn is_effect(place: &Place) -> bool {
    !matches!(place.plural.as_str(), "leases" | "events")
}

fn response(code: StatusCode, body: &Value) -> Response<Reply> {
    let mut response = Response::new(Full::new(Bytes::from(body.to_string())).boxed_unsync());
    *response.status_mut() = code;
    response
}
