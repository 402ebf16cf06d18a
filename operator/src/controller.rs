//! The watches, and one task for each set: one writer for a set, and no slow set holds up another.

mod concerned;
mod follow;
mod key;
mod stores;
mod sweep;
mod watches;
mod worker;

pub use key::SetKey;
pub use stores::Stores;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use kube::Client;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinError, JoinSet};

use crate::context::Context;

/// The watches before they are polled, and what they tell.
pub struct Controller {
    /// What the watches hold.
    pub stores: Stores,
    watches: Vec<BoxFuture<'static, ()>>,
    changes: UnboundedReceiver<SetKey>,
    changed: UnboundedSender<SetKey>,
    namespaces: Vec<String>,
}

/// The tasks of the sets while this process leads.
struct Workers {
    context: Context,
    nudges: BTreeMap<SetKey, Arc<Notify>>,
    tasks: JoinSet<SetKey>,
}

impl Controller {
    /// Watches these namespaces; none named: all.
    #[must_use]
    pub fn new(reads: &Client, namespaces: &[String]) -> Self {
        let (changed, changes) = unbounded_channel();
        let (stores, watches) = watches::watches(reads, namespaces, &changed);
        Self { stores, watches, changes, changed, namespaces: namespaces.to_vec() }
    }

    /// Looks after all sets while this process leads; watches also while it does not, so that a new
    /// leader begins with full caches. Ends only if a watch does.
    pub async fn run(self, context: Context) {
        let Self { stores, watches, mut changes, changed, namespaces } = self;
        let mut watches: FuturesUnordered<_> = watches.into_iter().collect();
        let lead = async {
            if stores.ready().await.is_err() {
                return;
            }
            context.ready.caches_are_full();
            loop {
                let mut leads = context.leads.clone();
                if leads.wait_for(|leads| *leads).await.is_err() {
                    return;
                }
                for key in stores.keys() {
                    // The receiver is in this very function.
                    let _ = changed.send(key);
                }
                let sweep = sweep::sweep(context.clone(), stores.clone(), namespaces.clone());
                tokio::select! {
                    () = lead(&context, &stores, &mut changes) => {}
                    () = sweep => {}
                }
            }
        };
        tokio::select! {
            () = lead => {}
            Some(()) = watches.next() => tracing::error!("a watch ended"),
        }
    }
}

/// Looks after the sets until this process does not lead any more.
async fn lead(context: &Context, stores: &Stores, changes: &mut UnboundedReceiver<SetKey>) {
    let mut leads = context.leads.clone();
    let mut workers = Workers { context: context.clone(), nudges: BTreeMap::new(), tasks: JoinSet::new() };
    loop {
        tokio::select! {
            lost = leads.wait_for(|leads| !*leads) => {
                drop(lost);
                break;
            }
            Some(key) = changes.recv() => workers.nudge(stores, key),
            Some(ended) = workers.tasks.join_next() => workers.ended(stores, ended),
        }
    }
    workers.stop().await;
}

impl Workers {
    /// Wakes the set's task, or begins it if there is such a set.
    fn nudge(&mut self, stores: &Stores, key: SetKey) {
        if let Some(nudge) = self.nudges.get(&key) {
            nudge.notify_one();
        } else if stores.set(&key).is_some() {
            let nudge = Arc::new(Notify::new());
            self.tasks.spawn(worker::work(self.context.clone(), key.clone(), Arc::clone(&nudge)));
            self.nudges.insert(key, nudge);
        }
    }

    /// A task ends when its set is gone. Another set of the same name may be there by then.
    fn ended(&mut self, stores: &Stores, ended: Result<SetKey, JoinError>) {
        match ended {
            Ok(key) => {
                self.nudges.remove(&key);
                match stores.set(&key) {
                    Some(_) => self.nudge(stores, key),
                    None => stores.ended.forget(&key),
                }
            }
            // Which set it was is not known, so every set without a task is begun anew.
            Err(error) => {
                tracing::error!(%error, "a set's task ended in a panic");
                self.nudges.retain(|_, nudge| Arc::strong_count(nudge) > 1);
                stores.keys().into_iter().for_each(|key| self.nudge(stores, key));
            }
        }
    }

    /// Lets each task finish the effect that it is in the middle of; it begins no other.
    async fn stop(mut self) {
        self.nudges.values().for_each(|nudge| nudge.notify_one());
        let all = async { while self.tasks.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(Duration::from_secs(5), all).await;
    }
}
