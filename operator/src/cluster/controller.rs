//! The watches of StatefulClusters, and one task for each: beside those of sets, and under the same lease.

use std::sync::Arc;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use kube::Client;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::{Notify, watch};

use super::session::{Audit, Session, Shared};
use super::stores::{self, Stores};
use super::worker::OfCluster;
use crate::context::Context;
use crate::controller::{Caches, SetKey, Tended, repeat, tend, until_it_leads};
use crate::lease::Leads;

/// The watches before they are polled, and what they tell.
pub struct Clusters {
    stores: Stores,
    watches: Vec<BoxFuture<'static, ()>>,
    changes: UnboundedReceiver<SetKey>,
    audit: Audit,
}

// === impl Clusters ===

impl Clusters {
    /// Watches these namespaces; none named: all.
    #[must_use]
    pub fn new(reads: &Client, namespaces: &[String]) -> Self {
        let (changed, changes) = unbounded_channel();
        let (stores, watches) = stores::watches(reads, namespaces, &changed);
        Self { stores, watches, changes, audit: stateful_cluster::audit }
    }

    /// With another check of plans.
    #[must_use]
    pub fn audited(self, audit: Audit) -> Self {
        Self { audit, ..self }
    }

    /// Looks after all of them while this process leads. In a namespace where there is no such resource, or no right to see
    /// it, it waits: other namespaces and sets are looked after all the same.
    pub async fn run(self, context: Context) {
        let Self { stores, watches, mut changes, audit } = self;
        let mut watches: FuturesUnordered<_> = watches.into_iter().collect();
        context.ready.watching(&stores.watches);
        context.metrics.watching(&stores.watches);
        let shared = Shared { context, stores, audit };
        let lead = async {
            let mut leads = shared.context.leads.clone();
            tokio::select! {
                () = shared.stores.ready() => {}
                // Without the resource or the right to see it no namespace is ever ready.
                () = ended(leads.clone()) => return,
            }
            while until_it_leads(&mut leads, &mut changes).await {
                tend(&shared, leads.clone(), &mut changes).await;
            }
        };
        tokio::select! {
            () = lead => {}
            () = repeat(&shared.stores.watches) => {}
            Some(()) = watches.next() => tracing::error!("a watch ended"),
        }
    }
}

/// Nobody says any more who leads: this process ends.
async fn ended(mut leads: watch::Receiver<Leads>) {
    while leads.changed().await.is_ok() {}
}

impl Tended for Shared {
    type Rounds = OfCluster;

    fn caches(&self) -> &impl Caches {
        &self.stores
    }

    fn rounds(&self, key: &SetKey, _: &Arc<Notify>) -> OfCluster {
        OfCluster { shared: self.clone(), session: Session::new(key.clone()) }
    }
}
