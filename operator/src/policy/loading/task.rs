//! The task that brings a policy to the point where it decides, however long that takes.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex};

use super::restoring::is_worth_another_try;
use super::state::{State, locked};
use super::{Obstacle, is_from, is_resolved_always};
use crate::api::{PolicyStatus, Reason};
use crate::attempts::Wake;
use crate::policy::Digest;
use crate::policy::active::Active;
use crate::policy::load::{Again, Found, LoadError, Policies};
use crate::target::Wanted;

/// What is to be loaded, for whom.
pub(super) struct Task {
    pub(super) policies: Policies,
    pub(super) namespace: String,
    pub(super) wanted: Wanted,
    pub(super) state: Arc<Mutex<State>>,
    pub(super) wake: Wake,
}

/// What one try came to.
enum Tried {
    /// What is named decides.
    Current,
    /// It is still what was refused before.
    Unchanged,
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

    async fn attempt(&self, pinned: Option<Digest>) -> Result<Tried, LoadError> {
        let (active, refused) = {
            let state = locked(&self.state);
            (state.active.clone(), state.refused.as_ref().map(|(digest, _)| *digest))
        };
        let source = &self.wanted.source;
        let demands = self.policies.demands(&self.namespace, source).await?;
        let from_here = active.filter(|active| is_from(active.status(), source));
        let pinned = pinned.or(from_here.as_ref().and_then(|active| active.status().image_digest));
        let is_verified =
            |active: &Arc<Active>| demands.iter().all(|demand| demand.is_met(&active.status().verified_by));
        let from_here = from_here.filter(is_verified);
        if let Some(active) = from_here.as_ref().filter(|_| !is_resolved_always(source)) {
            return self.set(active).await;
        }
        let _room = self.policies.room(&self.namespace).await;
        let of_active = from_here.as_ref().and_then(|active| active.status().image_digest);
        let known: Vec<Digest> = of_active.into_iter().chain(refused).collect();
        let brought = match self.policies.bring(&self.namespace, source, &demands, pinned, &known).await? {
            Found::Known(digest) => match from_here.filter(|_| of_active == Some(digest)) {
                Some(active) => return self.set(&active).await,
                None => return Ok(self.is_refused_still()),
            },
            Found::New(brought) => brought,
        };
        match self.policies.taken(&self.namespace, &brought, &self.wanted).await {
            Ok(new) => {
                if !self.policies.is_for_candidates() {
                    locked(&self.state).unkept = Some(Arc::new(brought));
                }
                self.activate(new, true);
                Ok(Tried::Current)
            }
            Err(error) => {
                let stands = error.reason() != Reason::PolicyUnavailable;
                let refused = stands.then(|| (brought.digest(), self.obstacle(&error)));
                locked(&self.state).refused = refused;
                Err(error)
            }
        }
    }

    /// What kept it from being looked at meanwhile is over: people are told again why it does not decide.
    fn is_refused_still(&self) -> Tried {
        let mut state = locked(&self.state);
        let told = state.refused.as_ref().map(|(_, obstacle)| obstacle.clone());
        let is_news = state.obstacle != told;
        state.obstacle = told;
        drop(state);
        if is_news {
            (self.wake)();
        }
        Tried::Unchanged
    }

    /// It is what is named, but for its settings perhaps.
    async fn set(&self, active: &Active) -> Result<Tried, LoadError> {
        let settings = &self.wanted.settings;
        if active.settings() == settings {
            let mut state = locked(&self.state);
            (state.is_current, state.obstacle) = (true, None);
        } else {
            let new = self.policies.set(&self.namespace, active, settings).await?;
            self.activate(new, true);
        }
        (self.wake)();
        Ok(Tried::Current)
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

    fn obstacle(&self, error: &LoadError) -> Obstacle {
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
