//! The task that brings a policy to the point where it decides, however long that takes.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex};

use super::attempt::Tried;
use super::restoring::is_worth_another_try;
use super::state::{State, locked};
use super::{Obstacle, is_from, is_resolved_always};
use crate::api::{PolicyStatus, Reason};
use crate::attempts::Wake;
use crate::policy::Digest;
use crate::policy::active::Active;
use crate::policy::load::{Again, LoadError, Policies};
use crate::target::Wanted;

/// What is to be loaded, for whom.
pub(super) struct Task {
    pub(super) policies: Policies,
    pub(super) namespace: String,
    pub(super) wanted: Wanted,
    pub(super) state: Arc<Mutex<State>>,
    pub(super) wake: Wake,
}

impl Task {
    /// Ends when what is named decides and is kept. `pinned` is what decided before this operator began.
    /// A candidate is not kept: it comes from where it is named every time.
    pub(super) async fn run(self, pinned: Option<PolicyStatus>) {
        // What an administrator demands by now is asked of what decided before as well: it is verified anew, or waits.
        let is_restored =
            |pinned: &&PolicyStatus| !self.policies.is_for_candidates() && self.policies.may_decide(pinned);
        let mut kept = pinned.as_ref().filter(is_restored);
        if let Some(before) = kept
            && let Err(error) = self.restore(before).await
        {
            if self.is_only_here(before) {
                return;
            }
            kept = kept.filter(|_| is_worth_another_try(&error));
        }
        let pin = pinned.as_ref().filter(|pinned| is_from(pinned, &self.wanted.source));
        // What decides is kept while what is named is still looked for: that may never be found.
        tokio::join!(self.renew(pin.and_then(|pinned| pinned.image_digest), kept), self.keep());
        self.keep().await;
    }

    /// Tries until what is named decides. `kept` is what decided before, if that may be had in the cluster another time.
    async fn renew(&self, pinned: Option<Digest>, kept: Option<&PolicyStatus>) {
        let mut failures = 0;
        loop {
            let again = match self.attempt(pinned).await {
                Ok(Tried::Current) => return,
                Ok(Tried::Unchanged) => Again::Later,
                Err(error) => {
                    self.fail(&error);
                    if self.is_final(&error) {
                        return;
                    }
                    error.again()
                }
            };
            failures += 1;
            self.wait(again.after(failures, chance()), kept).await;
        }
    }

    /// The component that decides is what is named, and its settings are not for it: only a person changes that.
    fn is_final(&self, error: &LoadError) -> bool {
        let source = &self.wanted.source;
        let active = locked(&self.state).active.clone();
        let is_here = active.is_some_and(|active| is_from(active.status(), source));
        let may_pass = matches!(error.reason(), Reason::PolicyUnavailable | Reason::SignatureRefused);
        is_here && !is_resolved_always(source) && !may_pass
    }

    pub(super) fn activate(&self, active: Active, is_current: bool) {
        locked(&self.state).activate(active, is_current);
        (self.wake)();
    }

    pub(super) fn fail(&self, error: &LoadError) {
        let obstacle = self.obstacle(error);
        locked(&self.state).obstacle = Some(obstacle);
        (self.wake)();
    }

    pub(super) fn obstacle(&self, error: &LoadError) -> Obstacle {
        let obstacle = Obstacle::from(error);
        match error {
            LoadError::Unfit(why) if self.policies.is_for_candidates() => {
                Obstacle::new(obstacle.reason, format!("spec.policy.candidate.settings: {why}"))
            }
            _ => obstacle,
        }
    }
}

/// From 0 to 1.
pub(super) fn chance() -> f64 {
    let random = RandomState::new().build_hasher().finish();
    f64::from((random & 0xffff) as u16) / f64::from(u16::MAX)
}
