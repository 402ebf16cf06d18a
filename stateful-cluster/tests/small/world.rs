//! The cluster as it is, what the operator believes of it, and all that may happen next.

mod land;
mod law;
mod made;
mod settle;

use std::collections::{BTreeMap, BTreeSet};

use stateful_cluster::memory::Memory;
use stateful_cluster::names::{ClaimTemplate, Identity};
use stateful_cluster::observation::{Birth, Claim, Life, Node, Observation, Pod};
use stateful_cluster::plan::Step;
use stateful_cluster::target::Retention;
use stateful_cluster::timer::{Age, Timer};
use stateful_cluster::{Target, audit, decide, timers};

use made::{again, target};

/// How far a world goes.
pub(crate) struct Limits {
    /// Names that are ever drawn.
    pub(crate) births: u32,
    /// Operators that die.
    pub(crate) crashes: u32,
    /// Nodes that are lost, pods that somebody deletes, requests that are refused.
    pub(crate) losses: u32,
    /// Identities that an owner gives up.
    pub(crate) releases: u32,
    /// An operator may decide on what it saw before.
    pub(crate) stale: bool,
}

/// The pods and claims that the API server has, or had.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Shown {
    pods: BTreeMap<Identity, Pod>,
    claims: BTreeMap<(Identity, ClaimTemplate), Claim>,
}

/// What an operator could do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fault {
    /// Its generator of names begins anew after a crash.
    NamesAnew,
    /// It makes the pods again that were promised before a crash.
    SentAnew,
    /// It does not know that an owner decides who goes.
    Unasked,
    /// It does not know that claims are to stay.
    Empties,
    /// It does not see who mounts a claim, nor the pods that do.
    Blind,
}

/// One state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct World {
    /// A planted fault.
    fault: Option<Fault>,
    replicas: u32,
    now: Shown,
    cache: Shown,
    memory: Memory,
    /// Decided and written down, not yet sent.
    to_send: Vec<Step>,
    /// Sent by whoever lives or lived, not yet landed.
    on_the_way: BTreeSet<Step>,
    /// Creations of whoever lives now, whose answer will be heard.
    births: BTreeSet<Identity>,
    /// Claims that were refused to whoever lives now.
    refused: BTreeSet<(Identity, ClaimTemplate)>,
    ages: BTreeMap<Timer, Age>,
    drawn: u32,
    /// Pods that were made of each identity.
    made: BTreeMap<Identity, u32>,
    crashes: u32,
    losses: u32,
    /// Claims whose pods are gone stay.
    retains: bool,
    /// A claim that was deleted and was to stay, or was mounted.
    misused: Option<String>,
    /// Whom an owner has given up, if one decides who goes.
    released: Option<BTreeSet<Identity>>,
    /// Identities whose application ran in their first pod: their claims hold something. A claim that lands once its pod
    /// is gone, and its place is another's, is none of them.
    filled: BTreeSet<Identity>,
}

/// Takes what happens, and how it changes a world.
type May<'a> = dyn FnMut(String, &dyn Fn(&mut World)) + 'a;

// === impl World ===

impl World {
    pub(crate) fn new(replicas: u32) -> Self {
        Self { replicas, ..Self::default() }
    }

    pub(crate) fn with(self, fault: Fault) -> Self {
        Self { fault: Some(fault), ..self }
    }

    /// Where an owner decides who goes.
    pub(crate) fn owned(self) -> Self {
        Self { released: Some(BTreeSet::new()), ..self }
    }

    /// Where claims stay.
    pub(crate) fn retaining(self) -> Self {
        Self { retains: true, ..self }
    }

    /// Everything that may happen next.
    pub(crate) fn events(&self, limits: &Limits) -> Vec<(String, Self)> {
        let mut next = Vec::new();
        let mut may = |what: String, change: &dyn Fn(&mut Self)| {
            let mut world = self.clone();
            change(&mut world);
            if world != *self {
                next.push((what, world));
            }
        };
        let left = limits.births.saturating_sub(self.drawn);
        may("a look".into(), &|world| world.look(left, !limits.stale));
        may("the caches are up to date".into(), &|world| world.cache = world.now.clone());
        may("a request is sent".into(), &Self::send);
        for step in &self.on_the_way {
            may(format!("it lands: {step:?}"), &|world| world.land(step));
        }
        // The budget is never spent here: that a replacement is forgotten changes nothing.
        let timers = timers(&self.seen(0), &self.memory).into_keys();
        for timer in timers.filter(|timer| !matches!(timer, Timer::Spent(_))) {
            may(format!("it ripens: {timer:?}"), &|world| world.ripen(&timer));
        }
        for identity in self.now.pods.keys() {
            may(format!("{identity} goes on"), &|world| world.go_on(identity));
        }
        if self.crashes < limits.crashes {
            may("the operator dies".into(), &Self::crash);
        }
        if self.losses < limits.losses {
            self.lose(&mut may);
        }
        let released = self.released.iter().flatten().count();
        for identity in self.filled.iter().filter(|_| released < limits.releases as usize) {
            may(format!("{identity} is given up"), &|world| world.release(identity));
        }
        next
    }

    fn lose(&self, may: &mut May<'_>) {
        for identity in self.now.pods.keys() {
            let change = |world: &mut Self, change: fn(&mut Pod)| {
                world.losses += 1;
                world.now.pods.get_mut(identity).into_iter().for_each(change);
            };
            may(format!("the node of {identity} is lost"), &|world| {
                change(world, |pod| pod.node = Node::Silent)
            });
            may(format!("somebody deletes {identity}"), &|world| change(world, |pod| pod.leaving = true));
            if self.released.is_some() {
                may(format!("{identity} ends"), &|world| change(world, |pod| pod.life = Life::Ended));
            }
        }
        for step in &self.on_the_way {
            let Step::CreateClaim { identity, template, .. } = step else { continue };
            may(format!("the claim of {identity} is refused"), &|world| {
                world.losses += 1;
                world.on_the_way.remove(step);
                world.refused.insert((identity.clone(), template.clone()));
            });
        }
        for step in self.on_the_way.iter().filter(|step| matches!(step, Step::CreatePod { .. })) {
            may(format!("{} is refused", step.identity()), &|world| {
                world.losses += 1;
                world.on_the_way.remove(step);
            });
            may(format!("the answer to {} is lost", step.identity()), &|world| {
                world.losses += 1;
                world.births.remove(step.identity());
            });
        }
    }

    fn seen(&self, names: u32) -> Observation {
        let name = |number: u32| Identity(format!("db-{number}"));
        Observation {
            target: Target {
                released: self.released(),
                when_removed: self.when_removed(),
                ..target(self.replicas)
            },
            pods: self.pods(),
            taken: BTreeMap::new(),
            claims: self.claims(),
            births: self.births.iter().map(|identity| (identity.clone(), self.birth(identity))).collect(),
            any_heard: true,
            refused: self.refused.clone(),
            rejected: BTreeSet::new(),
            fresh: (self.drawn..self.drawn + names).map(name).collect(),
            ages: self.ages.clone(),
        }
    }

    fn released(&self) -> Option<BTreeSet<Identity>> {
        self.released.clone().filter(|_| self.fault != Some(Fault::Unasked))
    }

    fn when_removed(&self) -> Retention {
        let retains = self.retains && self.fault != Some(Fault::Empties);
        if retains { Retention::Retain } else { Retention::Delete }
    }

    fn claims(&self) -> BTreeMap<(Identity, ClaimTemplate), Claim> {
        let mut claims = self.cache.claims.clone();
        if self.fault == Some(Fault::Blind) {
            claims.values_mut().for_each(|claim| claim.mounted_by.clear());
        }
        claims
    }

    fn release(&mut self, identity: &Identity) {
        self.released.iter_mut().for_each(|released| released.extend([identity.clone()]));
    }

    /// As the caches have them; whoever was given and is not there is looked for.
    fn pods(&self) -> BTreeMap<Identity, Pod> {
        let given = |identity: &Identity| self.memory.given.contains_key(identity);
        let found = self.now.pods.iter().filter(|(identity, _)| given(identity));
        let found = found.map(|(identity, pod)| (identity.clone(), Pod { cached: false, ..pod.clone() }));
        let cached = self.cache.pods.clone().into_iter();
        found.chain(cached.filter(|(_, pod)| !(pod.leaving && self.fault == Some(Fault::Blind)))).collect()
    }

    fn birth(&self, identity: &Identity) -> Birth {
        let on_the_way = self.may_land(identity) || self.now.pods.contains_key(identity);
        if on_the_way {
            Birth::Sent
        } else if self.made.contains_key(identity) {
            Birth::Gone
        } else {
            Birth::Refused
        }
    }

    fn may_land(&self, identity: &Identity) -> bool {
        let same = |step: &Step| matches!(step, Step::CreatePod { identity: of, .. } if of == identity);
        self.on_the_way.iter().any(same) || self.to_send.iter().any(same)
    }

    fn look(&mut self, names: u32, up_to_date: bool) {
        if !self.to_send.is_empty() {
            return;
        }
        if up_to_date {
            self.cache = self.now.clone();
        }
        let seen = self.seen(names);
        let plan = decide(&seen, &self.memory);
        assert_eq!(audit(&seen, &self.memory, &plan), Ok(()), "{seen:#?}\n{plan:#?}");
        let births = plan.steps.iter().filter(|step| matches!(step, Step::CreatePod { .. })).count();
        self.drawn += u32::try_from(births).expect("a small world");
        self.births.retain(|identity| plan.memory.given.contains_key(identity));
        (self.memory, self.to_send) = (plan.memory, plan.steps);
        let hold = timers(&self.seen(0), &self.memory);
        self.ages.retain(|timer, _| hold.contains_key(timer));
    }

    fn send(&mut self) {
        if self.to_send.is_empty() {
            return;
        }
        let step = self.to_send.remove(0);
        if let Step::CreatePod { identity, .. } = &step {
            self.births.insert(identity.clone());
        }
        self.on_the_way.insert(step);
    }

    /// A request that nobody sent any more cannot land: that is what is waited for.
    fn ripen(&mut self, timer: &Timer) {
        if !matches!(timer, Timer::Unknown(identity) if self.may_land(identity)) {
            self.ages.insert(timer.clone(), Age::Ripe);
        }
    }

    fn crash(&mut self) {
        self.crashes += 1;
        (self.to_send, self.births, self.refused, self.ages) = Default::default();
        self.cache = self.now.clone();
        match self.fault {
            Some(Fault::NamesAnew) => self.drawn = 0,
            Some(Fault::SentAnew) => self.to_send = self.memory.given.iter().map(again).collect(),
            Some(Fault::Unasked | Fault::Empties | Fault::Blind) | None => {}
        }
    }
}
