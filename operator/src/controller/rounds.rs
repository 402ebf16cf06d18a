//! The rounds of one resource: look, do what is to be done now, wait for a reason to look again.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tracing::{Instrument, Span};

use super::SetKey;
use crate::context::Context;
use crate::reconcile::Next;
use crate::telemetry::{Kind, Reconciled};

/// After the first failure; each further one doubles it.
const SOON: Duration = Duration::from_millis(500);

/// The longest wait after failures in a row.
const LATE: Duration = Duration::from_secs(30);

/// Watches tell of one change in several events, and of what a look wrote: what comes within this time after a look is
/// gathered for the next. What comes later is looked at at once.
const GATHER: Duration = Duration::from_millis(50);

/// What looks after one resource.
pub(crate) trait Rounds: Send {
    /// What it is.
    const KIND: Kind;

    /// Why a look was not finished.
    type Error: Send;

    /// Which one.
    fn key(&self) -> &SetKey;

    /// What all of them share.
    fn context(&self) -> &Context;

    /// Around the log lines of a look.
    fn span(&self) -> Span;

    /// One look, and what follows from it.
    fn look(&mut self) -> impl Future<Output = Result<Next, Self::Error>> + Send;

    /// Tells why a look was not finished, after so many failures in a row; how long to wait before the next.
    fn refuse(&mut self, error: Self::Error, failures: u32) -> impl Future<Output = Duration> + Send;

    /// The next look begins at this moment at the latest.
    fn rests_until(&mut self, due: Instant);

    /// For how long the last look asked a policy.
    fn asked(&self) -> Duration {
        Duration::ZERO
    }
}

/// Makes the rounds until the resource is gone or this process does not lead any more.
pub(super) async fn make<R: Rounds>(rounds: &mut R, nudge: Arc<Notify>) {
    let mut failures = 0;
    while rounds.context().leads() {
        let span = rounds.span();
        let Next::Wait(wait) = round(rounds, &mut failures).instrument(span).await else { break };
        let looked = Instant::now();
        rounds.rests_until(looked + wait.max(pause(rounds.asked())));
        // Elapsed or nudged: both are a reason to look.
        let _ = tokio::time::timeout(wait, nudge.notified()).await;
        tokio::time::sleep(left(rounds.asked(), looked.elapsed())).await;
    }
    rounds.context().metrics.holding(R::KIND, &rounds.key().to_string(), Vec::new());
}

async fn round<R: Rounds>(rounds: &mut R, failures: &mut u32) -> Next {
    let began = Instant::now();
    // On the heap: a look holds all that it saw, and there is one task for each resource.
    let result = Box::pin(rounds.look()).await;
    let counted = match &result {
        Ok(Next::End) => Reconciled::Success,
        Ok(Next::Wait(_)) => Reconciled::RequeueAfter,
        Err(_) => Reconciled::Error,
    };
    rounds.context().metrics.reconciled(R::KIND, counted, began.elapsed());
    match result {
        Ok(next) => {
            *failures = 0;
            next
        }
        Err(error) => {
            *failures += 1;
            Next::Wait(rounds.refuse(error, *failures).await)
        }
    }
}

/// A policy that takes long to answer costs its own set time, and the others next to nothing: whatever wakes the set,
/// its policy runs a tenth of the time at most.
fn pause(asked: Duration) -> Duration {
    asked.saturating_mul(9).clamp(GATHER, LATE)
}

/// What is left of the pause so long after the last look: nothing after a quiet time.
fn left(asked: Duration, since: Duration) -> Duration {
    pause(asked).saturating_sub(since)
}

/// How long after so many failures in a row it is tried again.
pub(crate) fn backoff(failures: u32) -> Duration {
    SOON.saturating_mul(1 << failures.saturating_sub(1).min(10)).min(LATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_policy_that_takes_long_makes_its_set_slow() {
        let pauses = [0, 1, 400, 60_000].map(|asked| pause(Duration::from_millis(asked)).as_millis());
        assert_eq!(pauses, [50, 50, 3600, 30_000]);
    }

    #[test]
    fn what_comes_after_a_quiet_time_is_looked_at_at_once_and_what_comes_soon_after_a_look_is_gathered() {
        let after =
            |asked, since| left(Duration::from_millis(asked), Duration::from_millis(since)).as_millis();
        let cases = [(0, 0, 50), (0, 20, 30), (0, 50, 0), (0, 10_000, 0), (400, 1000, 2600), (400, 3600, 0)];
        for (asked, since, expected) in cases {
            assert_eq!(after(asked, since), expected, "asked for {asked} ms, {since} ms ago");
        }
    }

    #[test]
    fn failures_in_a_row_are_tried_again_ever_later_and_never_too_late() {
        assert_eq!([1, 2, 3, 99].map(|failures| backoff(failures).as_millis()), [500, 1000, 2000, 30_000]);
    }
}
