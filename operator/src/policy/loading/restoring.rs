//! Takes back what decided before this operator began.

use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::state::locked;
use super::task::{Task, chance};
use super::{is_from, is_named, is_resolved_always, names_keys};
use crate::api::{PolicyStatus, PullPolicy, Reason};
use crate::policy::load::{Again, LoadError};
use crate::target::Source;

/// How often what is kept is tried before anybody else is asked as well: some 20 s on a machine that is starved.
const TRIES: u32 = 5;

/// How often what is new waits for the same set to be restored. Each change of its resource begins anew: who changes it
/// all the time would keep every other set from a new policy.
const FIRST: u32 = 3;

impl Task {
    /// Takes what is kept in the cluster. What is kept was found to behave; nobody else is asked for it, but where it is
    /// not to be had for long.
    ///
    /// # Errors
    /// Why it does not decide.
    pub(super) async fn restore(&self, before: &PolicyStatus) -> Result<(), LoadError> {
        let mut failures = 0;
        loop {
            let Err(error) = self.take_back(before).await else { return Ok(()) };
            self.fail(&error);
            failures += 1;
            let is_tried_again = match self.is_only_here(before) {
                true => error.reason() == Reason::PolicyUnavailable,
                // Without the role that lets policies be kept nobody waits.
                false => is_worth_another_try(&error) && !is_forbidden(&error) && failures < TRIES,
            };
            if !is_tried_again {
                return Err(error);
            }
            sleep(error.again().after(failures, chance())).await;
        }
    }

    /// Waits, and looks meanwhile whether what decided before is to be had, while nobody decides.
    pub(super) async fn wait(&self, time: Duration, before: Option<&PolicyStatus>) {
        let ends = Instant::now() + time;
        let Some(before) = before.filter(|_| locked(&self.state).active.is_none()) else {
            return sleep_until(ends).await;
        };
        for failures in 1.. {
            let pause = Again::Later.after(failures, chance());
            sleep_until(ends.min(Instant::now() + pause)).await;
            if self.take_back(before).await.is_ok() || Instant::now() >= ends {
                return;
            }
        }
    }

    /// Whether nobody else may be asked for it.
    pub(super) fn is_only_here(&self, before: &PolicyStatus) -> bool {
        let source = &self.wanted.source;
        let is_never_fetched = matches!(source, Source::Image { pull_policy: PullPolicy::Never, .. });
        is_never_fetched && is_from(before, source)
    }

    async fn take_back(&self, before: &PolicyStatus) -> Result<(), LoadError> {
        let goes_first = {
            let mut state = locked(&self.state);
            state.restores = state.restores.saturating_add(1);
            state.restores <= FIRST
        };
        let Some(active) = self.policies.kept(&self.namespace, before, goes_first).await? else {
            locked(&self.state).is_gone = true;
            return before.digest.map_or(Ok(()), |digest| Err(LoadError::NotKept(digest)));
        };
        let wanted = &self.wanted;
        let is_asked_of = is_resolved_always(&wanted.source) || names_keys(&wanted.source);
        let is_current = is_named(&active, wanted) && !is_asked_of;
        self.activate(active, is_current);
        Ok(())
    }
}

/// Whether what is kept may be had another time.
pub(super) fn is_worth_another_try(error: &LoadError) -> bool {
    error.reason() == Reason::PolicyUnavailable && !matches!(error, LoadError::NotKept(_))
}

fn is_forbidden(error: &LoadError) -> bool {
    matches!(error, LoadError::Keep(error) if error.is_forbidden())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Digest, Failure, Refusal, Unfit};

    #[test]
    fn what_a_starved_machine_did_not_load_is_tried_again_and_what_is_refused_or_gone_is_not() {
        let digest = Digest::of(b"");
        let refused = |refusal| LoadError::Refused { digest, refusal };
        for (error, is_worth) in [
            (refused(Refusal::Start(Failure::Deadline)), true),
            (refused(Refusal::Start(Failure::HostPanicked)), true),
            (LoadError::Unfit(Unfit::Failed(Failure::Deadline)), true),
            (refused(Refusal::NotWasm), false),
            (refused(Refusal::Start(Failure::OutOfFuel)), false),
            (LoadError::Unfit(Unfit::NoneTaken), false),
            (LoadError::NotKept(digest), false),
        ] {
            assert_eq!(is_worth_another_try(&error), is_worth, "{error}");
        }
    }
}
