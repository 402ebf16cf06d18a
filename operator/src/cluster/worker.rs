//! What looks after one StatefulCluster.

use std::sync::Arc;
use std::time::Duration;

use kube::Resource;
use tokio::time::Instant;
use tracing::Span;

use super::reconcile::{Error, reconcile};
use super::session::{Session, Shared};
use super::{events, promise, report};
use crate::context::Context;
use crate::controller::{Rounds, SetKey, backoff};
use crate::observe::newest;
use crate::reconcile::{Next, Why, chain, now};
use crate::telemetry::Kind;

/// One StatefulCluster, and what is known of it.
pub(super) struct OfCluster {
    pub(super) shared: Shared,
    pub(super) session: Session,
}

impl Rounds for OfCluster {
    const KIND: Kind = Kind::StatefulCluster;

    type Error = Error;

    fn key(&self) -> &SetKey {
        &self.session.key
    }

    fn context(&self) -> &Context {
        &self.shared.context
    }

    fn span(&self) -> Span {
        tracing::info_span!("reconcile", cluster = %self.session.key)
    }

    async fn look(&mut self) -> Result<Next, Error> {
        let next = reconcile(&self.shared, &mut self.session).await?;
        self.session.failing.end();
        Ok(next)
    }

    async fn refuse(&mut self, error: Error, failures: u32) -> Duration {
        tracing::warn!(error = chain(&error), "the look was not finished");
        refuse(&self.shared, &mut self.session, &error).await;
        backoff(failures)
    }

    fn rests_until(&mut self, due: Instant) {
        self.session.ages.rests_until(due);
    }
}

/// Tells once why a look was not finished: in an event, and in the status what is wrong with the resource itself, or keeps it
/// from being looked at for a while.
async fn refuse(shared: &Shared, session: &mut Session, error: &Error) {
    let why = Why { reason: error.reason(), note: chain(error), needs_a_person: error.needs_a_person() };
    let lasts = session.failing.lasts(why.reason, Instant::now());
    let Some(cached) = shared.stores.cluster(&session.key).filter(|_| shared.context.leads()) else { return };
    events::once(&shared.context, session, &cached.object_ref(&()), why.reason.as_str(), &why.note);
    let (Ok(cluster), true) = (&cached.0, error.is_of_the_look()) else { return };
    if matches!(error, Error::Observe(_)) && !lasts {
        return;
    }
    let cluster = newest(Arc::clone(cluster), &mut session.written);
    let before = cluster.status.clone().unwrap_or_default();
    let generation = cluster.metadata.generation.unwrap_or_default();
    let status = report::refused(&before, &why, generation, now());
    if status != before
        && let Err(error) = promise::write(shared, session, &cluster, status).await
    {
        tracing::debug!(error = chain(&error), "what is wrong was not written");
    }
}
