//! Watches: who hears of what, and how late.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use api_server::{Place, Store};
use bytes::Bytes;
use futures::stream;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use serde_json::json;
use tokio::sync::watch;
use tokio::time::sleep;

use super::ApiServer;
use super::served::Reply;
use crate::life::Life;

/// Who waits for changes, by the plural of what they watch: most changes are of another kind, and wake nobody here.
#[derive(Default)]
pub(super) struct Listeners(Mutex<Told>);

#[derive(Default)]
struct Told {
    /// Up to which version of all.
    version: u64,
    by_plural: BTreeMap<String, watch::Sender<u64>>,
}

impl Listeners {
    /// Wakes those who have something to hear.
    pub(super) fn tell(&self, store: &Store) {
        let mut told = self.told();
        if std::mem::replace(&mut told.version, store.version()) == store.version() {
            return;
        }
        for (plural, version) in &told.by_plural {
            let newest = store.newest(plural);
            version.send_if_modified(|told| std::mem::replace(told, newest) != newest);
        }
    }

    fn listen(&self, plural: &str) -> watch::Receiver<u64> {
        self.told().by_plural.entry(plural.to_owned()).or_default().subscribe()
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ApiServer {
    /// What happened to these objects since that version, for as long as somebody listens.
    pub(super) fn watch(self, life: Arc<Life>, place: Place, since: u64) -> Reply {
        if life.has_expired(&place.plural) {
            return expired(since);
        }
        let version = self.0.listeners.listen(&place.plural);
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
                    if life.breaks_off(&place.plural) {
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

/// The end of a watch from a version that is too old to tell what happened since: whoever hears it lists anew, and never
/// hears of what came and went meanwhile.
fn expired(since: u64) -> Reply {
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": format!("too old resource version: {since}"), "reason": "Expired", "code": 410});
    Full::new(Bytes::from(json!({"type": "ERROR", "object": status}).to_string())).boxed_unsync()
}
