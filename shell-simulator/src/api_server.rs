//! An API server in memory, in front of the simulated cluster, under the client of the operator.

mod hosted;
mod landing;
mod served;
mod shown;
mod status;
mod watched;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use api_server::Store;
use simulator::{Cluster, Options};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until};

pub(crate) use shown::SET_PATH;

use crate::fault::Fault;
use crate::identities::Identities;
use shown::Shown;
use watched::Listeners;

/// The API server and the cluster behind it.
#[derive(Clone)]
pub struct ApiServer(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    began: Instant,
    /// Told at each change.
    version: watch::Sender<u64>,
    /// And those who watch, at each of theirs.
    listeners: Listeners,
    /// Something new may be due.
    due: Notify,
}

/// The objects, and the cluster that they show.
pub(crate) struct State {
    pub(crate) cluster: Cluster,
    pub(crate) store: Store,
    pub(crate) identities: Identities,
    /// Stops that something went wrong with: who asked for them may ask again while they go on.
    pub(crate) unheard_stops: usize,
    /// Claims of a set of which the deletion was asked for.
    deleted_claims: Vec<String>,
    /// What is wrong with the operators.
    planted: Option<Fault>,
    shown: Shown,
    /// At which versions pods were looked at that wait for a node.
    hosted: (u64, u64),
    /// When the cluster is looked after next.
    awaited: Option<u64>,
    now: u64,
    /// When something befalls the pods of a StatefulCluster next.
    due: Option<u64>,
}

impl State {
    /// What is wrong: laws that were broken, and what was asked for that the API server does not know.
    pub(crate) fn wrong(&self) -> String {
        let broken = self.cluster.breaches().iter().chain(self.identities.law.breaches()).cloned();
        let unknown = self.store.unsupported().iter();
        let unknown = unknown.map(|what| format!("the API server does not know {what}"));
        let deleted =
            self.deleted_claims.iter().map(|claim| format!("{claim} is deleted, and nobody asked for it"));
        broken.chain(unknown).chain(deleted).collect::<Vec<_>>().join("; ")
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
            unheard_stops: 0,
            deleted_claims: Vec::new(),
            planted: None,
            shown: Shown::default(),
            hosted: (0, 0),
            awaited: None,
            now: 0,
            due: None,
        };
        let shared = Shared {
            state: Mutex::new(state),
            began: Instant::now(),
            version: watch::Sender::new(0),
            listeners: Listeners::default(),
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
        state.host();
        state.show();
        let (after, changes) = (state.store.version(), state.cluster.changes());
        let is_due = state.awaited != state.next();
        self.0.listeners.tell(&state.store);
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

    /// All operators have this fault, or none.
    pub fn plant(&self, fault: Option<Fault>) {
        self.state().planted = fault;
    }

    pub(crate) fn planted(&self) -> Option<Fault> {
        self.state().planted
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use api_server::{Place, Request, Verb};
    use serde_json::json;

    #[tokio::test(start_paused = true)]
    async fn a_claim_of_a_set_whose_deletion_is_asked_for_is_wrong() {
        let server = ApiServer::begin(1, Options::calm());
        let asked = |plural: &str| Request {
            verb: Verb::Delete,
            place: Place::of(&format!("/api/v1/namespaces/ns/{plural}/x"), ""),
            sent: json!({}),
            manager: String::new(),
            force: false,
        };
        let wrong = |plural: &str| {
            server.act(|state| {
                state.hear(&asked(plural));
                state.wrong()
            })
        };
        assert_eq!(wrong("services"), "");
        assert!(wrong("persistentvolumeclaims").contains("persistentvolumeclaims/x is deleted"));
    }
}
