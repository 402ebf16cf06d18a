//! Bugs that offer a person what nobody should need.

use super::{Case, Planted, Right, each_is_caught, each_is_right, power_cut};
use crate::audit::Rule;
use crate::fixture::{name, start};
use crate::hold::{Hold, Reason, Scope};
use crate::key::{Key, KeyKind};
use crate::observation::Absence;
use crate::record::Reading;

/// Of three that were read, of which the last has no pod.
const OFFERED: &[Planted] = &[
    ("what a quota keeps away may be given up", &[Rule::Offer], |case| {
        case.always(2, |record| record.reading = None);
        case.offer(KeyKind::AcceptLoss, "x-2");
    }),
    ("so may what cannot be read", &[Rule::Offer], |case| {
        case.always(2, |record| {
            record.reading.as_mut().unwrap().reading = Reading::Unreadable("exit 1".to_owned());
        });
        case.offer(KeyKind::AcceptLoss, "x-2");
    }),
    ("its start is vouched for", &[Rule::Offer], |case| {
        case.always(2, |record| record.open = vec![start(2, "old")]);
        case.offer(KeyKind::AssertFenced, "pod-2");
    }),
    ("all may be given up", &[Rule::Offer], |case| {
        ["x-0", "x-1", "x-2"].into_iter().for_each(|subject| case.offer(KeyKind::AcceptLoss, subject));
    }),
    ("so may all but what has nothing", &[Rule::Offer], |case| {
        case.always(0, |record| record.reading.as_mut().unwrap().reading = Reading::Empty);
        ["x-1", "x-2"].into_iter().for_each(|subject| case.offer(KeyKind::AcceptLoss, subject));
    }),
];

const RIGHT: &[Right] = &[
    ("two of three may be given up", |case| {
        ["x-0", "x-1"].into_iter().for_each(|subject| case.offer(KeyKind::AcceptLoss, subject));
    }),
    ("what it holds is known", |case| case.offer(KeyKind::AcceptLoss, "x-2")),
    ("nobody knows that it comes back", |case| {
        case.always(2, |record| record.reading = None);
        case.offer(KeyKind::AcceptLoss, "x-2");
        case.absent(false);
    }),
    ("the node of its start is lost", |case| {
        case.always(2, |record| record.open = vec![start(2, "old")]);
        case.offer(KeyKind::AssertFenced, "pod-2");
        case.seen.nodes.get_mut(&"node-2".into()).unwrap().ready = false;
    }),
    ("its claim is gone", |case| {
        case.always(2, |record| record.reading = None);
        case.offer(KeyKind::AcceptLoss, "x-2");
        case.seen.replicas.get_mut(&name(2)).unwrap().claims.clear();
    }),
];

impl Case {
    /// A hold offers this.
    fn offer(&mut self, kind: KeyKind, subject: &str) {
        let key = Key::bound(kind, subject.to_owned(), &self.seen, &self.plan.memory);
        let reason = Reason::Unread(subject.into(), None);
        self.plan.holds.push(Hold { scope: Scope::Set, reason, keys: vec![key], cause: None });
    }

    /// The last member has no pod, and the cluster says why.
    fn absent(&mut self, recovers: bool) {
        let replica = self.seen.replicas.get_mut(&name(2)).unwrap();
        replica.pod = None;
        replica.absence = Some(Absence { why: "FailedCreate".to_owned(), recovers });
    }
}

#[test]
fn nobody_is_offered_to_give_up_what_can_be_kept() {
    let mut case = Case::that_seeds(power_cut());
    case.plan.steps.clear();
    case.plan.holds.clear();
    case.plan.memory = case.memory.clone();
    case.absent(true);
    each_is_caught(&case, OFFERED);
    each_is_right(&case, RIGHT);
}
