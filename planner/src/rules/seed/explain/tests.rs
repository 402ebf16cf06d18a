use super::super::tests::{outage, proposes, read_set, seeded};
use crate::decision::Verdict;
use crate::fixture::{container, holder, measure, memory, name, record, stopped_set};
use crate::hold::Reason;
use crate::key::KeyKind;
use crate::memory::Base;
use crate::observation::Command;
use crate::plan::News;
use crate::position::{History, Position};
use crate::record::{HolderId, Reading};
use crate::timer::{Age, Timer};
use crate::{Memory, Observation, Plan, Record, Step, decide};

/// A set that is read, and began its epoch with this in that outage.
fn began_with(base: Position, outage: u64) -> Memory {
    let mut known = read_set([3, 9, 5]);
    known.epoch.base = Some(Base { position: base, measure: measure(outage) });
    known
}

fn began_by_another(base: Position) -> Memory {
    let mut known = began_with(base, 1);
    known.epoch.base.as_mut().unwrap().measure.reader = Some("another".into());
    known
}

#[test]
fn what_the_epoch_began_with_is_compared_only_where_it_can_be_and_a_person_decides() {
    let history = || Position::History(History::up_to("a", 7));
    for (sentence, known, reason) in [
        ("inside what is read", began_with(Position::Ordinal(9), 1), None),
        ("more than is read", began_with(Position::Ordinal(10), 1), Some("BelowBase")),
        ("a number of another outage", began_with(Position::Ordinal(10), 0), None),
        ("a number of another reader", began_by_another(Position::Ordinal(10)), None),
        ("another kind of another reader", began_by_another(history()), Some("BaseOfOtherKind")),
        ("another kind", began_with(history(), 1), Some("BaseOfOtherKind")),
        ("another kind of another outage", began_with(history(), 0), Some("BaseOfOtherKind")),
    ] {
        let mut seen = proposes(stopped_set(3), 1);
        let plan = decide(&seen, &known);
        let told: Vec<&str> = plan.holds.iter().map(|hold| hold.reason.name()).collect();
        assert_eq!(told, reason.into_iter().collect::<Vec<_>>(), "{sentence}");
        assert_eq!(seeded(&plan).is_some(), reason.is_none(), "{sentence}");
        for hold in &plan.holds {
            let words = hold.reason.to_string();
            assert!(words.starts_with("x-1 is best"), "{words}");
            let key = hold.keys.iter().find(|key| key.kind == KeyKind::AcceptSeed && key.subject == "x-1");
            seen.target.keys = vec![key.unwrap().clone()];
            let plan = decide(&seen, &plan.memory);
            assert_eq!(seeded(&plan).as_deref(), Some("x-1"), "{sentence}: a person named it");
            let start = plan.memory.of(&name(1)).next().unwrap().open[0].clone();
            assert_eq!(start.from, Some(Position::Ordinal(9)), "the next epoch begins with what is read now");
        }
    }
}

#[test]
fn a_base_of_another_kind_is_told_with_what_it_was_and_what_is_read_now() {
    let words = |base: Position| {
        let plan = decide(&proposes(stopped_set(3), 1), &began_with(base, 1));
        plan.holds[0].reason.to_string()
    };
    let told = words(Position::History(History::up_to("a", 7)));
    assert!(
        told.contains("now, a bare number (9), but this epoch began with a history (a:0-7), read by"),
        "{told}"
    );
    let long = words(Position::History(History::up_to(&"é".repeat(100), 7)));
    assert!(long.contains("...") && long.len() < 400, "{long}");
}

/// Data of the newest epoch is gone for good: what is left is of an older one.
fn only_older(second: Record) -> Memory {
    let mut known =
        outage(memory([record(0).confirmed_in(2).at(9), record(1).confirmed_in(1).at(5), second]));
    known.epoch.number = 2;
    known.holders.get_mut(&crate::fixture::holder(0)).unwrap().waived = true;
    known
}

#[test]
fn where_only_data_that_does_not_count_is_left_it_is_read_and_a_person_names_whom_to_start() {
    let mut seen = proposes(stopped_set(3), 2);
    let plan = decide(&seen, &only_older(record(2).confirmed_in(1)));
    assert!(
        matches!(&plan.steps[..], [Step::Run(run)] if run.command == Command::Read && run.replica == name(2))
    );
    assert!(plan.holds[0].reason.to_string().ends_with("; x-0: 9; x-1: 5; x-2: not read yet"));
    let known = only_older(record(2).confirmed_in(1).at(7));
    let plan = decide(&seen, &known);
    let [hold] = &plan.holds[..] else { panic!("{:?}", plan.holds) };
    assert_eq!((hold.reason.name(), plan.steps.len()), ("NoneOfEpoch", 0));
    let subjects: Vec<&str> = hold.keys.iter().map(|key| key.subject.as_str()).collect();
    assert_eq!(subjects, ["x-0", "x-1", "x-2"]);
    seen.target.keys = vec![hold.keys[2].clone()];
    assert_eq!(seeded(&decide(&seen, &plan.memory)).as_deref(), Some("x-2"));
}

#[test]
fn those_who_hold_something_are_offered_before_those_who_hold_nothing() {
    let mut known = only_older(record(2).confirmed_in(1).at(9));
    for (ordinal, reading) in [(0, Reading::Empty), (1, Reading::Unreadable("no".to_owned()))] {
        known.holders.insert(holder(ordinal), record(ordinal).confirmed_in(1).reads(reading));
    }
    let plan = decide(&proposes(stopped_set(3), 2), &known);
    let subjects: Vec<String> =
        offered(&plan, "NoneOfEpoch").into_iter().map(|(_, subject)| subject).collect();
    assert_eq!(subjects, ["x-2", "x-0", "x-1"]);
}

#[test]
fn of_older_data_what_cannot_be_read_is_asked_again_later() {
    let known = only_older(record(2).confirmed_in(1).reads(Reading::Unreadable("no".to_owned())));
    let mut seen = proposes(stopped_set(3), 2);
    let plan = decide(&seen, &known);
    assert!(plan.steps.is_empty() && plan.holds[0].reason.to_string().ends_with("; x-2: unreadable"));
    seen.ages.insert(Timer::Unreadable(name(2), container(2)), Age::Ripe);
    let steps = decide(&seen, &known).steps;
    assert!(matches!(&steps[..], [Step::Run(run)] if run.command == Command::Read), "{steps:?}");
}

#[test]
fn whom_a_person_named_is_read_again_and_others_can_be_named_meanwhile() {
    let mut known = only_older(record(2).confirmed_in(1));
    known.outage.as_mut().unwrap().named = Some(crate::fixture::holder(2));
    let mut seen = proposes(stopped_set(3), 1);
    assert!(matches!(&decide(&seen, &known).steps[..], [Step::Run(run)] if run.command == Command::Read));
    seen.replicas.get_mut(&name(2)).unwrap().pod = None;
    let plan = decide(&seen, &known);
    let hold = plan.holds.iter().find(|hold| hold.reason == Reason::Unread(name(2), None)).unwrap();
    seen.target.keys = vec![hold.keys.iter().find(|key| key.subject == "x-1").unwrap().clone()];
    assert_eq!(seeded(&decide(&seen, &plan.memory)).as_deref(), Some("x-1"));
}

/// Whose keys the hold of this name offers, with their kinds.
fn offered(plan: &Plan, reason: &str) -> Vec<(KeyKind, String)> {
    let hold = plan.holds.iter().find(|hold| hold.reason.name() == reason);
    let hold = hold.unwrap_or_else(|| panic!("{reason} in {:?}", plan.holds));
    hold.keys.iter().map(|key| (key.kind, key.subject.clone())).collect()
}

#[test]
fn a_key_is_offered_only_where_it_opens_something() {
    use KeyKind::{AcceptLoss, AcceptSeed};
    let key = |kind: KeyKind, ordinal: u32| (kind, name(ordinal).0);
    let seeds = || (0..3).map(|ordinal| key(AcceptSeed, ordinal)).collect::<Vec<_>>();
    let seen = proposes(stopped_set(3), 1);
    let below = began_with(Position::Ordinal(10), 1);
    assert_eq!(offered(&decide(&seen, &below), "BelowBase"), seeds(), "less is left whoever is given up");
    let line = |line: &str| Reading::At(Position::History(History::up_to(line, 9)));
    let parted = || {
        let records = [("a", 0), ("b", 1)].map(|(at, n)| record(n).confirmed_in(1).reads(line(at)));
        let third = record(2).confirmed_in(1).reads(Reading::At(Position::History(History::default())));
        outage(memory(records.into_iter().chain([third])))
    };
    let losses = [key(AcceptLoss, 0), key(AcceptLoss, 1)];
    let all: Vec<_> = seeds().into_iter().chain(losses.clone()).collect();
    assert_eq!(offered(&decide(&seen, &parted()), "Diverged"), all, "the third has not parted from them");
    let mut away = seen.clone();
    away.verdicts.unavailable = Some("it is away".to_owned());
    let plan = decide(&away, &parted());
    assert_eq!(offered(&plan, "Diverged"), losses, "nobody is asked about a seed that is named");
    assert_eq!(offered(&plan, "PolicyUnavailable"), []);
    let mut refuses = seen.clone();
    refuses.verdicts.seed = Some(Verdict::Missing("no".to_owned()));
    assert_eq!(offered(&decide(&refuses, &read_set([9, 9, 5])), "NoSeedVerdict"), seeds());
    let others = [key(AcceptSeed, 1), key(AcceptSeed, 2)];
    let plan = decide(&refuses, &read_set([9, 7, 5]));
    assert_eq!(offered(&plan, "NoSeedVerdict"), others, "it was asked about x-0 alone");
    let mut gone = proposes(stopped_set(3), 0);
    gone.replicas.get_mut(&name(0)).unwrap().pod = None;
    let plan = decide(&gone, &read_set([9, 9, 5]));
    let hold = plan.holds.iter().find(|hold| !hold.keys.is_empty()).unwrap();
    let subjects: Vec<&str> = hold.keys.iter().map(|key| key.subject.as_str()).collect();
    assert_eq!(
        (hold.reason.name(), &subjects[..]),
        ("NotRunning", &["x-1", "x-2"][..]),
        "it is to start already"
    );
}

#[test]
fn whom_a_person_names_the_policy_is_asked_about_alone_and_its_answer_to_that_uses_the_key() {
    let refuses = |mut seen: Observation| {
        seen.verdicts.seed = Some(Verdict::Missing("which?".to_owned()));
        seen
    };
    let known = read_set([9, 9, 5]);
    for ordinal in [1, 2] {
        let plan = decide(&refuses(stopped_set(3)), &known);
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "NoSeedVerdict").unwrap();
        let mut seen = stopped_set(3);
        seen.target.keys = vec![hold.keys.iter().find(|key| key.subject == name(ordinal).0).unwrap().clone()];
        let asked = crate::questions(&seen, &known).seed.unwrap();
        assert_eq!(asked.iter().map(|one| one.ordinal).collect::<Vec<_>>(), [ordinal]);
        let plan = decide(&proposes(seen.clone(), ordinal), &known);
        assert_eq!(seeded(&plan), Some(name(ordinal).0));
        assert!(plan.news.contains(&News::KeyUsed(seen.target.keys[0].text())), "{:?}", plan.news);
    }
}

/// Member 1 has another claim than the one that was read, and of the new one this was read.
fn another_claim(known: &mut Memory, new: Reading) -> Observation {
    let mut seen = stopped_set(3);
    let claim = crate::names::ClaimUid::from("claim-new");
    seen.replicas.get_mut(&name(1)).unwrap().claims[0].uid = claim.clone();
    let record = Record { holder: HolderId::Claims(vec![claim]), ..record(1).reads(new) };
    known.holders.insert(record.holder.clone(), record);
    seen
}

#[test]
fn data_that_was_read_and_is_gone_is_given_up_by_a_person_unless_somebody_who_is_there_holds_it_all() {
    for (sentence, positions, seeds) in [
        ("it held the most", [3, 9, 5], None),
        ("another holds as much", [3, 9, 9], Some("x-2")),
        ("another holds more", [3, 5, 9], Some("x-2")),
    ] {
        for new in [Reading::Empty, Reading::At(Position::Ordinal(0))] {
            let mut known = read_set(positions);
            let seen = another_claim(&mut known, new);
            let asked = crate::questions(&seen, &known).seed.into_iter().flatten();
            let asked: Vec<String> = asked.map(|one| one.replica.0).collect();
            assert_eq!(asked, seeds.into_iter().collect::<Vec<_>>(), "{sentence}");
            let mut seen = proposes(seen, 2);
            let plan = decide(&seen, &known);
            assert_eq!(seeded(&plan).as_deref(), seeds, "{sentence}: {:?}", plan.holds);
            if seeds.is_none() {
                let [hold] = &plan.holds[..] else { panic!("{:?}", plan.holds) };
                assert_eq!(
                    hold.reason,
                    Reason::LostData(name(1), "the claim that kept it is not there any more".into())
                );
                seen.target.keys.clone_from(&hold.keys);
                assert_eq!(
                    seeded(&decide(&seen, &plan.memory)).as_deref(),
                    Some("x-2"),
                    "{sentence}: given up"
                );
            }
        }
    }
}

#[test]
fn whom_a_person_named_and_whose_data_is_gone_since_does_not_seed_by_its_name() {
    let mut known = read_set([3, 9, 5]);
    known.outage.as_mut().unwrap().named = Some(holder(1));
    let seen = another_claim(&mut known, Reading::Empty);
    let plan = decide(&proposes(seen, 1), &known);
    assert_eq!((seeded(&plan), plan.holds[0].reason.name()), (None, "LostData"), "{:?}", plan.holds);
}
