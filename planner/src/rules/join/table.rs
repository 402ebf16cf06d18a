//! Who may join, and as what, one condition at a time.

use super::{Admission, admission, waits};
use crate::decision::{Treatment, Verdict};
use crate::fixture::{measure, memory, name, record, stopped_set};
use crate::look::Look;
use crate::memory::{Base, Epoch};
use crate::observation::{Command, Observation, Role};
use crate::position::{History, Position};
use crate::record::Reading;
use crate::target::Storage;
use crate::{Record, Step, decide};

/// Whether the data of member 1 is let in beside a set of epoch 2, which began with nothing that is known.
fn is_granted(storage: Storage, waiting: Record) -> bool {
    let mut seen = stopped_set(2);
    seen.target.storage = storage;
    let mut known = memory([record(0).confirmed_in(2)]);
    known.epoch.base = None;
    matches!(admission(&Look::new(&seen, known), &waiting), Admission::Granted)
}

#[test]
fn data_that_nobody_needs_is_let_in_and_none_that_may_be_needed() {
    let claims = Storage::Claims { lock: true };
    let zero = || Reading::At(Position::Ordinal(0));
    for (sentence, storage, waiting, expected) in [
        ("new, and nothing was ever started", claims, record(1).reads(zero()), true),
        ("a number above zero, and nothing is known of it", claims, record(1).at(1), false),
        ("new where data ends with its pod, unread", Storage::Pod, record(1), true),
        ("the same on a claim", claims, record(1), false),
        ("of an older epoch where data ends with its pod, unread", Storage::Pod, older(0), false),
        ("of this epoch", claims, record(1).confirmed_in(2), true),
        ("the same, and it ran in one of two groups", claims, apart(record(1).confirmed_in(2)), false),
        (
            "the same, and what is there is none",
            claims,
            apart(record(1).confirmed_in(2).reads(Reading::Empty)),
            true,
        ),
        ("started before where data ends with its pod, unread", Storage::Pod, record(1).starts(1), false),
    ] {
        assert_eq!(is_granted(storage, waiting), expected, "{sentence}");
    }
}

fn apart(record: Record) -> Record {
    Record { parted: Some(Epoch { number: 2, ..Epoch::default() }), ..record }
}

#[test]
fn before_any_epoch_nobody_is_of_it() {
    let seen = stopped_set(2);
    let is_granted = |waiting: Record| {
        let look = Look::new(&seen, memory([record(0)]));
        matches!(admission(&look, &waiting), Admission::Granted)
    };
    assert!(!is_granted(record(1)), "it was not read");
    assert!(!is_granted(record(1).at(1)), "it holds something");
    assert!(is_granted(record(1).reads(Reading::Empty)));
}

fn older(starts: u64) -> Record {
    Record { confirmed: 1, starts, ..record(1) }
}

#[test]
fn who_is_stopped_wanted_and_at_rest_waits_and_nobody_else() {
    let case = |change: fn(&mut Observation), waiting: Record| {
        let mut seen = stopped_set(2);
        change(&mut seen);
        waits(&Look::new(&seen, memory([record(0), waiting])), &name(1))
    };
    let at_rest = || record(1).confirmed_in(1);
    assert!(case(|_| {}, at_rest()));
    assert!(!case(|seen| seen.target.replicas = 1, at_rest()), "beyond the size");
    assert!(!case(|seen| seen.pod_mut(1).guarded = false, at_rest()), "nothing can be started there");
    assert!(!case(|seen| seen.pod_mut(1).terminating = true, at_rest()), "its pod goes");
    assert!(!case(|seen| *seen = seen.clone().answers(1, 8), at_rest()), "it runs");
    assert!(!case(|_| {}, at_rest().open_start("a")), "something of it may be alive");
    assert!(!case(|_| {}, Record { lock_busy: true, ..at_rest() }), "somebody uses its volume");
}

fn sent(seen: &Observation, known: crate::Memory) -> Vec<(Command, u32)> {
    let plan = decide(seen, &known);
    let runs = plan.steps.iter().filter_map(|step| match step {
        Step::Run(run) => Some((run.command, seen.replicas[&run.replica].ordinal)),
        _ => None,
    });
    runs.collect()
}

/// Ordered by their numbers, and each follows nobody in particular.
fn told(mut seen: Observation, size: u32) -> Observation {
    let answer = (0..size).map(name).collect();
    seen.verdicts.primaries = Some(Verdict::Proposed { answer, why: String::new() });
    for ordinal in 0..size {
        let answer = Treatment::RunSecondary { follow: None };
        seen.verdicts.replicas.insert(name(ordinal), Verdict::Proposed { answer, why: String::new() });
    }
    seen
}

#[test]
fn of_two_that_join_at_once_one_is_the_primary_that_is_missing_and_the_other_follows() {
    let mut seen = told(stopped_set(3).answers(0, 8), 3);
    (seen.target.has_secondary, seen.target.primaries, seen.target.parallel_joins) = (true, 2, 2);
    (seen.pod_mut(0).active, seen.pod_mut(0).role) = (Some(true), Some(Role::Primary));
    let known = memory([record(0).confirmed_in(1).open_start("a"), older(1), record(2).confirmed_in(1)]);
    assert_eq!(sent(&seen, known), [(Command::Join, 1), (Command::Follow, 2)]);
}

#[test]
fn what_is_sent_to_others_is_no_primary_that_is_promised() {
    let mut seen = told(stopped_set(3).answers(0, 8), 3);
    (seen.target.has_secondary, seen.target.primaries) = (true, 2);
    (seen.pod_mut(0).active, seen.pod_mut(0).role) = (Some(true), Some(Role::Primary));
    let known = memory([record(0).confirmed_in(2).open_start("a"), older(1), record(2).confirmed_in(2)]);
    assert_eq!(sent(&seen, known), [(Command::Read, 1), (Command::Join, 2)]);
}

#[test]
fn a_set_without_primaries_is_brought_up_by_joins_alone_and_no_other_is() {
    let begins = |primaries: u32| {
        let mut seen = told(stopped_set(1), 1);
        (seen.target.has_secondary, seen.target.primaries) = (true, primaries);
        let mut known = memory([record(0).reads(Reading::Empty)]);
        known.epoch.number = 0;
        let plan = decide(&seen, &known);
        let waits = plan.holds.iter().any(|hold| hold.reason.name() == "NoPrimary");
        (sent(&seen, known), waits)
    };
    assert_eq!(begins(0), (vec![(Command::Follow, 0)], false));
    assert!(!begins(1).1, "it is seeded, and nobody has to be joined");
}

#[test]
fn before_the_first_bootstrap_nobody_waits_for_a_primary() {
    let mut seen = told(stopped_set(2), 2);
    seen.pod_mut(1).status = crate::observation::Status::Silent("lost".to_owned());
    let mut known = memory([record(0).reads(Reading::Empty), record(1).reads(Reading::Empty)]);
    known.epoch.number = 0;
    let plan = decide(&seen, &known);
    let told: Vec<&str> = plan.holds.iter().map(|hold| hold.reason.name()).collect();
    assert_eq!(told, ["Unheard"]);
}

/// Whether data that holds this much is let in beside a set of epoch 3, where it may have left the line with epoch 2.
fn is_let_in(held: Position, parted: Option<Position>) -> bool {
    let base = |position| Base { position, measure: measure(3) };
    let mut known = memory([record(0).confirmed_in(3)]);
    known.epoch.base = Some(base(Position::History(History::up_to("line", 150))));
    let waiting = record(1).confirmed_in(1).reads(Reading::At(held));
    let waiting =
        Record { parted: Some(Epoch { number: 2, base: parted.map(base), ..Epoch::default() }), ..waiting };
    matches!(admission(&Look::new(&stopped_set(2), known), &waiting), Admission::Granted)
}

#[test]
fn what_a_later_epoch_began_with_says_nothing_of_data_that_left_the_line_before() {
    let line = |until| Position::History(History::up_to("line", until));
    assert!(is_let_in(line(100), Some(line(100))), "that epoch began with all of it");
    assert!(!is_let_in(line(120), Some(line(100))), "the newest includes as much by number only");
    assert!(!is_let_in(line(120), None), "nobody knows what it began with");
}
