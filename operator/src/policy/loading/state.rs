//! What the task of one set has come to, between it and the looks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Obstacle;
use crate::api::PolicyStatus;
use crate::policy::Digest;
use crate::policy::active::Active;
use crate::policy::keep::Held;
use crate::policy::load::{Brought, Crowded};
use crate::target::Source;

/// What the task has come to.
#[derive(Default)]
pub(super) struct State {
    pub(super) active: Option<Arc<Active>>,
    /// What decides is what is named.
    pub(super) is_current: bool,
    /// Why the last try came to nothing.
    pub(super) obstacle: Option<Obstacle>,
    /// What decides, as long as it is not kept in the cluster.
    pub(super) unkept: Option<Arc<Brought>>,
    /// Why what decides is not kept, where that does not pass by itself.
    pub(super) why_unkept: Option<String>,
    /// What was refused last: its digest, and why. It is not tried again, and the refusal stands while it is named.
    pub(super) refused: Option<(Digest, Obstacle)>,
    /// What decided before this operator began was looked for where it was kept, and is not there.
    pub(super) is_gone: bool,
    /// The same while it does not decide again: whether it is kept is looked for all the time.
    pub(super) before: Option<Held>,
    /// How often it was looked for.
    pub(super) restores: u32,
}

impl State {
    /// What stays when a task begins that is for something else. `before` is what decided before this operator began.
    pub(super) fn anew(&self, before: Option<Held>) -> Self {
        let Self { active, unkept, why_unkept, restores, .. } = self;
        let (active, unkept, why_unkept) = (active.clone(), unkept.clone(), why_unkept.clone());
        Self { active, unkept, why_unkept, before, restores: *restores, ..Self::default() }
    }

    /// Why what is named does not decide.
    pub(super) fn obstacle(&self, source: &Source) -> Option<Obstacle> {
        let loads = || Obstacle::loading(source);
        (!self.is_current).then(|| self.obstacle.clone().unwrap_or_else(loads))
    }

    /// What the status has of the policy that decided before, as it is known by now.
    pub(super) fn told(&self, before: &PolicyStatus) -> PolicyStatus {
        let is_there = self.before.as_ref().is_none_or(Held::is_there);
        PolicyStatus { kept: before.kept && is_there && !self.is_gone, ..before.clone() }
    }

    /// This decides from now on.
    pub(super) fn activate(&mut self, active: Active, is_current: bool) {
        // It may have been kept while it was tried with other settings.
        let same = self.active.as_ref().filter(|before| before.status().digest == active.status().digest);
        let active = match same.and_then(|before| before.held()).filter(|_| active.held().is_none()) {
            Some(held) => active.kept(held),
            None => active,
        };
        self.active = Some(Arc::new(active));
        (self.is_current, self.obstacle, self.before) = (is_current, None, None);
    }

    /// These bytes are to be kept, if there is room to hold them until they are.
    pub(super) fn bring(&mut self, brought: Result<Arc<Brought>, Crowded>) {
        (self.unkept, self.why_unkept) = match brought {
            Ok(brought) => (Some(brought), None),
            Err(crowded) => (None, Some(crowded.to_string())),
        };
    }

    /// Why these bytes are not kept yet; none where that passes by itself. Whether that is news.
    pub(super) fn refuse(&mut self, brought: &Arc<Brought>, why: Option<String>) -> bool {
        let is_news = self.is_unkept(brought) && self.why_unkept != why;
        if is_news {
            self.why_unkept = why;
        }
        is_news
    }

    /// These bytes are kept by now. It says nothing about whether they are what is named, nor about what stands against
    /// that.
    pub(super) fn kept(&mut self, brought: &Arc<Brought>, held: Held) {
        self.forget(brought);
        let decides = self.active.as_ref();
        let decides = decides.filter(|active| active.status().digest == Some(brought.component));
        if let Some(active) = decides {
            self.active = Some(Arc::new(active.kept(Arc::new(held))));
        }
    }

    /// Whether these are the bytes that are to be kept.
    pub(super) fn is_unkept(&self, brought: &Arc<Brought>) -> bool {
        self.unkept.as_ref().is_some_and(|unkept| Arc::ptr_eq(unkept, brought))
    }

    /// They are not to be kept any more.
    pub(super) fn forget(&mut self, brought: &Arc<Brought>) {
        if self.is_unkept(brought) {
            (self.unkept, self.why_unkept) = (None, None);
        }
    }
}

pub(super) fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
