//! What happens when nothing goes wrong any more: everything that is under way comes to its end, and the
//! operator looks until it finds nothing to do.

use super::look::Patience;
use super::moves::{Budget, Move};
use super::{Rules, State};
use planner::observation::Command;
use planner::{Plan, Step};
use std::borrow::Cow;

impl State {
    /// As it is, and from now on nothing goes wrong.
    pub(crate) fn calmed(&self, rules: &Rules) -> Cow<'_, Self> {
        if self.is_calm() {
            return Cow::Borrowed(self);
        }
        let mut calm = self.clone();
        calm.left = Budget::NOTHING;
        calm.frozen.clear();
        calm.tidy(rules);
        Cow::Owned(calm)
    }

    /// Nothing goes wrong from here on.
    pub(crate) fn is_calm(&self) -> bool {
        self.left == Budget::NOTHING && self.frozen.is_empty()
    }

    /// What happens before an operator looks.
    pub(crate) fn first(&self) -> Option<Move> {
        let acts = (!self.life.queue.is_empty()).then_some(Move::Effect);
        acts.or_else(|| self.by_itself().into_iter().next())
    }

    /// The next that happens; nothing once the world is at rest.
    pub(crate) fn next(&self, rules: &Rules) -> Option<(Move, Self)> {
        if let Some(what) = self.first() {
            return Some((what, self.after(rules, what)));
        }
        for patience in [Patience::None, Patience::Short, Patience::Long] {
            if patience == Patience::Long && self.only_asks_again(rules) {
                return None;
            }
            let (next, acts) = self.looked(rules, patience);
            if acts || next.breach.is_some() {
                return Some((Move::Look(patience), next));
            }
        }
        None
    }

    /// The plan of a set that was left alone for long.
    pub(crate) fn plan_at_rest(&self, rules: &Rules) -> Plan {
        self.plan(rules, Patience::Long)
    }

    /// The plan of a look after such a while.
    pub(crate) fn plan(&self, rules: &Rules, patience: Patience) -> Plan {
        let (seen, memory) = self.observe(rules, patience, None);
        (rules.decide)(&seen, &memory)
    }

    /// While a person is awaited it is asked now and then whether the reason is still there.
    fn only_asks_again(&self, rules: &Rules) -> bool {
        let plan = self.plan_at_rest(rules);
        let asks = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Read);
        let unchanged = self.status.as_deref().is_some_and(|memory| *memory == plan.memory);
        let awaits = plan.holds.iter().any(|hold| hold.reason.needs_person());
        unchanged && awaits && !plan.steps.is_empty() && plan.steps.iter().all(asks)
    }
}
