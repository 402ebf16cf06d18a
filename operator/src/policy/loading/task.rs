//! The task that brings a policy to the point where it decides, however long that takes.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex};

use super::{Obstacle, State, is_from, is_named, is_resolved_always, locked, names_keys};
use crate::api::{PolicyStatus, Reason};
use crate::attempts::Wake;
use crate::policy::active::Active;
use crate::policy::load::{Again, Brought, Found, LoadError, Policies};
use crate::policy::{Digest, keep::KeepError};
use crate::reconcile::chain;
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
        if let Some(pinned) = pinned.as_ref().filter(is_restored) {
            self.restore(pinned).await;
        }
        let pin = pinned.filter(|pinned| is_from(pinned, &self.wanted.source));
        self.renew(pin.and_then(|pinned| pinned.image_digest)).await;
        let unkept = locked(&self.state).unkept.clone();
        if let Some(brought) = unkept {
            self.keep(&brought).await;
        }
    }

    /// Takes what is kept in the cluster. What is kept was found to behave; nobody else is asked for it.
    async fn restore(&self, pinned: &PolicyStatus) {
        for failures in 1.. {
            match self.policies.kept(&self.namespace, pinned).await {
                Ok(Some(active)) => {
                    let wanted = &self.wanted;
                    let is_asked_of = is_resolved_always(&wanted.source) || names_keys(&wanted.source);
                    let is_current = is_named(&active, wanted) && !is_asked_of;
                    return self.activate(active, is_current);
                }
                Ok(None) => {
                    let gone = pinned.digest.map(LoadError::NotKept);
                    return gone.iter().for_each(|error| self.fail(error));
                }
                Err(error @ (LoadError::Refused { .. } | LoadError::Unfit(_))) => return self.fail(&error),
                Err(error) => {
                    self.fail(&error);
                    tokio::time::sleep(error.again().after(failures, chance())).await;
                }
            }
        }
    }

    /// Tries until what is named decides.
    async fn renew(&self, pinned: Option<Digest>) {
        let (mut refused, mut failures) = (None, 0);
        loop {
            let again = match self.attempt(pinned, &mut refused).await {
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
            tokio::time::sleep(again.after(failures, chance())).await;
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

    async fn attempt(
        &self,
        pinned: Option<Digest>,
        refused: &mut Option<Digest>,
    ) -> Result<Tried, LoadError> {
        let active = locked(&self.state).active.clone();
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
        let _room = self.policies.room().await;
        let of_active = from_here.as_ref().and_then(|active| active.status().image_digest);
        let known: Vec<Digest> = of_active.into_iter().chain(*refused).collect();
        let brought = match self.policies.bring(&self.namespace, source, &demands, pinned, &known).await? {
            Found::Known(digest) => match from_here.filter(|_| of_active == Some(digest)) {
                Some(active) => return self.set(&active).await,
                None => return Ok(Tried::Unchanged),
            },
            Found::New(brought) => brought,
        };
        match self.policies.taken(&brought, &self.wanted).await {
            Ok(new) => {
                if !self.policies.is_for_candidates() {
                    locked(&self.state).unkept = Some(Arc::new(brought));
                }
                self.activate(new, true);
                Ok(Tried::Current)
            }
            Err(error) => {
                *refused = (error.reason() != Reason::PolicyUnavailable).then(|| brought.digest());
                Err(error)
            }
        }
    }

    /// It is what is named, but for its settings perhaps.
    async fn set(&self, active: &Active) -> Result<Tried, LoadError> {
        let settings = &self.wanted.settings;
        if active.settings() == settings {
            let mut state = locked(&self.state);
            (state.is_current, state.obstacle) = (true, None);
        } else {
            let new = self.policies.set(active, settings).await?;
            self.activate(new, true);
        }
        (self.wake)();
        Ok(Tried::Current)
    }

    /// Keeps its bytes in the cluster. Until then it decides all the same.
    async fn keep(&self, brought: &Brought) {
        for failures in 1.. {
            match self.policies.put(&self.namespace, brought).await {
                Ok(()) => break,
                Err(error) => {
                    self.unkept(&error, failures);
                    if error.is_forbidden() {
                        locked(&self.state).unkept = None;
                        return;
                    }
                    tokio::time::sleep(Again::Later.after(failures, chance())).await;
                }
            }
        }
        let kept = {
            let mut state = locked(&self.state);
            state.unkept = None;
            state.active.as_ref().map(|active| active.kept())
        };
        if let Some(kept) = kept {
            self.activate(kept, true);
        }
    }

    fn unkept(&self, error: &KeepError, failures: u32) {
        let (namespace, error) = (&self.namespace, chain(error));
        if failures == 1 {
            tracing::warn!(namespace, error, "a policy is not kept for a power cut");
        } else {
            tracing::debug!(namespace, error, "a policy is still not kept for a power cut");
        }
    }

    fn activate(&self, active: Active, is_current: bool) {
        let mut state = locked(&self.state);
        state.active = Some(Arc::new(active));
        (state.is_current, state.obstacle) = (is_current, None);
        drop(state);
        (self.wake)();
    }

    fn fail(&self, error: &LoadError) {
        let mut obstacle = Obstacle::from(error);
        if let (LoadError::Unfit(why), true) = (error, self.policies.is_for_candidates()) {
            obstacle = Obstacle::new(obstacle.reason, format!("spec.policy.candidate.settings: {why}"));
        }
        locked(&self.state).obstacle = Some(obstacle);
        (self.wake)();
    }
}

/// From 0 to 1.
fn chance() -> f64 {
    let random = RandomState::new().build_hasher().finish();
    f64::from((random & 0xffff) as u16) / f64::from(u16::MAX)
}
