//! A failover in which an outage was noted, because for one look nobody seemed to run.

use super::tests::{orders, started};
use crate::fixture::{headless, holder, measure, name, tried};
use crate::key::{Key, KeyKind};
use crate::memory::{Memory, Outage};
use crate::{Observation, Position, decide};

/// The old primary holds 9, which was read in this outage; its followers said what they hold before it.
fn noted() -> (Observation, Memory) {
    let (mut seen, mut known) = headless(9, [4, 9]);
    orders(&mut seen, &[2]);
    known.outage = Some(Outage::default());
    (seen, known)
}

#[test]
fn an_old_primary_whose_seed_came_to_nothing_waits_for_a_person_also_where_an_outage_was_noted() {
    let (seen, mut known) = noted();
    let best = known.holders.get_mut(&holder(2)).unwrap();
    best.running.iter_mut().for_each(|taken| taken.reading = crate::Reading::At(Position::Ordinal(7)));
    let old = known.holders.get_mut(&holder(0)).unwrap();
    old.tried = Some(tried(0, Some(Position::Ordinal(9)), ""));
    let plan = decide(&seen, &known);
    assert_eq!((started(&plan), crate::audit(&seen, &known, &plan)), (Vec::new(), Ok(())));
    let keys = plan.holds.iter().flat_map(|hold| &hold.keys);
    let again: Vec<Key> = keys.filter(|key| key.kind == KeyKind::AcceptSeed).cloned().collect();
    assert_eq!(again.len(), 1, "{:?}", plan.holds);
    let mut allowed = seen;
    allowed.target.keys = again;
    let after = decide(&allowed, &plan.memory);
    assert_eq!(
        (started(&after), crate::audit(&allowed, &plan.memory, &after)),
        (vec!["Seed x-0".into()], Ok(()))
    );
}

#[test]
fn what_a_follower_said_as_a_bare_number_before_an_outage_was_noted_is_asked_anew() {
    let (seen, mut known) = noted();
    let plan = decide(&seen, &known);
    assert_eq!((started(&plan), crate::audit(&seen, &known, &plan)), (vec!["Promote x-2".into()], Ok(())));
    known.outages += 1;
    let old = known.holders.get_mut(&holder(0)).unwrap();
    old.reading.iter_mut().for_each(|taken| taken.measure = measure(known.outages));
    let plan = decide(&seen, &known);
    assert_eq!((started(&plan), crate::audit(&seen, &known, &plan)), (Vec::new(), Ok(())));
    let is_asked = |n| {
        plan.holds
            .iter()
            .any(|hold| hold.reason.name() == "Unread" && hold.reason.to_string().contains(&name(n).0))
    };
    assert!(is_asked(1) && is_asked(2), "{:?}", plan.holds);
}
