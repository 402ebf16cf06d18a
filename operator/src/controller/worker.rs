//! What looks after one set.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tracing::Span;

use super::rounds::{Rounds, backoff};
use super::tasks::Tended;
use super::{Caches, SetKey};
use crate::attempts::{Attempts, Wake};
use crate::context::Context;
use crate::policy::{Loading, Shadow};
use crate::reconcile::{Error, Next, Retry, Session, chain, reconcile, refuse};
use crate::telemetry::Kind;

/// How long a set that only a change can help is left alone. Not for ever: a change may be missed.
const ON_CHANGE: Duration = Duration::from_secs(300);

/// All sets.
#[derive(Clone)]
pub(super) struct Sets(pub(super) Context);

/// One of them.
pub(super) struct OfSet {
    context: Context,
    session: Session,
}

impl Tended for Sets {
    type Rounds = OfSet;

    fn caches(&self) -> &impl Caches {
        &self.0.stores
    }

    fn rounds(&self, key: &SetKey, nudge: &Arc<Notify>) -> OfSet {
        let (context, nudge) = (self.0.clone(), Arc::clone(nudge));
        let wake: Wake = Arc::new(move || nudge.notify_one());
        let policy = Loading::new(context.policies.clone(), &key.namespace, Arc::clone(&wake));
        let candidate = Shadow::new(&context.policies, &key.namespace, &key.name, Arc::clone(&wake));
        let attempts = Attempts::new(Arc::clone(&context.exec), wake);
        let session = Session::new(key.clone(), attempts, policy, candidate);
        OfSet { context, session }
    }

    fn gone(&self, key: &SetKey) {
        self.0.stores.ended.forget(key);
    }
}

impl Rounds for OfSet {
    const KIND: Kind = Kind::ReplicatedStatefulSet;

    type Error = Error;

    fn key(&self) -> &SetKey {
        &self.session.key
    }

    fn context(&self) -> &Context {
        &self.context
    }

    fn span(&self) -> Span {
        tracing::info_span!("reconcile", set = %self.session.key)
    }

    async fn look(&mut self) -> Result<Next, Error> {
        let next = reconcile(&self.context, &mut self.session).await?;
        self.session.failing.end();
        Ok(next)
    }

    async fn refuse(&mut self, error: Error, failures: u32) -> Duration {
        tracing::warn!(reason = error.reason().as_str(), error = chain(&error), "the look was not finished");
        let is_told = refuse(&self.context, &mut self.session, &error).await;
        delay(&error, is_told, failures)
    }

    fn rests_until(&mut self, due: Instant) {
        self.session.ages.rests_until(due);
    }

    fn asked(&self) -> Duration {
        self.session.asked
    }
}

/// How long to wait before the next look. What people could not be told is tried again too, and no sooner than other
/// failures are.
fn delay(error: &Error, is_told: bool, failures: u32) -> Duration {
    match error.retry() {
        Retry::OnChange if is_told => ON_CHANGE,
        _ => backoff(failures),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_a_change_can_help_is_not_tried_again_soon() {
        assert_eq!(delay(&Error::Audit(String::new()), true, 2), Duration::from_secs(1));
        assert_eq!(delay(&invalid(), true, 2), ON_CHANGE);
    }

    #[test]
    fn what_cannot_be_told_is_tried_again_ever_later() {
        let waits = [1, 2, 3, 99].map(|failures| delay(&invalid(), false, failures).as_millis());
        assert_eq!(waits, [500, 1000, 2000, 30_000]);
    }

    fn invalid() -> Error {
        Error::Memory(serde_json::from_str::<u32>("x").unwrap_err())
    }
}
