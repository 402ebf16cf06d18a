//! Bugs of a plan for a set that people keep to themselves: nothing new is remembered of it.

use super::{Case, Planted, each_is_caught, running};
use crate::audit::Rule;
use crate::fixture::{name, rehearsal};
use crate::memory::Outage;
use crate::record::Reading;

const REMEMBERED: &[Planted] = &[
    ("an epoch", &[Rule::HandsOff], |case| case.plan.memory.epoch.number += 1),
    ("that data is gone", &[Rule::HandsOff], |case| case.plan.memory.holders.clear()),
    ("an outage", &[Rule::HandsOff], |case| case.plan.memory.outage = Some(Outage::default())),
    ("that there was an outage", &[Rule::HandsOff], |case| case.plan.memory.outages += 1),
    ("the size before", &[Rule::HandsOff], |case| case.plan.memory.restore_replicas = Some(9)),
    ("a repair", &[Rule::HandsOff], |case| {
        case.plan.memory.repairs.insert(name(2), 1);
    }),
    ("a container without a lock", &[Rule::HandsOff], |case| {
        case.plan.memory.lockless.insert("container-2".into());
    }),
    ("a template that runs", &[Rule::HandsOff], |case| case.plan.memory.good = Some("r9".into())),
    ("a template that cannot start", &[Rule::HandsOff], |case| case.plan.memory.refused = Some(9)),
    ("a key", &[Rule::HandsOff], |case| {
        case.plan.memory.used_keys.insert("AcceptLoss/x-0/0a1b".into());
    }),
    ("what a member said while it ran", &[Rule::HandsOff], |case| {
        case.plan.memory.rehearsals.insert(name(2), rehearsal(2, Reading::Empty));
    }),
];

#[test]
fn nothing_new_is_remembered_of_a_set_that_is_paused() {
    let mut world = running(false);
    world.seen.target.paused = true;
    each_is_caught(&Case::settled(world), REMEMBERED);
}
