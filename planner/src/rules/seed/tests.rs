use crate::decision::Verdict;
use crate::fixture::{container, holder, memory, name, record, start, stopped_set};
use crate::guarantees::attempt;
use crate::key::KeyKind;
use crate::observation::{AttemptState, Command, Fate, Status};
use crate::plan::News;
use crate::record::{HolderId, Reading};
use crate::start::StartKind;
use crate::target::Storage;
use crate::timer::{Age, Timer};
use crate::{Memory, Observation, Plan, Record, Step, decide};

pub(super) fn proposes(mut seen: Observation, ordinal: u32) -> Observation {
    seen.verdicts.seed = Some(Verdict::Proposed { answer: name(ordinal), why: "test".to_owned() });
    seen
}

pub(super) fn seeded(plan: &Plan) -> Option<String> {
    plan.steps.iter().find_map(|step| match step {
        Step::Run(run) if run.command == Command::Seed => Some(run.replica.0.clone()),
        _ => None,
    })
}

pub(super) fn outage(mut memory: Memory) -> Memory {
    memory.outage = Some(crate::memory::Outage::default());
    memory
}

/// Three members of epoch 1, read in this outage.
pub(super) fn read_set(positions: [u64; 3]) -> Memory {
    outage(memory(positions.iter().zip(0..).map(|(at, n)| record(n).confirmed_in(1).at(*at))))
}

#[test]
fn the_member_that_holds_everything_seeds_and_the_promise_comes_with_it() {
    let plan = decide(&proposes(stopped_set(3), 1), &read_set([3, 9, 5]));
    assert_eq!(seeded(&plan).as_deref(), Some("x-1"));
    let record = plan.memory.of(&name(1)).next().cloned().unwrap();
    assert_eq!((record.starts, record.open.len()), (2, 1));
    assert_eq!(plan.memory.outage.unwrap().candidates.unwrap().len(), 1);
    assert!(
        plan.news.contains(&News::SeedChosen(name(1), "test".to_owned())),
        "as the policy says: {:?}",
        plan.news
    );
}

#[test]
fn a_proposal_that_lacks_data_is_refused() {
    let plan = decide(&proposes(stopped_set(3), 0), &read_set([3, 9, 5]));
    assert_eq!(seeded(&plan), None);
    assert!(plan.holds.iter().any(|hold| hold.reason.name() == "SeedRefused"), "{:?}", plan.holds);
}

#[test]
fn nobody_seeds_while_a_reading_is_owed_or_a_member_is_unheard() {
    let seen = proposes(stopped_set(3), 1);
    let unread = outage(memory([
        record(0).confirmed_in(1),
        record(1).confirmed_in(1).at(9),
        record(2).confirmed_in(1).at(5),
    ]));
    let plan = decide(&seen, &unread);
    assert_eq!(seeded(&plan), None);
    assert!(matches!(&plan.steps[..], [Step::Run(run)] if run.command == Command::Read), "{:?}", plan.steps);
    let mut silent = seen.clone();
    silent.pod_mut(2).status = Status::Silent("lost".to_owned());
    assert_eq!(seeded(&decide(&silent, &read_set([3, 9, 5]))), None);
    let mut gone = seen.clone();
    gone.replicas.get_mut(&name(2)).unwrap().pod = None;
    assert_eq!(
        seeded(&decide(&gone, &read_set([3, 9, 5]))).as_deref(),
        Some("x-1"),
        "read before its pod went"
    );
    let unread = outage(memory([
        record(0).confirmed_in(1).at(3),
        record(1).confirmed_in(1).at(9),
        record(2).confirmed_in(1),
    ]));
    assert_eq!(seeded(&decide(&gone, &unread)), None);
}

#[test]
fn lost_data_is_never_the_smallest() {
    for reading in [Reading::Empty, Reading::Unreadable("exit 1".to_owned())] {
        let known: [Record; 3] = [
            record(0).confirmed_in(1).reads(reading.clone()),
            record(1).confirmed_in(1).at(9),
            record(2).confirmed_in(1).at(5),
        ];
        let mut seen = proposes(stopped_set(3), 1);
        let plan = decide(&seen, &outage(memory(known.clone())));
        assert_eq!(seeded(&plan), None);
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "LostData").unwrap();
        seen.target.keys = hold.keys.clone();
        assert_eq!(seeded(&decide(&seen, &plan.memory)).as_deref(), Some("x-1"), "the loss was accepted");
    }
}

#[test]
fn nobody_seeds_while_any_start_is_open() {
    let mut known = read_set([3, 9, 5]);
    // It owes nothing: were it not for the start, nothing would be in the way.
    known.holders.get_mut(&holder(2)).unwrap().waived = true;
    let seen = proposes(stopped_set(3), 1);
    assert_eq!(seeded(&decide(&seen, &known)).as_deref(), Some("x-1"));
    known.holders.get_mut(&holder(2)).unwrap().open.push(start(2, "late"));
    assert_eq!(seeded(&decide(&seen, &known)), None);
}

#[test]
fn the_first_bootstrap_needs_every_wanted_claim_shown_to_be_new() {
    let seen = proposes(stopped_set(3), 0);
    let plan = decide(&seen, &Memory::default());
    assert_eq!(plan.steps.len(), 3, "all are read: {:?}", plan.steps);
    let new = |n| record(n).reads(Reading::Empty);
    let mut known = memory([new(0), new(1)]);
    known.epoch.number = 0;
    assert_eq!(seeded(&decide(&seen, &known)), None);
    let mut known = memory([new(0), new(1), new(2)]);
    known.outage = Some(crate::memory::Outage::default());
    assert_eq!(seeded(&decide(&seen, &known)).as_deref(), Some("x-0"));
}

#[test]
fn after_the_last_equal_candidate_a_person_is_asked() {
    let mut known = read_set([9, 9, 5]);
    known.outage.as_mut().unwrap().candidates = Some(Vec::new());
    let mut seen = proposes(stopped_set(3), 0);
    let plan = decide(&seen, &known);
    assert_eq!(seeded(&plan), None);
    let hold = plan.holds.iter().find(|hold| hold.reason.name() == "SeedsExhausted").unwrap();
    let key = hold.keys.iter().find(|key| key.subject == "x-0").unwrap().clone();
    seen.target.keys = vec![key];
    assert_eq!(seeded(&decide(&seen, &plan.memory)).as_deref(), Some("x-0"));
}

#[test]
fn nobody_who_holds_less_is_tried_however_many_seeds_fail() {
    for left in [vec![holder(0), holder(1)], vec![holder(1)], Vec::new()] {
        let mut known = read_set([9, 9, 5]);
        known.outage.as_mut().unwrap().candidates = Some(left.clone());
        let may_seed = |n| seeded(&decide(&proposes(stopped_set(3), n), &known)).is_some();
        assert_eq!([0, 1, 2].map(may_seed), [0, 1, 2].map(|n| left.contains(&holder(n))), "{left:?}");
    }
}

#[test]
fn a_seed_that_never_began_is_no_try_and_one_that_ended_is() {
    for (fate, again) in [(Fate::Revoked, true), (Fate::Refused, true), (Fate::Ended(1), false)] {
        let mut sent = record(0).confirmed_in(1).at(9).starts(2);
        let mut open = start(0, "a");
        (open.kind, open.confirmed, open.began, open.ended) = (StartKind::Seed, false, false, false);
        sent.open.push(open);
        let mut known = outage(memory([sent, record(1).confirmed_in(1).at(9)]));
        known.outage.as_mut().unwrap().candidates = Some(vec![holder(0), holder(1)]);
        let mut seen = stopped_set(2);
        seen.fates = [("a".into(), fate)].into();
        seen.terminated.insert(container(0));
        let mut known = decide(&seen, &known).memory;
        let read_again = known.holders.get_mut(&holder(0)).unwrap();
        *read_again = read_again.clone().at(9);
        let plan = decide(&proposes(stopped_set(2), 0), &known);
        assert_eq!(seeded(&plan).is_some(), again, "{fate:?}: {:?}", plan.holds);
    }
}

#[test]
fn a_person_names_a_seed_for_one_try() {
    for positions in [[9, 9, 5], [9, 3, 5]] {
        let mut known = read_set(positions);
        let outage = known.outage.as_mut().unwrap();
        (outage.named, outage.candidates) = (Some(crate::fixture::holder(1)), None);
        let plan = decide(&proposes(stopped_set(3), 1), &known);
        assert_eq!(seeded(&plan).as_deref(), Some("x-1"));
        let is_told = |news: &News| matches!(news, News::SeedChosen(who, why) if *who == name(1) && why.starts_with("a person named it"));
        assert!(plan.news.iter().any(is_told), "{:?}", plan.news);
        known.outage.as_mut().unwrap().candidates = Some(Vec::new());
        let mut seen = proposes(stopped_set(3), 1);
        let plan = decide(&seen, &known);
        assert_eq!(seeded(&plan), None, "it was tried");
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "SeedsExhausted").unwrap();
        assert!(hold.keys.iter().all(|key| key.kind == KeyKind::AcceptSeed), "what else would open nothing");
        seen.target.keys = vec![hold.keys.iter().find(|key| key.subject == "x-1").unwrap().clone()];
        assert_eq!(seeded(&decide(&seen, &plan.memory)).as_deref(), Some("x-1"), "named once more");
    }
}

#[test]
fn before_the_first_bootstrap_what_cannot_be_read_is_not_lost_and_heals_by_itself() {
    let unreadable = || Reading::Unreadable("exit 127".to_owned());
    let known = |readings: [Reading; 2]| {
        let mut known = outage(memory(readings.into_iter().zip(0..).map(|(r, n)| record(n).reads(r))));
        known.epoch.number = 0;
        known
    };
    let plan = decide(&proposes(stopped_set(2), 0), &known([unreadable(), Reading::Empty]));
    let [hold] = &plan.holds[..] else { panic!("{:?}", plan.holds) };
    assert_eq!((hold.reason.name(), hold.keys.len(), seeded(&plan)), ("Unread", 0, None));
    let said = hold.reason.to_string();
    assert!(said.contains("exit 127; it is asked again; if that lasts, correct commands.sequence"), "{said}");
    assert!(!hold.reason.needs_person());
    let mut later = stopped_set(2);
    later.ages.insert(Timer::Unreadable(name(0), container(0)), Age::Ripe);
    let asked = decide(&later, &known([unreadable(), Reading::Empty])).steps;
    assert!(matches!(&asked[..], [Step::Run(run)] if run.command == Command::Read), "{asked:?}");
    let healed = decide(&proposes(stopped_set(2), 0), &known([Reading::Empty, Reading::Empty]));
    assert_eq!(seeded(&healed).as_deref(), Some("x-0"));
    let held = decide(&stopped_set(2), &known([unreadable(), Reading::At(crate::Position::Ordinal(3))]));
    assert_eq!(held.holds[0].keys.len(), 1, "another has data: this one may have had some");
    let mut started = known([unreadable(), Reading::Empty]);
    started.holders.values_mut().for_each(|record| record.starts = 1);
    started.holders.values_mut().filter_map(|r| r.reading.as_mut()).for_each(|taken| taken.starts = 1);
    assert_eq!(decide(&stopped_set(2), &started).holds[0].reason.name(), "LostData", "a seed was tried");
}

#[test]
fn nobody_seeds_while_another_is_being_read() {
    let mut seen = proposes(stopped_set(3), 1);
    for (command, expected) in [(Command::Read, None), (Command::Probe, Some("x-1"))] {
        seen.attempts.insert("r".into(), attempt(2, command, AttemptState::Running));
        assert_eq!(seeded(&decide(&seen, &read_set([3, 9, 5]))).as_deref(), expected, "{command:?}");
    }
}

#[test]
fn before_the_first_bootstrap_every_wanted_place_shows_its_data() {
    let new = |n: u32| record(n).reads(Reading::Empty);
    let seen = proposes(stopped_set(2), 0);
    assert_eq!(seeded(&decide(&seen, &outage(memory([new(0), new(1)])))).as_deref(), Some("x-0"));
    let mut bare = seen.clone();
    let place = bare.replicas.get_mut(&name(1)).unwrap();
    (place.pod, place.claims) = (None, Vec::new());
    assert_eq!(seeded(&decide(&bare, &outage(memory([new(0)])))), None, "a place has no claim yet");
    let mut beyond = proposes(stopped_set(3), 0);
    beyond.target.replicas = 2;
    beyond.replicas.remove(&name(1));
    assert_eq!(
        seeded(&decide(&beyond, &outage(memory([new(0), new(2)])))),
        None,
        "one beyond the size is none of them"
    );
}

#[test]
fn that_all_data_went_is_told_of_a_set_that_had_some() {
    let told = |storage: Storage, epoch: u64| {
        let mut seen = proposes(stopped_set(1), 0);
        seen.target.storage = storage;
        let mut new = record(0).reads(Reading::Empty);
        if storage == Storage::Container {
            new.holder = HolderId::Container(container(0));
        }
        let mut known = outage(memory([new]));
        known.epoch.number = epoch;
        let plan = decide(&seen, &known);
        assert_eq!(seeded(&plan).as_deref(), Some("x-0"), "{:?}", plan.holds);
        plan.news.contains(&News::DataGone)
    };
    assert!(told(Storage::Container, 2));
    assert!(!told(Storage::Container, 0), "it never had any");
    assert!(!told(Storage::Claims { lock: true }, 0));
}

/// Two that served and were read, and a place whose pod cannot be placed, with what is there changed.
fn with_one_that_never_started(change: fn(&mut Observation, &mut Record)) -> (Observation, Memory) {
    let mut seen = proposes(stopped_set(3), 0);
    let place = seen.replicas.get_mut(&name(2)).unwrap();
    (place.pod.as_mut().unwrap().container, place.claims[0].bound) = (None, false);
    let mut new = record(2);
    change(&mut seen, &mut new);
    (seen, outage(memory([record(0).confirmed_in(1).at(9), record(1).confirmed_in(1).at(9), new])))
}

fn is_bound(seen: &mut Observation, _: &mut Record) {
    seen.replicas.get_mut(&name(2)).unwrap().claims[0].bound = true;
}

#[test]
fn a_claim_that_never_had_a_volume_keeps_nobody_from_seeding() {
    type Change = fn(&mut Observation, &mut Record);
    let cases: [(&str, Change, bool); 6] = [
        ("it has no volume", |_, _| {}, true),
        ("it has one", is_bound, false),
        (
            "something was started on it, and a claim of it is to have its volume back",
            |_, r| r.starts = 1,
            false,
        ),
        ("it served", |_, record| *record = record.clone().confirmed_in(1), false),
        ("it is made of the claim of another", |_, record| record.copied_from = Some(holder(9)), false),
        (
            "its container runs: what is told of its claim is late",
            |seen, _| seen.pod_mut(2).container = stopped_set(3).pod_mut(2).container.clone(),
            false,
        ),
    ];
    for (sentence, change, may) in cases {
        let (seen, known) = with_one_that_never_started(change);
        let plan = decide(&seen, &known);
        assert_eq!(seeded(&plan).is_some(), may, "{sentence}: {:?}", plan.holds);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
    }
}

#[test]
fn of_a_first_bootstrap_that_was_made_smaller_nobody_waits_for_a_place_that_never_had_a_volume() {
    let (mut seen, mut known) = with_one_that_never_started(|_, _| {});
    (seen.target.replicas, seen.target.primaries) = (2, 2);
    for ordinal in [0, 1] {
        known.holders.insert(holder(ordinal), record(ordinal).reads(Reading::Empty));
    }
    known.epoch.number = 0;
    assert_eq!(seeded(&decide(&seen, &known)).as_deref(), Some("x-0"));
    (seen.target.replicas, seen.target.primaries) = (3, 3);
    assert_eq!(seeded(&decide(&seen, &known)), None, "it is wanted");
}

#[test]
fn a_person_gives_up_who_cannot_be_read_where_others_have_data_or_its_place_is_not_wanted() {
    let empty = |n| record(n).reads(Reading::Empty);
    let served = |n| record(n).confirmed_in(1).at(9);
    let mut back = record(2).starts(1);
    back.confirmed = 1;
    for (sentence, others, unread, wanted, offered) in [
        ("it served", [served(0), served(1)], back, 3, true),
        ("others have data", [served(0), served(1)], record(2), 3, true),
        ("something was started on it", [served(0), served(1)], record(2).starts(1), 3, true),
        ("nobody has data", [empty(0), empty(1)], record(2), 3, false),
        ("nobody has data, and its place is not wanted", [empty(0), empty(1)], record(2), 2, true),
    ] {
        let (mut seen, mut known) = with_one_that_never_started(is_bound);
        (seen.target.replicas, seen.target.primaries) = (wanted, wanted);
        known.holders = others.into_iter().chain([unread]).map(|r| (r.holder.clone(), r)).collect();
        known.epoch.number = known.holders.values().map(|record| record.confirmed).max().unwrap();
        known.holders.values_mut().for_each(|record| record.epoch = known.epoch.clone());
        let plan = decide(&seen, &known);
        assert_eq!(seeded(&plan), None, "{sentence}");
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "Unread").unwrap();
        assert_eq!(!hold.keys.is_empty(), offered, "{sentence}: {hold:?}");
        seen.target.keys = hold.keys.clone();
        let plan = decide(&seen, &known);
        assert_eq!(seeded(&plan).is_some(), offered, "{sentence}: {:?}", plan.holds);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
    }
}
