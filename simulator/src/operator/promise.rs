//! What is about to be done is written down first: on the claims, then in the status, each write
//! bound to the version that the decision was made on.

use super::observe::template;
use super::{Action, Operator};
use crate::world::api::View;
use planner::{Memory, Observation, Plan, holder_of};
use std::cmp::Reverse;

impl Operator {
    /// Puts the effects of a plan into their order.
    pub(super) fn promise(&mut self, view: &View, seen: &Observation, memory: &Memory, plan: &Plan) {
        let mut writes = Vec::new();
        for replica in seen.replicas.values().filter(|_| seen.target.has_claims()) {
            let Some(record) = holder_of(replica, &seen.target).and_then(|id| plan.memory.holders.get(&id))
            else {
                continue;
            };
            let differing =
                view.claims.get(&replica.ordinal).filter(|c| c.shown.record.as_ref() != Some(record));
            writes.extend(differing.map(|claim| (replica.ordinal, record.clone(), claim.version)));
        }
        writes.sort_by_key(|(_, record, _)| Reverse(record.confirmed));
        for (ordinal, record, version) in writes {
            self.queue.push_back(Action::Record { ordinal, record: Box::new(record), version });
        }
        if *memory != plan.memory {
            let (memory, version) = (Box::new(plan.memory.clone()), view.resource.version);
            self.queue.push_back(Action::Memory { memory, version });
        }
        if self.book.has_news(seen) {
            self.queue.push_back(Action::Forget(Box::new(seen.clone())));
        }
        self.queue.extend(plan.steps.iter().map(|step| Action::Enact(Box::new(step.clone()))));
        let wanted = template(view, &plan.memory);
        let behind = view.workload.as_ref().is_none_or(|workload| workload.revision != wanted);
        if behind && !seen.target.paused {
            self.queue.push_back(Action::Children(wanted));
        }
    }
}
