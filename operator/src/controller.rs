//! The watches, and one task for each set: one writer for a set, and no slow set holds up another.

mod concerned;
mod follow;
mod guarded;
mod key;
mod rounds;
mod scope;
mod stores;
mod sweep;
mod tasks;
mod watches;
mod worker;

pub(crate) use concerned::has_other_facts;
pub(crate) use follow::{Caches, Sender, Source};
pub(crate) use guarded::Guarded;
pub use key::SetKey;
pub(crate) use rounds::{Rounds, backoff};
pub(crate) use scope::{Scope, repeat};
pub use stores::Stores;
pub(crate) use tasks::{Tended, tend, until_it_leads};

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use kube::Client;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::context::Context;
use worker::Sets;

/// The watches before they are polled, and what they tell.
pub struct Controller {
    /// What the watches hold.
    pub stores: Stores,
    watches: Vec<BoxFuture<'static, ()>>,
    changes: UnboundedReceiver<SetKey>,
}

impl Controller {
    /// Watches these namespaces; none named: all.
    #[must_use]
    pub fn new(reads: &Client, namespaces: &[String]) -> Self {
        let (changed, changes) = unbounded_channel();
        let (stores, watches) = watches::watches(reads, namespaces, &changed);
        Self { stores, watches, changes }
    }

    /// Looks after all sets while this process leads; watches also while it does not, so that a new
    /// leader begins with full caches. A namespace that cannot be watched delays no other one. Ends only if a watch
    /// does.
    pub async fn run(self, context: Context) {
        let Self { stores, watches, mut changes } = self;
        let mut watches: FuturesUnordered<_> = watches.into_iter().collect();
        context.ready.watching(&stores.watches);
        context.metrics.watching(&stores.watches);
        let lead = async {
            stores.ready().await;
            let (sets, mut leads) = (Sets(context.clone()), context.leads.clone());
            while until_it_leads(&mut leads, &mut changes).await {
                let sweep = sweep::sweep(context.clone(), stores.clone());
                tokio::select! {
                    () = tend(&sets, leads.clone(), &mut changes) => {}
                    () = sweep => {}
                }
            }
        };
        tokio::select! {
            () = lead => {}
            () = repeat(&stores.watches) => {}
            Some(()) = watches.next() => tracing::error!("a watch ended"),
        }
    }
}
