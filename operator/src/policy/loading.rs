//! The policy of one set: what decides now, and how far what the resource names has come.
//!
//! Loading is a task beside the looks of the set, and wakes it when something has come of it. What decides goes on
//! deciding until what is named has been found to behave.

mod attempt;
mod judge;
mod keeping;
mod restoring;
mod state;
mod task;

use std::sync::{Arc, Mutex};

use tokio::task::JoinSet;

pub use judge::{Decider, Judge, Obstacle};

use super::active::Active;
use super::load::{LoadError, Policies};
use crate::api::{PolicyStatus, PullPolicy};
use crate::attempts::Wake;
use crate::reconcile::chain;
use crate::target::{Policy, Source, Wanted};
use state::{State, locked};
use task::Task;

/// Bytes of what people are told of an obstacle: a policy may have much to say of its settings.
const LONGEST: usize = 4096;

/// The policy of one set.
pub struct Loading {
    policies: Policies,
    namespace: String,
    wake: Wake,
    asked: Option<Asked>,
    state: Arc<Mutex<State>>,
    /// The one task; with it goes what it waits for.
    task: JoinSet<()>,
}

/// What the task was begun for.
#[derive(Clone, PartialEq)]
struct Asked {
    wanted: Wanted,
    generation: i64,
}

impl Loading {
    /// For a set of this namespace, which is woken.
    #[must_use]
    pub fn new(policies: Policies, namespace: &str, wake: Wake) -> Self {
        Self {
            policies,
            namespace: namespace.to_owned(),
            wake,
            asked: None,
            state: Arc::default(),
            task: JoinSet::new(),
        }
    }

    /// Who decides in this look. `told` is what decided until now, as the status has it: after a restart of the
    /// operator it is all that is known.
    pub fn look(&mut self, policy: &Policy, generation: i64, told: Option<&PolicyStatus>) -> Judge {
        match policy {
            Policy::Builtin(settings) => {
                self.asked = None;
                self.task = JoinSet::new();
                self.state = Arc::default();
                Judge::builtin(*settings)
            }
            Policy::Component(wanted) => {
                if self.is_news(wanted, generation) {
                    self.begin(Asked { wanted: Wanted::clone(wanted), generation }, told);
                }
                let state = locked(&self.state);
                let told = told.map(|told| state.told(told));
                let obstacle = state.obstacle(&wanted.source);
                let judge = Judge::of_component(wanted, state.active.clone(), told.as_ref(), obstacle);
                judge.with_unkept(state.why_unkept.clone())
            }
        }
    }

    /// A change of the resource that leaves the policy as it is begins the task anew only if that may help.
    fn is_news(&self, wanted: &Wanted, generation: i64) -> bool {
        let Some(asked) = &self.asked else { return true };
        let may_help = is_resolved_always(&wanted.source) || !locked(&self.state).is_current;
        asked.wanted != *wanted || (asked.generation != generation && may_help)
    }

    fn begin(&mut self, asked: Asked, told: Option<&PolicyStatus>) {
        let is_active = locked(&self.state).active.is_some();
        let pinned = told.filter(|told| !is_active && told.digest.is_some()).cloned();
        let before = pinned.as_ref().filter(|pinned| pinned.kept).and_then(|pinned| pinned.digest);
        let before = before.map(|digest| self.policies.keep().hold(digest, &self.namespace));
        // A state of its own: the task before may be about to write the one that it has.
        let anew = locked(&self.state).anew(before);
        self.state = Arc::new(Mutex::new(anew));
        let task = Task {
            policies: self.policies.clone(),
            namespace: self.namespace.clone(),
            wanted: asked.wanted.clone(),
            state: Arc::clone(&self.state),
            wake: Arc::clone(&self.wake),
        };
        self.asked = Some(asked);
        self.task = JoinSet::new();
        self.task.spawn(task.run(pinned));
    }
}

impl From<&LoadError> for Obstacle {
    fn from(error: &LoadError) -> Self {
        Self::new(error.reason(), chain(error))
    }
}

fn is_resolved_always(source: &Source) -> bool {
    matches!(source, Source::Image { pull_policy: PullPolicy::Always, .. })
}

fn names_keys(source: &Source) -> bool {
    matches!(source, Source::Image { public_keys, .. } if !public_keys.is_empty())
}

/// Whether that came from there. A digest in the name is worth as much as the name.
fn is_from(status: &PolicyStatus, source: &Source) -> bool {
    match source {
        Source::Image { image, .. } => {
            let by_digest = image.digest().is_some() && image.digest() == status.image_digest;
            by_digest || status.image.as_ref() == Some(&image.to_string())
        }
        Source::ConfigMap(named) => status.config_map.as_ref() == Some(named),
    }
}

/// Whether it is what is named, as far as a name tells.
fn is_named(active: &Active, wanted: &Wanted) -> bool {
    is_from(active.status(), &wanted.source) && *active.settings() == wanted.settings
}
