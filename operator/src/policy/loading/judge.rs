//! Who decides, and what people are told of it.

use std::sync::Arc;

use largest_integer::LargestInteger;
use native_policy::Native;
use planner::Decisions;
use planner::names::Reader;
use serde_json::Value;

use super::{LONGEST, is_named};
use crate::api::{PolicyStatus, Reason};
use crate::policy::question::Question;
use crate::policy::record::Record;
use crate::policy::{Active, Policy as Asked, Settings};
use crate::target::{Policy, Source, Wanted};

static ANY: Native<LargestInteger> = Native(LargestInteger { monotonic: false });
static MONOTONIC: Native<LargestInteger> = Native(LargestInteger { monotonic: true });

/// Who is asked in a look.
#[derive(Clone)]
pub enum Decider {
    /// The operator's own policy.
    Builtin(Arc<Asked<'static>>),
    /// A component.
    Component(Arc<Active>),
    /// Nobody, and why: the default never takes the place of a policy that was asked for.
    Nobody(String),
}

/// Why what the resource names does not decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// One word of the closed set.
    pub reason: Reason,
    /// The same for people.
    pub message: String,
}

/// Who judges for a set, and what people are told of it.
#[derive(Clone)]
pub struct Judge {
    /// Who is asked.
    pub decider: Decider,
    /// The policy that decides, or decided last, as the status has it.
    pub active: Option<PolicyStatus>,
    /// Why what the resource names does not.
    pub obstacle: Option<Obstacle>,
    /// It has the name and the settings that the resource gives; a tag may stand for another one by now.
    pub is_named: bool,
    /// Why what decides is not kept in the cluster, where that does not pass by itself.
    pub unkept: Option<Obstacle>,
}

impl Decider {
    /// Whom to ask.
    ///
    /// # Errors
    /// Why there is nobody.
    pub fn decisions(&self) -> Result<&dyn Decisions, &str> {
        match self {
            Self::Builtin(policy) => Ok(policy.as_ref()),
            Self::Component(active) => Ok(active.as_ref()),
            Self::Nobody(why) => Err(why),
        }
    }

    /// What it makes of a question that was recorded. None: there is nobody, or nothing that is decided.
    pub(in crate::policy) fn put(&self, question: &Question) -> Option<Record> {
        match self {
            Self::Component(active) => active.put(question),
            Self::Builtin(policy) => policy.put(question),
            Self::Nobody(_) => None,
        }
    }

    /// What it decided since this was last called.
    #[must_use]
    pub fn take_records(&self) -> Vec<Record> {
        match self {
            Self::Component(active) => active.take_records(),
            Self::Builtin(policy) => policy.take_records(),
            Self::Nobody(_) => Vec::new(),
        }
    }
}

impl Obstacle {
    /// A condition takes no more than 32 KiB, and what it holds is compared with what is to be told.
    pub(in crate::policy) fn new(reason: Reason, mut message: String) -> Self {
        message.truncate(message.floor_char_boundary(LONGEST));
        Self { reason, message }
    }

    pub(super) fn loading(source: &Source) -> Self {
        let message = match source {
            Source::Image { image, .. } => format!("{image} is being loaded"),
            Source::ConfigMap(named) => {
                format!("ConfigMap {}, key {} is being loaded", named.name, named.key)
            }
        };
        Self { reason: Reason::PolicyLoading, message }
    }
}

impl Judge {
    /// The operator's own policy decides, as the resource wants it.
    #[must_use]
    pub fn builtin(settings: LargestInteger) -> Self {
        let policy: &Native<LargestInteger> = if settings.monotonic { &MONOTONIC } else { &ANY };
        let told = Policy::told(settings);
        let map = told.settings.clone().unwrap_or_default().0;
        // The operator's own are within the bounds of settings.
        let decider = Asked::builtin(Settings::new(map).unwrap_or_default(), policy);
        let decider = Decider::Builtin(Arc::new(decider));
        Self { decider, active: Some(told), obstacle: None, is_named: true, unkept: None }
    }

    /// Nobody is asked.
    pub(in crate::policy) fn nobody(obstacle: Obstacle) -> Self {
        let decider = Decider::Nobody(obstacle.message.clone());
        Self { decider, active: None, obstacle: Some(obstacle), is_named: false, unkept: None }
    }

    /// A component decides, or what decided before it, or nobody.
    pub(super) fn of_component(
        wanted: &Wanted,
        active: Option<Arc<Active>>,
        told: Option<&PolicyStatus>,
        obstacle: Option<Obstacle>,
    ) -> Self {
        if let Some(active) = active {
            // What decides has the name, and not the signature that goes with it by now.
            let is_refused =
                obstacle.as_ref().is_some_and(|obstacle| obstacle.reason == Reason::SignatureRefused);
            let is_named = is_named(&active, wanted) && !is_refused;
            let status = Some(active.told());
            let decider = Decider::Component(active);
            return Self { decider, active: status, obstacle, is_named, unkept: None };
        }
        if let Some(builtin) = told.filter(|told| told.builtin.is_some()) {
            let settings = builtin.settings.clone().unwrap_or_default().0;
            // The operator wrote them when the resource had them.
            let settings = Value::Object(settings).to_string().parse().unwrap_or_default();
            return Self { obstacle, is_named: false, ..Self::builtin(settings) };
        }
        let obstacle = obstacle.unwrap_or_else(|| Obstacle::loading(&wanted.source));
        let decider = Decider::Nobody(obstacle.message.clone());
        // What is told of it stays: by that it is found when the cluster has it again.
        Self { decider, active: told.cloned(), obstacle: Some(obstacle), is_named: false, unkept: None }
    }

    /// The same, with why what decides is not kept, if it is not.
    pub(super) fn with_unkept(self, why: Option<String>) -> Self {
        let is_kept = self.active.as_ref().is_none_or(|active| active.kept);
        let unkept = why.filter(|_| !is_kept).map(|why| Obstacle::new(Reason::PolicyNotKept, why));
        Self { unkept, ..self }
    }

    /// Whether anybody decides.
    #[must_use]
    pub fn decides(&self) -> bool {
        !matches!(self.decider, Decider::Nobody(_))
    }

    /// Who reads positions, if anybody does.
    #[must_use]
    pub fn reader(&self) -> Option<Reader> {
        self.active.as_ref().filter(|_| self.decides()).map(PolicyStatus::reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_decides_reads_and_while_nobody_does_nobody_reads() {
        let builtin = |monotonic| Judge::builtin(LargestInteger { monotonic });
        assert_eq!(builtin(false).reader(), builtin(false).reader());
        assert_ne!(builtin(false).reader(), builtin(true).reader(), "other settings");
        let nobody = Judge { decider: Decider::Nobody(String::new()), ..builtin(true) };
        assert_eq!(nobody.reader(), None, "what decided before is told of still");
    }
}
