//! A plan in the making: an identity is promised as it is given, so that no rule can forget to.

use crate::hold::Hold;
use crate::look::Look;
use crate::memory::Why;
use crate::names::Identity;
use crate::observation::Pod;
use crate::plan::{Cause, Plan, Step};

/// A plan in the making.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    pub(crate) look: Look<'a>,
    pub(crate) plan: Plan,
}

// === impl Draft ===

impl<'a> Draft<'a> {
    pub(crate) fn new(look: Look<'a>) -> Self {
        Self { look, plan: Plan::default() }
    }

    /// With what is to be remembered.
    pub(crate) fn end(self) -> Plan {
        Plan { memory: self.look.memory, ..self.plan }
    }

    pub(crate) fn hold(&mut self, hold: Hold) {
        if !self.plan.holds.contains(&hold) {
            self.plan.holds.push(hold);
        }
    }

    /// Adds a step, if its identity has none.
    pub(crate) fn step(&mut self, step: Step) {
        if self.plan.steps.iter().all(|other| other.identity() != step.identity()) {
            self.plan.steps.push(step);
        }
    }

    pub(crate) fn delete(&mut self, identity: &Identity, pod: &Pod, cause: Cause) {
        self.step(Step::DeletePod { identity: identity.clone(), if_pod: pod.uid.clone(), cause });
    }

    /// Gives a name that nobody ever had; `false` if none is left in this look.
    pub(crate) fn create(&mut self, why: Why) -> bool {
        let look = &self.look;
        let used = |identity: &&Identity| {
            look.memory.given.contains_key(*identity)
                || look.seen.pods.contains_key(*identity)
                || look.seen.claims.keys().any(|(of, _)| of == *identity)
        };
        let Some(identity) = look.seen.fresh.iter().find(|name| !used(name)).cloned() else { return false };
        let revision = look.revision().clone();
        let memory = &mut self.look.memory;
        memory.given.insert(identity.clone(), why);
        match why {
            Why::Growth => memory.grown += 1,
            Why::Replacement => memory.spent.extend([identity.clone()]),
            Why::Update | Why::Return => {}
        }
        self.step(Step::CreatePod { identity, revision, why });
        true
    }

    /// Makes the pod of an identity that has its claims, and whose pod is no more.
    pub(crate) fn create_again(&mut self, identity: &Identity) {
        let (revision, why) = (self.look.revision().clone(), Why::Return);
        self.look.memory.given.insert(identity.clone(), why);
        self.step(Step::CreatePod { identity: identity.clone(), revision, why });
    }
}
