//! The task of one set: it looks, does what is to be done now, and waits for a reason to look again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tracing::Instrument;

use super::SetKey;
use crate::attempts::{Attempts, Wake};
use crate::context::Context;
use crate::policy::{Loading, Shadow};
use crate::reconcile::{Error, Next, Retry, Session, chain, reconcile, refuse};
use crate::telemetry::Reconciled;

/// After the first failure; each further one doubles it.
const SOON: Duration = Duration::from_millis(500);

/// The longest wait after failures in a row.
const LATE: Duration = Duration::from_secs(30);

/// How long a set that only a change can help is left alone. Not for ever: a change may be missed.
const ON_CHANGE: Duration = Duration::from_secs(300);

/// Watches tell of one change in several events, and of what a look wrote: what comes within this time after a look is
/// gathered for the next. What comes later is looked at at once.
const GATHER: Duration = Duration::from_millis(50);

/// Looks after one set until it is gone or this process does not lead any more.
pub(super) async fn work(context: Context, key: SetKey, nudge: Arc<Notify>) -> SetKey {
    let notified = Arc::clone(&nudge);
    let wake: Wake = Arc::new(move || notified.notify_one());
    let policy = Loading::new(context.policies.clone(), &key.namespace, Arc::clone(&wake));
    let candidate = Shadow::new(&context.policies, &key.namespace, &key.name, Arc::clone(&wake));
    let attempts = Attempts::new(Arc::clone(&context.exec), wake);
    let mut session = Session::new(key.clone(), attempts, policy, candidate);
    let mut failures = 0;
    while context.leads() {
        let span = tracing::info_span!("reconcile", set = %key);
        let wait = match look(&context, &mut session, &mut failures).instrument(span).await {
            Next::Wait(wait) => wait,
            Next::End => break,
        };
        let looked = Instant::now();
        // Elapsed or nudged: both are a reason to look.
        let _ = tokio::time::timeout(wait, nudge.notified()).await;
        tokio::time::sleep(left(session.asked, looked.elapsed())).await;
    }
    context.metrics.holding(&key.to_string(), &[]);
    key
}

async fn look(context: &Context, session: &mut Session, failures: &mut u32) -> Next {
    let began = Instant::now();
    // On the heap: a look holds all that it saw, and there is one task for each set.
    let result = Box::pin(reconcile(context, session)).await;
    let counted = match &result {
        Ok(Next::End) => Reconciled::Success,
        Ok(Next::Wait(_)) => Reconciled::RequeueAfter,
        Err(_) => Reconciled::Error,
    };
    context.metrics.reconciled(counted, began.elapsed());
    match result {
        Ok(next) => {
            *failures = 0;
            next
        }
        Err(error) => {
            tracing::warn!(reason = error.reason(), error = chain(&error), "the look was not finished");
            let is_told = refuse(context, session, &error).await;
            *failures += 1;
            Next::Wait(if is_told { delay(&error, *failures) } else { SOON })
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

fn delay(error: &Error, failures: u32) -> Duration {
    match error.retry() {
        Retry::OnChange => ON_CHANGE,
        Retry::Soon => SOON.saturating_mul(1 << failures.saturating_sub(1).min(10)).min(LATE),
    }
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
        let error = Error::Audit(String::new());
        let waits: Vec<u64> = [1, 2, 3, 99].iter().map(|n| delay(&error, *n).as_millis() as u64).collect();
        assert_eq!(waits, [500, 1000, 2000, 30_000]);
    }
}
