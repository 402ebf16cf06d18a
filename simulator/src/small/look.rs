//! One look: what is so becomes an observation, the planner's plan, and the effects that it asks for.

use super::enact::Effect;
use super::lie::{self, Lie};
use super::member::{Member, Process};
use super::names::Kept;
use super::{Rules, State};
use planner::timer::Ripening;
use planner::{Memory, Observation, Plan, questions};

/// How long nothing was to be done before a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Patience {
    /// No while at all.
    None,
    /// Seconds: a blip is over, and nothing else is.
    Short,
    /// Longer than anything ripens.
    Long,
}

/// What ripens in a short while, in seconds.
const SHORT: u64 = 5;

impl Patience {
    pub(super) fn ripens(self, ripening: &Ripening) -> bool {
        match self {
            Self::None => false,
            Self::Short => ripening.seconds <= SHORT,
            Self::Long => true,
        }
    }
}

impl State {
    /// Looks, and has in mind what the plan asks for. False if there is nothing to be done.
    pub(crate) fn look(&mut self, rules: &Rules, patience: Patience, silent: Option<usize>) -> bool {
        let (seen, memory) = self.observe(rules, patience, silent);
        self.go_by(rules, &seen, &memory)
    }

    /// Has in mind what this look leads to.
    pub(super) fn go_by(&mut self, rules: &Rules, seen: &Observation, memory: &Memory) -> bool {
        let plan = (rules.decide)(seen, memory);
        self.check(rules, seen, memory, &plan);
        self.intend(seen, memory, &plan)
    }

    /// Looks, and is told this by the policy.
    pub(crate) fn look_by(&mut self, rules: &Rules, patience: Patience, lie: Lie) -> bool {
        let (mut seen, memory) = self.observe(rules, patience, None);
        lie.tell(&questions(&seen, &memory), &mut seen);
        self.go_by(rules, &seen, &memory)
    }

    /// What else a policy could say in this look, where that leads to something else.
    pub(crate) fn lies(&self, rules: &Rules, patience: Patience) -> Vec<Lie> {
        let (seen, memory) = self.observe(rules, patience, None);
        let asked = questions(&seen, &memory);
        let plan = |seen: &Observation| {
            let plan = (rules.decide)(seen, &memory);
            (plan.steps, plan.memory)
        };
        let mut plans = vec![plan(&seen)];
        let mut all = lie::all(&asked, rules.options.replicas);
        all.retain(|lie| {
            let mut seen = seen.clone();
            lie.tell(&asked, &mut seen);
            let plan = plan(&seen);
            let is_new = !plans.contains(&plan);
            plans.extend(is_new.then_some(plan));
            is_new
        });
        all
    }

    fn check(&mut self, rules: &Rules, seen: &Observation, memory: &Memory, plan: &Plan) {
        if let Err(what) = crate::oracle::of_plan(seen, memory, plan) {
            self.find_breach(|| format!("by what was answered: {what}"));
        }
        if rules.audited
            && let Err(what) = crate::audit::audit(seen, memory, plan)
        {
            self.find_breach(|| format!("the audit refuses the plan: {what}"));
        }
    }

    fn intend(&mut self, seen: &Observation, memory: &Memory, plan: &Plan) -> bool {
        self.serial.name("n");
        self.life.remember(seen, &plan.memory);
        let mut queue = self.records(seen, plan);
        if *memory != plan.memory {
            let (memory, version) = (Kept::new(plan.memory.clone()), self.version.clone());
            queue.push(Effect::Memory { memory, version });
        }
        let known = self.life.known(seen);
        let news = !known.is_empty();
        if news {
            queue.push(Effect::Forget(known));
        }
        let is_new = |step: &&planner::Step| !self.life.knows(step);
        queue.extend(plan.steps.iter().filter(is_new).map(|step| Effect::Step(Kept::new(step.clone()))));
        let has_effects = !queue.is_empty();
        self.life.queue = queue;
        let runs = |member: &Member| member.process.as_ref().is_some_and(Process::runs);
        let served = (0..self.members.len()).filter(|at| has_effects && runs(&self.members[*at]));
        self.life.served = served.collect();
        self.life.stale = false;
        self.forget();
        has_effects
    }

    /// Each claim's record where it differs, those that were confirmed last first.
    fn records(&self, seen: &Observation, plan: &Plan) -> Vec<Effect> {
        let mut records = Vec::new();
        for (at, replica) in seen.replicas.values().enumerate() {
            let holder = planner::holder_of(replica, &seen.target);
            let Some(record) = holder.and_then(|holder| plan.memory.holders.get(&holder)) else { continue };
            let member = &self.members[at];
            if member.record.as_deref() != Some(record) {
                let (claim, version) = (member.claim.clone(), member.version.clone());
                records.push((
                    record.confirmed,
                    Effect::Record { at, claim, record: Kept::new(record.clone()), version },
                ));
            }
        }
        records.sort_by_key(|(confirmed, _)| std::cmp::Reverse(*confirmed));
        records.into_iter().map(|(_, effect)| effect).collect()
    }
}
