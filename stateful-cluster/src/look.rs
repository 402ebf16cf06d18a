//! What follows from one look and what was remembered.

use crate::memory::{Memory, Why};
use crate::names::Identity;
use crate::observation::{Birth, Life, Observation, Pod, Trust};
use crate::plan::Cause;
use crate::target::{Revision, Update};
use crate::timer::Timer;
use std::collections::BTreeSet;

/// One look, with Memory brought up to date.
#[derive(Clone, Debug)]
pub(crate) struct Look<'a> {
    pub(crate) seen: &'a Observation,
    pub(crate) memory: Memory,
}

// === impl Look ===

impl<'a> Look<'a> {
    /// Pods that nobody has told to end.
    pub(crate) fn standing(&self) -> impl Iterator<Item = (&'a Identity, &'a Pod)> {
        self.seen.pods.iter().filter(|(_, pod)| !pod.leaving)
    }

    pub(crate) fn count(&self) -> u32 {
        number(self.standing().count())
    }

    /// Identities that were given and are not seen: their pods may come.
    pub(crate) fn coming(&self) -> u32 {
        number(self.memory.given.keys().filter(|identity| self.may_come(identity)).count())
    }

    fn may_come(&self, identity: &Identity) -> bool {
        self.memory.given.contains_key(identity) && !self.seen.pods.contains_key(identity)
    }

    /// An owner decides who goes.
    pub(crate) fn is_owned(&self) -> bool {
        self.seen.target.released.is_some()
    }

    /// An owner decides who goes, and has not given this one up.
    pub(crate) fn is_kept(&self, identity: &Identity) -> bool {
        self.seen.target.released.as_ref().is_some_and(|released| !released.contains(identity))
    }

    /// It has something of its own that its owner may need.
    pub(crate) fn has_claims(&self, identity: &Identity) -> bool {
        self.seen.claims.iter().any(|((of, _), claim)| of == identity && !claim.leaving)
    }

    /// Those that do not stand and keep their place all the same: their owner has not given up what their claims hold.
    pub(crate) fn missed(&self) -> BTreeSet<&'a Identity> {
        let stands = |identity: &Identity| self.seen.pods.get(identity).is_some_and(|pod| !pod.leaving);
        let claims = self.seen.claims.iter().filter(|(_, claim)| !claim.leaving);
        let of_claims = claims.map(|((identity, _), _)| identity);
        of_claims.filter(|of| self.is_kept(of) && !stands(of) && !self.may_come(of)).collect()
    }

    /// Places that are taken: by who stands, by who may come, and by who is missed.
    pub(crate) fn places(&self) -> u32 {
        self.count() + self.coming() + number(self.missed().len())
    }

    /// What may run, and what may come. A pod that was told to end on a node of which nothing is heard is set aside:
    /// its place is not kept, for nobody can say until when.
    pub(crate) fn alive(&self) -> u32 {
        let alive = |pod: &&Pod| pod.may_run() && !(pod.leaving && pod.is_unheard());
        number(self.seen.pods.values().filter(alive).count()) + self.coming()
    }

    /// The template that pods are brought to: the wanted one, or the one before it where that did not become available.
    pub(crate) fn revision(&self) -> &Revision {
        let wanted = &self.seen.target.revision;
        let taken_back = self.memory.failed.as_ref() == Some(wanted);
        self.memory.proven.as_ref().filter(|_| taken_back).unwrap_or(wanted)
    }

    /// It is being brought out, and there is one to go back to. Where an owner decides who goes, it takes templates back, too.
    pub(crate) fn is_trial(&self, revision: &Revision) -> bool {
        !self.is_owned()
            && revision == self.revision()
            && self.memory.proven.as_ref().is_some_and(|proven| proven != revision)
    }

    /// The template that is brought out has to show by this pod that it works.
    pub(crate) fn is_on_trial(&self, identity: &Identity, pod: &Pod) -> bool {
        self.is_trial(&pod.revision) && !self.memory.excused.contains(identity)
    }

    /// It has the template that pods are brought to, does not work with it, and could.
    pub(crate) fn fails(&self, identity: &Identity, pod: &Pod) -> bool {
        let is_excused = pod.is_unheard() || self.memory.excused.contains(identity);
        pod.revision == *self.revision() && !is_steady(pod) && !is_excused
    }

    /// Why a pod cannot stay.
    pub(crate) fn condemned(&self, identity: &Identity, pod: &Pod) -> Option<Cause> {
        let uid = || pod.uid.clone();
        match pod.life {
            _ if pod.leaving => None,
            Life::Ended => Some(Cause::Ended),
            _ if pod.is_unheard() => self.seen.is_ripe(&Timer::Unheard(uid())).then_some(Cause::Stranded),
            // What a new template did is no fault of the pod, nor that a claim is refused.
            Life::Starting | Life::Unready
                if !self.is_on_trial(identity, pod) && !self.lacks(identity, pod) =>
            {
                self.seen.is_ripe(&Timer::Unhealthy(uid())).then_some(Cause::Unhealthy)
            }
            Life::Starting | Life::Unready | Life::Available => None,
        }
    }

    /// It cannot start for want of a claim that was refused.
    pub(crate) fn lacks(&self, identity: &Identity, pod: &Pod) -> bool {
        pod.life == Life::Starting && self.seen.refused.iter().any(|(of, _)| of == identity)
    }

    /// Why a pod goes: where an owner decides, because it was given up and is no surplus, or ended and has nothing to come
    /// back to; else because it cannot stay.
    pub(crate) fn goes(&self, identity: &Identity, pod: &Pod) -> Option<Cause> {
        if !self.is_owned() {
            return self.condemned(identity, pod);
        }
        if self.is_kept(identity) {
            let is_over = pod.life == Life::Ended && !pod.leaving && !self.has_claims(identity);
            return is_over.then_some(Cause::Ended);
        }
        let given_up = !pod.leaving;
        (given_up && self.count() <= self.seen.target.replicas).then_some(Cause::Released)
    }

    /// Pods are brought to the wanted template by us. Where an owner decides who goes, it decides that too.
    pub(crate) fn brings_templates(&self) -> bool {
        self.seen.target.update == Update::Rolling && !self.is_owned()
    }

    /// A pod of the template that is brought out is not available, and others wait for it.
    pub(crate) fn is_surging(&self) -> bool {
        self.is_rolling() && self.standing().any(|(_, pod)| self.is_new(pod) && !is_steady(pod))
    }

    /// Pods are brought to a template that needs other pods.
    pub(crate) fn is_rolling(&self) -> bool {
        self.brings_templates() && self.standing().any(|(_, pod)| !self.is_new(pod))
    }

    pub(crate) fn is_new(&self, pod: &Pod) -> bool {
        pod.revision.lasting == self.revision().lasting
    }

    /// Places of those that were made, and are free: what was never made is missed by nobody.
    pub(crate) fn missing(&self) -> u32 {
        self.memory.grown.saturating_sub(self.places())
    }

    /// How many may still be replaced in this window, with those that are missing already.
    pub(crate) fn budget_left(&self) -> u32 {
        self.seen.target.budget.saturating_sub(number(self.memory.spent.len()) + self.missing())
    }

    /// No pod of this will come: what it was given for counts for nothing, unless one was made. A size is still asked for
    /// where nobody knows whether one was; but then it may have been made and removed, and counts as a replacement.
    fn give_back(&mut self, identity: &Identity, given_for: Option<Why>) {
        match (given_for, self.seen.births.get(identity)) {
            // Whoever removed it: else there were no end to what is made and removed at once.
            (_, Some(Birth::Gone)) => {}
            (Some(Why::Growth), _) => self.memory.grown = self.memory.grown.saturating_sub(1),
            (Some(Why::Replacement), Some(Birth::Refused)) => drop(self.memory.spent.remove(identity)),
            (Some(Why::Replacement | Why::Update | Why::Return) | None, _) => {}
        }
    }
}

/// Places that are free in this look: of those that are gone, and whose places others may take.
#[must_use]
pub fn missing(seen: &Observation, memory: &Memory) -> u32 {
    recall(seen, memory).missing()
}

/// It is available, and says so itself.
pub(crate) fn is_well(pod: &Pod) -> bool {
    pod.life == Life::Available && !pod.is_unheard()
}

/// The same, and it does not only look so between two crashes.
pub(crate) fn is_steady(pod: &Pod) -> bool {
    is_well(pod) && pod.trust != Trust::Flaps
}

/// Brings Memory up to date with a look.
pub(crate) fn recall<'a>(seen: &'a Observation, memory: &Memory) -> Look<'a> {
    let mut look = Look { seen, memory: memory.clone() };
    // One that the caches do not have yet would be unknown to the next look.
    look.memory.given.retain(|identity, _| !seen.pods.get(identity).is_some_and(|pod| pod.cached));
    let will_not_come: Vec<_> =
        look.memory.given.keys().filter(|name| will_not_come(seen, name)).cloned().collect();
    for identity in will_not_come {
        let why = look.memory.given.remove(&identity);
        look.give_back(&identity, why);
    }
    look.memory.spent.retain(|identity| !seen.is_ripe(&Timer::Spent(identity.clone())));
    let is_ill = |pod: &Pod| !pod.leaving && !is_well(pod);
    look.memory.excused.retain(|identity| seen.pods.get(identity).is_some_and(is_ill));
    // Without a memory those that stand were asked for by the size.
    look.memory.grown = look.memory.grown.max(look.count()).min(seen.target.replicas);
    if look.memory.failed.as_ref() != Some(&seen.target.revision) || look.is_owned() {
        look.memory.failed = None;
    }
    look
}

/// There is no such pod and will be none, or nobody can have it land any more.
fn will_not_come(seen: &Observation, identity: &Identity) -> bool {
    if seen.pods.contains_key(identity) {
        return false;
    }
    let is_over = matches!(seen.births.get(identity), Some(Birth::Refused | Birth::Gone));
    is_over || seen.is_ripe(&Timer::Unknown(identity.clone()))
}

pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
