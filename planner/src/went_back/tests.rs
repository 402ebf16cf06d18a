//! When a position went back, and what the operator does then.

use super::went_back;
use crate::decision::{Judgement, Verdict};
use crate::fixture::{
    headless, holder, measure, memory, name, record, rehearsal, rehearsed_set, stopped_set,
};
use crate::guarantees::attempt;
use crate::memory::{Base, Outage};
use crate::observation::{AttemptState, Command, Observation, Output, Role};
use crate::position::{History, Position};
use crate::record::{Reading, Record};
use crate::rehearsal::Heard;
use crate::target::Failover;
use crate::{Memory, Plan, Step, decide};

fn at(number: u64) -> Reading {
    Reading::At(Position::Ordinal(number))
}

fn history(source: &str, last: u64) -> Position {
    Position::History(History::up_to(source, last))
}

/// A member of epoch 1 at rest, with the answer that it gave while it ran.
fn rested(shows: Reading, answer: Reading) -> Memory {
    let mut known = memory([record(0).confirmed_in(1).reads(shows)]);
    known.rehearsals.insert(name(0), rehearsal(0, answer));
    known
}

type Change = fn(&mut Memory);

fn is_back(shows: Reading, answer: Reading, change: Change) -> bool {
    let mut known = rested(shows, answer);
    change(&mut known);
    known.holders.values().any(|record| went_back(&known, record).is_some())
}

#[test]
fn a_position_went_back_if_it_lacks_what_the_same_data_showed_before() {
    for (sentence, shows, answer, expected) in [
        ("less", at(3), at(5), true),
        ("as much", at(5), at(5), false),
        ("more", at(7), at(5), false),
        ("another history", history("b", 9).into(), history("a", 5).into(), true),
        ("a longer history", history("a", 9).into(), history("a", 5).into(), false),
        ("another kind", at(3), history("a", 5).into(), false),
        ("no data", Reading::Empty, at(5), false),
        ("no position before", at(3), Reading::Empty, false),
    ] {
        assert_eq!(is_back(shows, answer, |_| {}), expected, "{sentence}");
    }
}

#[test]
fn an_answer_counts_for_the_same_data_start_and_reader_whatever_the_outage() {
    let other_outage: Change = |known| known.outages = 7;
    let other_reader: Change = |known| known.rehearsals.values_mut().for_each(|answer| answer.reader = None);
    let other_start: Change = |known| known.rehearsals.values_mut().for_each(|answer| answer.starts = 0);
    let other_data: Change =
        |known| known.rehearsals.values_mut().for_each(|answer| answer.holder = holder(1));
    for (sentence, change, expected) in [
        ("another outage", other_outage, true),
        ("another reader", other_reader, false),
        ("another start", other_start, false),
        ("other data", other_data, false),
    ] {
        assert_eq!(is_back(at(3), at(5), change), expected, "{sentence}");
    }
}

#[test]
fn an_earlier_answer_and_the_beginning_of_the_epoch_count_too() {
    let earlier: Change =
        |known| known.rehearsals.values_mut().for_each(|answer| answer.held = Some(Position::Ordinal(5)));
    let bound: Change = |known| {
        let record = known.holders.values_mut().next().unwrap();
        *record = record.clone().ran_at(at(5));
    };
    let primary: Change =
        |known| known.holders.values_mut().for_each(|record| record.last = Some(Role::Primary));
    let primary_below: Change = |known| {
        begins_with_six(known);
        known.holders.values_mut().for_each(|record| record.last = Some(Role::Primary));
    };
    for (sentence, change, expected) in [
        ("an answer before the last one", earlier, true),
        ("an answer since its primary was lost", bound, true),
        ("the beginning of the epoch, of a follower", begins_with_six, false),
        ("the beginning of the epoch, of its primary", primary_below, true),
        ("an epoch that began with nothing", primary, false),
    ] {
        assert_eq!(is_back(at(3), at(3), change), expected, "{sentence}");
    }
}

impl From<Position> for Reading {
    fn from(position: Position) -> Self {
        Self::At(position)
    }
}

fn begins_with_six(known: &mut Memory) {
    known.epoch.base = Some(Base { position: Position::Ordinal(6), measure: measure(1) });
}

/// What is remembered after a member that showed `before` answers `now` while it runs.
fn answered(before: u64, now: Reading) -> Option<Position> {
    let (mut seen, known) = rehearsed_set([5, before, 7]);
    let output = Output { code: 0, stdout: String::new(), stderr: String::new(), truncated: false };
    let mut asked = attempt(1, Command::Rehearse, AttemptState::Ended(output));
    asked.starts = 1;
    seen.attempts.insert("again".into(), asked);
    seen.verdicts.readings.insert("again".into(), Judgement::from(now));
    let plan = decide(&seen, &known);
    assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
    let answer = &plan.memory.rehearsals[&name(1)];
    assert!(matches!(answer.heard, Heard::Said(_)));
    let mut wrong = plan.clone();
    wrong.memory.rehearsals.get_mut(&name(1)).unwrap().held = Some(Position::Ordinal(99));
    assert!(crate::audit(&seen, &known, &wrong).is_err(), "the member never showed that");
    answer.held.clone()
}

#[test]
fn an_answer_that_is_less_than_the_one_before_is_remembered_with_it() {
    assert_eq!(answered(9, at(9)), None);
    assert_eq!(answered(9, at(12)), None);
    assert_eq!(answered(9, at(2)), Some(Position::Ordinal(9)));
    assert_eq!(answered(9, Reading::Unreadable("exit 1".to_owned())), Some(Position::Ordinal(9)));
}

/// All three have stopped, with what each answered while it ran.
fn dark(shows: [u64; 3], answers: [u64; 3]) -> (Observation, Memory) {
    let mut known = memory((0..3).zip(shows).map(|(n, shows)| record(n).confirmed_in(1).at(shows)));
    known.outage = Some(Outage::default());
    for (ordinal, number) in (0..3).zip(answers) {
        known.rehearsals.insert(name(ordinal), rehearsal(ordinal, at(number)));
    }
    let mut seen = stopped_set(3);
    seen.target.rehearsal_interval = Some(60);
    let best = (0..3).max_by_key(|n| shows[*n as usize]).unwrap();
    seen.verdicts.seed = Some(Verdict::Proposed { answer: name(best), why: String::new() });
    (seen, known)
}

/// The first hold for a position that went back, with the kinds of its keys.
fn held(plan: &Plan) -> Option<(String, Vec<String>)> {
    let hold = plan.holds.iter().find(|hold| hold.reason.name() == "PositionWentBack")?;
    Some((
        hold.reason.to_string(),
        hold.keys.iter().map(|key| format!("{:?}/{}", key.kind, key.subject)).collect(),
    ))
}

fn seeds(plan: &Plan) -> Option<String> {
    plan.steps.iter().find_map(|step| match step {
        Step::Run(run) if run.command == Command::Seed => Some(run.replica.0.clone()),
        _ => None,
    })
}

#[test]
fn after_a_power_cut_nobody_seeds_while_a_position_went_back_and_a_person_did_not_accept_it() {
    let (mut seen, known) = dark([7, 10, 10], [12, 10, 10]);
    let plan = decide(&seen, &known);
    assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
    let (words, keys) = held(&plan).expect("a hold");
    assert!(words.starts_with("the position of x-0 went back: it shows 7, and it held 12 before"), "{words}");
    assert_eq!((keys, seeds(&plan)), (vec!["AcceptLoss/x-0".to_owned(), "AcceptSeed/x-0".to_owned()], None));
    let keys = &plan.holds.iter().find(|hold| hold.reason.name() == "PositionWentBack").unwrap().keys;
    for (key, answer) in keys.iter().zip([1, 0]) {
        seen.target.keys = vec![key.clone()];
        seen.verdicts.seed = Some(Verdict::Proposed { answer: name(answer), why: String::new() });
        let plan = decide(&seen, &known);
        assert_eq!(seeds(&plan), Some(name(answer).0), "{key}: {:?}", plan.holds);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{key}");
    }
    let other = dark([7, 10, 10], [13, 10, 10]).1;
    let again = crate::key::Key::bound(keys[0].kind, keys[0].subject.clone(), &seen, &other);
    assert_ne!(again, keys[0], "the key is bound to both positions");
}

#[test]
fn the_audit_refuses_a_seed_beside_a_position_that_went_back() {
    let (seen, sound) = dark([7, 10, 10], [7, 10, 10]);
    let plan = decide(&seen, &sound);
    assert_eq!((seeds(&plan).as_deref(), held(&plan)), (Some("x-2"), None));
    let (_, known) = dark([7, 10, 10], [12, 10, 10]);
    let mut wrong = plan;
    wrong.memory.rehearsals.insert(name(0), known.rehearsals[&name(0)].clone());
    let found = crate::audit(&seen, &known, &wrong).unwrap_err();
    assert!(found.iter().any(|breach| breach.rule == crate::audit::Rule::LosesData), "{found:?}");
}

#[test]
fn an_old_primary_whose_position_went_back_is_replaced_only_if_a_person_gives_it_up() {
    for (sentence, base, answer, waits) in [
        ("it shows less than the epoch began with", Some(6), None, true),
        ("it shows less than it answered", None, Some(6), true),
        ("it shows as much", Some(0), Some(0), false),
    ] {
        let (mut seen, mut known) = headless(0, [4, 6]);
        seen.target.rehearsal_interval = Some(60);
        let answer = answer.map(|number| (name(0), rehearsal(0, at(number))));
        known.rehearsals.extend(answer);
        known.epoch.base = base.map(|b| Base { position: Position::Ordinal(b), measure: measure(1) });
        let order = vec![name(2)];
        seen.verdicts.primaries = Some(Verdict::Proposed { answer: order, why: String::new() });
        let promoted = |plan: &Plan| {
            plan.steps.iter().any(|step| matches!(step, Step::Run(run) if run.command == Command::Promote))
        };
        let plan = decide(&seen, &known);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
        assert_eq!((promoted(&plan), held(&plan).is_some()), (!waits, waits), "{sentence}: {:?}", plan.holds);
        if !waits {
            continue;
        }
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "PositionWentBack").unwrap();
        let mut allowed = seen.clone();
        allowed.target.keys = hold.keys.clone();
        assert!(promoted(&decide(&allowed, &known)), "a person gave it up: {sentence}");
        seen.target.failover = Failover::AllowLoss;
        let plan = decide(&seen, &known);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
        assert!(
            promoted(&plan)
                && plan.news.iter().any(|news| matches!(news, crate::plan::News::LossAccepted(_)))
        );
    }
}

#[test]
fn a_member_whose_position_went_back_joins_only_if_a_person_accepts_it() {
    let joins = |known: &Memory, seen: &Observation| {
        let plan = decide(seen, known);
        assert_eq!(crate::audit(seen, known, &plan), Ok(()));
        let joins = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Join);
        (plan.steps.iter().any(joins), held(&plan))
    };
    let set = |answer: u64| {
        let (mut seen, mut known) = rehearsed_set([5, answer, 7]);
        seen = seen.answers(1, 7);
        seen.pod_mut(1).active = Some(false);
        seen.pod_mut(1).role = Some(Role::Stopped);
        let last = Some(Role::Primary);
        known.holders.insert(holder(1), Record { last, ..record(1).confirmed_in(1).at(7) });
        let order = (0..3).map(name).collect();
        seen.verdicts.primaries = Some(Verdict::Proposed { answer: order, why: String::new() });
        (seen, known)
    };
    let (seen, known) = set(7);
    assert_eq!(joins(&known, &seen), (true, None));
    let (mut seen, known) = set(9);
    let (joined, hold) = joins(&known, &seen);
    assert_eq!((joined, hold.map(|(_, keys)| keys)), (false, Some(vec!["AcceptErrant/x-1".to_owned()])));
    seen.target.keys = decide(&seen, &known).holds.iter().flat_map(|hold| hold.keys.clone()).collect();
    assert!(joins(&known, &seen).0, "a person accepts it");
}
