//! From a plan to what is promised of it: the check that knows none of the rules, and the writes that come before the
//! first effect.

use std::time::Duration;

use super::{Error, Session};
use crate::context::Context;
use crate::observe::{self, Objects};
use crate::promise;
use crate::report::{self, Told, report};

/// Caches show in a moment what another wrote.
pub(super) const MOMENT: Duration = Duration::from_millis(100);

/// The longest wait for caches that show nothing new: of the set's own status they wake nobody.
const LONGEST: Duration = Duration::from_secs(5);

/// How long a set is left alone whose promise was not written so many times in a row, unless a cache tells of a change:
/// from the same picture the same would be tried.
pub(super) fn until_caches_move(conflicts: u32) -> Duration {
    MOMENT.saturating_mul(1 << conflicts.saturating_sub(1).min(10)).min(LONGEST)
}

/// The check that knows none of the rules. What it finds is written down whole, to be replayed, once
/// for as long as it finds the same.
pub(super) fn audit(context: &Context, session: &mut Session, told: &Told<'_>) -> Result<(), Error> {
    let (observation, memory, plan) = (told.observation, told.remembered, told.plan);
    let Err(breaches) = (context.audit)(observation, memory, plan) else {
        session.breach = None;
        return Ok(());
    };
    let found = breaches.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    if session.breach.as_ref() != Some(&found) {
        let replay = serde_json::json!({"observation": observation, "memory": memory, "plan": plan});
        tracing::error!(breach = found, %replay, "the audit found the plan wrong; the set is not acted on");
        session.breach = Some(found.clone());
    }
    Err(Error::Audit(found))
}

/// Writes down what is about to be done, if it is new. False: somebody else wrote first, or the resource says something
/// else, a node is of another boot, a pod has another container, or a claim another record, than was seen.
pub(super) async fn promise(
    context: &Context,
    session: &mut Session,
    objects: &mut Objects,
    told: &Told<'_>,
) -> Result<bool, Error> {
    let reads = &context.clients.reads;
    let (seen, memory, plan) = (told.observation, told.remembered, told.plan);
    let writes = promise::claim_writes(objects, seen, plan);
    if !context.leads()
        || !session.boots.confirm(reads, objects, seen, memory, plan).await.map_err(Error::Confirm)?
        || !observe::confirm_pods(reads, objects, seen, memory, plan).await.map_err(Error::Confirm)?
        || (!writes.is_empty() && !promise::is_current(reads, &objects.set).await.map_err(Error::Confirm)?)
        || !observe::confirm_claims(reads, objects, plan, &mut session.written)
            .await
            .map_err(Error::Confirm)?
        || !context.leads()
    {
        return Ok(false);
    }
    let client = &context.clients.writes;
    // The rest of the status is told at the end of the look, or with the promise, if there is one.
    let is_new = report::memory(told) != told.previous.memory;
    let status = is_new.then(|| report(&Told { trouble: session.trouble.as_ref(), ..*told }));
    if is_new || !writes.is_empty() {
        tracing::debug!(claims = writes.len(), "promise");
    }
    let kept = async {
        promise::write_claims(client, writes, &mut session.written).await?;
        if let Some(status) = status {
            objects.set = promise::write_promise(client, &objects.set, status, &mut session.written).await?;
        }
        Ok(())
    };
    match kept.await {
        Ok(()) => Ok(true),
        Err(error) if promise::Error::is_conflict(&error) => Ok(false),
        Err(error) => Err(Error::Promise(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_promised_on_the_picture_of_the_caches_is_tried_again_ever_later() {
        let waits = [1, 2, 3, 99].map(|conflicts| until_caches_move(conflicts).as_millis());
        assert_eq!(waits, [100, 200, 400, 5000]);
    }
}
