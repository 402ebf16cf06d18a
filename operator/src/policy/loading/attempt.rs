//! One try to bring what is named to the point where it decides.

use std::sync::Arc;

use super::state::locked;
use super::task::Task;
use super::{is_from, is_resolved_always};
use crate::api::Reason;
use crate::policy::Digest;
use crate::policy::active::Active;
use crate::policy::load::{Brought, Found, LoadError};

/// What one try came to.
pub(super) enum Tried {
    /// What is named decides.
    Current,
    /// It is still what was refused before.
    Unchanged,
}

impl Task {
    /// Brings what is named, unless it is here.
    pub(super) async fn attempt(&self, pinned: Option<Digest>) -> Result<Tried, LoadError> {
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
        self.take(brought).await
    }

    /// What was brought is compiled and tried, and decides if it is found to behave.
    async fn take(&self, brought: Brought) -> Result<Tried, LoadError> {
        match self.policies.taken(&self.namespace, &brought, &self.wanted).await {
            Ok(new) => {
                if !self.policies.is_for_candidates() {
                    let held = self.policies.hold(&self.namespace, brought);
                    locked(&self.state).bring(held);
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
}
