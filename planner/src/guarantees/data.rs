//! 4.3 to 4.6: whose data counts, who seeds, and what may be replaced.

use super::{holds, in_outage, ordered, proposed, runs, sends, serving};
use crate::fixture::{holder, measure, memory, name, record, stopped_set};
use crate::key::KeyKind;
use crate::memory::{Base, Outage};
use crate::observation::Command;
use crate::plan::News;
use crate::position::{History, Position};
use crate::record::Reading;
use crate::target::Storage;
use crate::timer::{Age, Timer};
use crate::{Memory, Plan, Record, decide};

fn read_set(positions: [u64; 3]) -> Memory {
    in_outage(memory(positions.iter().zip(0..).map(|(at, n)| record(n).confirmed_in(1).at(*at))))
}

fn seeds(plan: &Plan) -> bool {
    runs(plan).any(|run| run.command == Command::Seed)
}

#[test]
fn a_claim_of_the_newest_epoch_that_is_gone_is_lost_data() {
    let mut seen = proposed(stopped_set(3), 0);
    seen.replicas.remove(&name(2));
    let plan = decide(&seen, &read_set([9, 5, 5]));
    assert!(seeds(&plan), "read before it went");
    let mut known = read_set([9, 5, 5]);
    known.holders.get_mut(&holder(2)).unwrap().reading = None;
    let plan = decide(&seen, &known);
    assert!(!seeds(&plan) && holds(&plan, "LostData"), "{:?}", plan.holds);
}

#[test]
fn beside_a_record_that_cannot_be_read_nothing_starts() {
    let mut seen = proposed(stopped_set(3), 0);
    seen.replicas.get_mut(&name(2)).unwrap().claims[0].unreadable = true;
    let plan = decide(&seen, &read_set([9, 5, 5]));
    assert!(!seeds(&plan) && holds(&plan, "RecordUnreadable"));
}

#[test]
fn the_seed_holds_what_the_epoch_began_with_if_that_can_be_compared() {
    for (outage, expected) in [(1, false), (0, true)] {
        let mut known = read_set([9, 5, 5]);
        known.epoch.base = Some(Base { position: Position::Ordinal(20), measure: measure(outage) });
        let plan = decide(&proposed(stopped_set(3), 0), &known);
        assert_eq!(seeds(&plan), expected, "a base of outage {outage}");
        assert_eq!(holds(&plan, "BelowBase"), !expected);
    }
}

#[test]
fn two_that_have_parted_wait_for_a_person() {
    let history = |source: &str| Reading::At(Position::History(History::up_to(source, 5)));
    let parted =
        ["a", "b", "b"].iter().zip(0..).map(|(source, n)| record(n).confirmed_in(1).reads(history(source)));
    let parted: Vec<_> = parted.collect();
    for size in [2, 3] {
        let known = parted[..size as usize].to_vec();
        let plan = decide(&proposed(stopped_set(size), 0), &in_outage(memory(known)));
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "Diverged").unwrap();
        let kinds: Vec<KeyKind> = hold.keys.iter().map(|key| key.kind).collect();
        assert!(!seeds(&plan) && kinds.contains(&KeyKind::AcceptSeed));
        assert_eq!(
            kinds.contains(&KeyKind::AcceptLoss),
            size == 3,
            "of two, both keys would give up all data"
        );
    }
}

#[test]
fn after_a_pause_the_list_of_candidates_is_made_anew() {
    let mut known = read_set([9, 9, 5]);
    known.outage = Some(Outage { candidates: Some(vec![holder(1)]), ..Outage::default() });
    known.paused = true;
    assert_eq!(decide(&stopped_set(3), &known).memory.outage.unwrap().candidates, None);
}

#[test]
fn whom_a_person_named_seeds_beside_one_that_cannot_be_read() {
    let mut seen = proposed(stopped_set(3), 1);
    seen.replicas.get_mut(&name(2)).unwrap().pod = None;
    let mut known = read_set([9, 5, 5]);
    known.holders.get_mut(&holder(2)).unwrap().reading = None;
    assert!(!seeds(&decide(&seen, &known)));
    known.outage.as_mut().unwrap().named = Some(holder(1));
    assert!(sends(&decide(&seen, &known), Command::Seed, 1));
}

fn fresh(records: Vec<Record>, epoch: u64) -> Memory {
    let mut known = in_outage(memory(records));
    known.epoch.number = epoch;
    known
}

#[test]
fn the_first_bootstrap_waits_for_every_claim_and_is_only_for_sets_that_never_ran() {
    let new = |n| record(n).reads(Reading::Empty);
    let mut seen = proposed(stopped_set(3), 0);
    let all = || (0..3).map(new).collect::<Vec<_>>();
    assert!(seeds(&decide(&seen, &fresh(all(), 0))));
    assert!(!seeds(&decide(&seen, &fresh(all(), 1))), "there was an epoch once");
    seen.replicas.remove(&name(2));
    assert!(!seeds(&decide(&seen, &fresh(vec![new(0), new(1)], 0))), "a claim is not there yet");
}

#[test]
fn an_earlier_try_of_the_first_bootstrap_goes_first() {
    let mut tried = record(1).reads(Reading::Empty).starts(1);
    tried.reading.as_mut().unwrap().starts = 1;
    let known = || fresh(vec![record(0).reads(Reading::Empty), tried.clone()], 0);
    assert!(!seeds(&decide(&proposed(stopped_set(2), 0), &known())));
    assert!(sends(&decide(&proposed(stopped_set(2), 1), &known()), Command::Seed, 1));
}

#[test]
fn a_claimless_set_that_lost_everything_begins_anew_and_says_so() {
    let mut seen = proposed(stopped_set(1), 0);
    seen.target.storage = Storage::Pod;
    seen.replicas.get_mut(&name(0)).unwrap().claims.clear();
    let mut known = fresh(Vec::new(), 3);
    let mut new = Record::new(crate::HolderId::Pod("pod-0".into()), name(0), known.epoch.clone());
    new = new.reads(Reading::Empty);
    known.holders.insert(new.holder.clone(), new);
    let plan = decide(&seen, &known);
    assert!(seeds(&plan) && plan.news.contains(&News::DataGone), "{:?} {:?}", plan.steps, plan.news);
}

#[test]
fn without_wanted_primaries_nobody_seeds() {
    let mut seen = proposed(stopped_set(3), 0);
    (seen.target.has_secondary, seen.target.primaries) = (true, 0);
    assert!(!seeds(&decide(&seen, &read_set([9, 5, 5]))));
}

#[test]
fn a_bare_number_of_another_outage_does_not_make_data_expendable() {
    for (outage, expected) in [(1, true), (0, false)] {
        let seen = ordered(serving(2, 1), &[0, 1]);
        let mut known = memory([record(0).confirmed_in(2).open_start("a"), record(1).confirmed_in(1).at(8)]);
        known.epoch.base = Some(Base { position: Position::Ordinal(9), measure: measure(outage) });
        assert_eq!(sends(&decide(&seen, &known), Command::Join, 1), expected, "a base of outage {outage}");
    }
}

#[test]
fn an_order_that_is_not_of_these_members_starts_nobody() {
    let known = memory([record(0).confirmed_in(1).open_start("a"), record(1).confirmed_in(1)]);
    let plan = decide(&ordered(serving(2, 1), &[1]), &known);
    assert!(!sends(&plan, Command::Join, 1) && holds(&plan, "OrderRefused"));
    let told: Vec<String> = plan.holds.iter().map(|hold| hold.reason.to_string()).collect();
    assert!(told.iter().any(|told| told.contains("it is not an order of x-0, x-1")), "{told:?}");
}

#[test]
fn one_joins_at_a_time_and_one_past_its_timeout_frees_the_place() {
    let seen = || ordered(serving(3, 1), &[0, 1, 2]);
    let mut joining = record(1).confirmed_in(1).open_start("j");
    (joining.joining, joining.open[0].confirmed) = (true, false);
    let known = memory([record(0).confirmed_in(1).open_start("a"), joining, record(2).confirmed_in(1)]);
    let plan = decide(&seen(), &known);
    assert!(!sends(&plan, Command::Join, 2) && holds(&plan, "JoinsBusy"));
    let mut late = seen();
    late.ages.insert(Timer::Deadline("j".into()), Age::Ripe);
    assert!(sends(&decide(&late, &known), Command::Join, 2));
}

#[test]
fn a_policy_that_cannot_be_asked_holds_what_needs_it_and_nothing_else() {
    let away = |mut seen: crate::Observation| {
        seen.verdicts = crate::Verdicts { unavailable: Some("no digest".to_owned()), ..Default::default() };
        seen
    };
    let unread = decide(&away(stopped_set(3)), &memory([0, 1, 2].map(|n| record(n).confirmed_in(1))));
    assert!(unread.steps.is_empty() && holds(&unread, "PolicyUnavailable"), "{:?}", unread.steps);
    let read = decide(&away(stopped_set(3)), &read_set([9, 5, 5]));
    assert!(!seeds(&read) && holds(&read, "PolicyUnavailable"));
    let known = memory([0, 1].map(|n| record(n).confirmed_in(1).open_start("a")));
    let running = decide(&away(serving(2, 2)), &known);
    assert!(!holds(&running, "PolicyUnavailable"), "{:?}", running.holds);
}

#[test]
fn a_set_with_a_claim_made_from_another_is_looked_after_when_its_status_is_lost() {
    for original in [record(7).confirmed_in(1).at(9), record(7).confirmed_in(1).open_start("a")] {
        let mut seen = stopped_set(1);
        let original = Record { replica: name(0), ..original };
        seen.replicas.get_mut(&name(0)).unwrap().claims[0].record = Some(original);
        let plan = decide(&seen, &Memory::default());
        assert_eq!(crate::audit(&seen, &Memory::default(), &plan), Ok(()), "{:?}", plan.memory);
    }
}
