//! What is waited for before anybody is seeded, and whom a person may give up meanwhile.

use super::seed;
use super::tests::{outage, proposes, read_set, seeded};
use crate::draft::Draft;
use crate::fixture::{memory, name, record, stopped_set};
use crate::look::Look;
use crate::observation::Role;
use crate::plan::Scope;
use crate::position::{History, Position};
use crate::record::Reading;
use crate::{Step, decide};

#[test]
fn only_beside_a_follower_of_this_epoch_somebody_is_promoted_and_not_read_as_for_a_seed() {
    for (epoch, expected) in [(1, "Unread"), (2, "NoPromotion")] {
        let mut seen = stopped_set(3).answers(2, 0);
        (seen.target.has_secondary, seen.target.primaries) = (true, 1);
        (seen.pod_mut(2).active, seen.pod_mut(2).role) = (Some(true), Some(Role::Secondary));
        let follower = record(2).confirmed_in(epoch).open_start("a");
        let known = outage(memory([record(0).confirmed_in(2), record(1).confirmed_in(2), follower]));
        let plan = decide(&seen, &known);
        let of_first = plan.holds.iter().filter(|hold| hold.scope == Scope::Replica(name(0)));
        let told: Vec<&str> = of_first.map(|hold| hold.reason.name()).collect();
        assert_eq!(told.first(), Some(&expected), "a follower of epoch {epoch}: {told:?}");
    }
}

/// Who is seeded by the rule alone, where this member has the label of clients.
fn seeded_beside(labelled: u32) -> Option<String> {
    let mut seen = proposes(stopped_set(3), 1);
    seen.pod_mut(labelled).active = Some(true);
    let known = read_set([3, 9, 5]);
    let look = Look::new(&seen, known);
    let mut draft = Draft::new(&look, Vec::new());
    seed(&mut draft);
    seeded(&draft.plan)
}

#[test]
fn nobody_is_seeded_before_clients_are_led_to_nobody() {
    for labelled in 0..3 {
        assert_eq!(seeded_beside(labelled), None, "{labelled} has a label");
        let mut seen = proposes(stopped_set(3), 1);
        seen.pod_mut(labelled).active = Some(true);
        let withdrawn = decide(&seen, &read_set([3, 9, 5])).steps;
        let is_of_it = |step: &Step| matches!(step, Step::Label { active: false, .. });
        assert!(withdrawn.len() == 1 && withdrawn.iter().all(is_of_it), "{withdrawn:?}");
        seen.pod_mut(labelled).active = Some(false);
        let plan = decide(&seen, &read_set([3, 9, 5]));
        assert_eq!((seeded(&plan).as_deref(), plan.steps.len()), (Some("x-1"), 1), "{:?}", plan.steps);
    }
}

#[test]
fn what_is_not_read_yet_may_be_given_up_where_it_had_data_and_is_waited_for_where_it_never_had() {
    let confirmed = |n| record(n).confirmed_in(1);
    for (known, expected) in [
        (vec![confirmed(0), confirmed(1), confirmed(2).at(5)], true),
        (vec![confirmed(0), confirmed(1)], false),
        (vec![record(0), record(1)], false),
    ] {
        let size = u32::try_from(known.len()).unwrap();
        let plan = decide(&stopped_set(size), &outage(memory(known)));
        let unread = plan.holds.iter().filter(|hold| hold.reason.name() == "Unread");
        let keys: Vec<bool> = unread.map(|hold| !hold.keys.is_empty()).collect();
        assert_eq!(keys, [expected, expected], "{:?}", plan.holds);
    }
}

#[test]
fn what_was_read_and_is_gone_is_lost_unless_somebody_who_is_there_holds_all_of_it() {
    let line = |(line, last): (&str, u64)| Reading::At(Position::History(History::up_to(line, last)));
    for (others, expected) in [
        ([("a", 5), ("a", 3)], vec![Some("LostData")]),
        ([("a", 9), ("a", 3)], Vec::new()),
        ([("a", 9), ("b", 9)], vec![None]),
    ] {
        let mut seen = proposes(stopped_set(3), 1);
        seen.replicas.remove(&name(0));
        let records = [("a", 9), others[0], others[1]].into_iter().zip(0..);
        let known = records.map(|(held, n)| record(n).confirmed_in(1).reads(line(held)));
        let plan = decide(&seen, &outage(memory(known)));
        let is_of_it = |hold: &crate::Hold| hold.scope == Scope::Replica(name(0));
        let told = plan.holds.iter().map(|hold| is_of_it(hold).then(|| hold.reason.name()));
        assert_eq!(told.collect::<Vec<_>>(), expected, "{others:?}: {:?}", plan.holds);
    }
}
