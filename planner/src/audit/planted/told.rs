//! Bugs that tell clients what is not so.

use super::{Case, Planted, each_is_caught, running};
use crate::audit::Rule;
use crate::fixture::name;
use crate::observation::Role;
use crate::plan::Step;

/// Of a primary and two secondaries.
const TOLD: &[Planted] = &[
    ("a label before any epoch", &[Rule::Label], |case| {
        case.before_any_epoch();
        case.label(name(2), true);
    }),
    ("a label while members are in two groups", &[Rule::Label], |case| {
        case.in_groups(["a", "b"]);
        case.label(name(2), true);
    }),
    ("a primary is called a secondary", &[Rule::Label], |case| case.call(0, Role::Secondary)),
    ("a secondary is called a primary", &[Rule::Label], |case| case.call(1, Role::Primary)),
    ("one that runs is called stopped", &[Rule::Label], |case| case.call(2, Role::Stopped)),
];

impl Case {
    /// As if the set never had an epoch.
    pub(super) fn before_any_epoch(&mut self) {
        (self.memory.epoch, self.plan.memory.epoch) = Default::default();
        (0..3).for_each(|n| {
            self.always(n, |record| (record.confirmed, record.epoch) = Default::default());
        });
    }

    /// The first members say that they are of these groups, and that is written down.
    pub(super) fn in_groups(&mut self, groups: [&str; 2]) {
        let split = groups[0] != groups[1];
        let epoch = Some(self.plan.memory.epoch.clone()).filter(|_| split);
        self.plan.memory.holders.values_mut().for_each(|record| record.parted.clone_from(&epoch));
        self.seen.in_groups(groups);
    }

    fn call(&mut self, ordinal: u32, role: Role) {
        self.label(name(ordinal), true);
        let Some(Step::Label { role: told, .. }) = self.plan.steps.last_mut() else { return };
        *told = Some(role);
    }
}

#[test]
fn clients_are_told_what_is_so() {
    let case = Case::settled(running(true));
    let mut sound = case.clone();
    (0..3).for_each(|n| sound.call(n, if n == 0 { Role::Primary } else { Role::Secondary }));
    sound.in_groups(["a", "a"]);
    assert_eq!(sound.breaches(), [].into(), "each by its role, in one group");
    each_is_caught(&case, TOLD);
}
