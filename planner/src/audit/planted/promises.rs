//! Bugs in what is written down of a start, and of its volume lock.

use super::{Case, Planted, each_is_caught, ended, power_cut, running};
use crate::audit::Rule;
use crate::fixture::{name, start};
use crate::observation::{AttemptState, Command, Refusal};
use crate::plan::Step;
use crate::start::{Lock, Start, StartKind};
use crate::target::Mode;

const SEED: &[Planted] = &[
    ("it is promised as what begins no epoch", &[Rule::Unpromised], |case| {
        case.after(1).open[0].opens = false;
    }),
    ("it is promised as a join", &[Rule::Unpromised], |case| case.after(1).open[0].kind = StartKind::Join),
    ("it is promised for another pod", &[Rule::Unpromised], |case| {
        case.after(1).open[0].pod = "other".into();
    }),
    ("it is promised to begin from nothing, though it was read", &[Rule::Unpromised], |case| {
        case.after(1).open[0].from = None;
    }),
];

const PROMOTION: &[Planted] = &[
    ("a start of another container is open", &[Rule::SecondStart], |case| {
        let ordinal = promoted(case);
        case.always(ordinal, |record| {
            record.open.insert(0, Start { container: "other".into(), ..start(ordinal, "old") });
        });
    }),
    ("it was being replaced, and that is not written", &[Rule::Unpromised], |case| {
        let ordinal = promoted(case);
        case.always(ordinal, |record| record.joining = true);
    }),
];

/// Who is promoted.
fn promoted(case: &mut Case) -> u32 {
    if case.run().replica == name(1) { 1 } else { 2 }
}

#[test]
fn a_seed_is_promised_as_it_is_sent() {
    each_is_caught(&Case::that_sends(power_cut(), Command::Seed), SEED);
}

/// What is seeded is of an older epoch, though it holds as much as those of the newest.
fn of_an_older_epoch(case: &mut Case) {
    (case.memory.epoch.number, case.plan.memory.epoch.number) = (2, 2);
    for ordinal in 0..3 {
        let confirmed = if ordinal == 1 { 1 } else { 2 };
        case.always(ordinal, |record| (record.confirmed, record.epoch.number) = (confirmed, 2));
    }
    case.run().epoch = 3;
}

#[test]
fn whoever_is_seeded_is_one_of_the_newest_epoch_though_it_holds_as_much() {
    let case = Case::that_sends(power_cut(), Command::Seed);
    let bugs: &[Planted] = &[("it is of an older epoch", &[Rule::LosesData], of_an_older_epoch)];
    each_is_caught(&case, bugs);
}

#[test]
fn a_promotion_turns_the_start_that_made_its_member_and_no_other() {
    let mut world = running(true);
    world.restart(0);
    let case = Case::that_sends(world, Command::Promote);
    each_is_caught(&case, PROMOTION);
    let mut joined = case;
    let ordinal = promoted(&mut joined);
    joined.always(ordinal, |record| record.joining = true);
    joined.after(ordinal).joining = false;
    assert_eq!(joined.breaches(), [].into(), "it is seen to have joined in this very look");
}

const MARKS: &[Planted] = &[
    ("a command took the lock", &[Rule::LockMark], |case| {
        asked(case, "container-2", true, ended());
    }),
    ("a command found it busy that did not ask for it", &[Rule::LockMark], |case| {
        asked(case, "container-2", false, AttemptState::Refused(Refusal::LockBusy));
    }),
    ("a command found it busy elsewhere", &[Rule::LockMark], |case| {
        asked(case, "container-9", true, AttemptState::Refused(Refusal::LockBusy));
    }),
];

/// The lock of x-2 is said to be held, for what a probe in this container met.
fn asked(case: &mut Case, container: &str, locked: bool, state: AttemptState) {
    marked(case, [Lock::NotHeld, Lock::Held]);
    let probe = case.attempt(2, Command::Probe, state);
    (probe.container, probe.locked) = (container.into(), locked);
}

/// The lock of x-2, as it was known and as it is said to be.
fn marked(case: &mut Case, [before, after]: [Lock; 2]) {
    case.always(2, |record| record.open[0].lock = before);
    case.after(2).open[0].lock = after;
}

const FREE: &[Planted] = &[
    ("it was seen held before", &[Rule::LockMark], |case| marked(case, [Lock::Held, Lock::NotHeld])),
    ("nobody asked", &[Rule::LockMark], |case| case.seen.attempts.clear()),
    ("the probe goes on", &[Rule::LockMark], |case| {
        case.attempt(2, Command::Probe, AttemptState::Running).locked = true;
    }),
    ("it was no probe", &[Rule::LockMark], |case| {
        case.attempt(2, Command::Rehearse, ended()).locked = true;
    }),
    ("the probe did not ask for it", &[Rule::LockMark], |case| {
        case.attempt(2, Command::Probe, ended()).locked = false;
    }),
    ("the probe was elsewhere", &[Rule::LockMark], |case| {
        let probe = case.attempt(2, Command::Probe, ended());
        (probe.container, probe.locked) = ("container-9".into(), true);
    }),
];

#[test]
fn a_lock_is_marked_free_only_as_a_probe_found_it() {
    let mut case = Case::settled(running(false));
    marked(&mut case, [Lock::Unasked, Lock::NotHeld]);
    case.attempt(2, Command::Probe, ended()).locked = true;
    each_is_caught(&case, FREE);
}

#[test]
fn a_lock_is_unknown_again_only_where_a_command_is_sent() {
    let mut world = running(true);
    world.restart(0);
    let mut case = Case::that_sends(world, Command::Promote);
    let sent = promoted(&mut case);
    let other = if sent == 1 { 2 } else { 1 };
    case.always(other, |record| record.open[0].lock = Lock::NotHeld);
    assert_eq!(case.breaches(), [].into());
    case.after(other).open[0].lock = Lock::Unasked;
    assert_eq!(case.breaches(), [Rule::LockMark].into(), "it was sent to another");
}

#[test]
fn a_lock_is_marked_as_held_where_a_command_that_asked_for_it_met_it_so() {
    let case = Case::settled(running(false));
    let mut sound = case.clone();
    asked(&mut sound, "container-2", true, AttemptState::Refused(Refusal::LockBusy));
    assert_eq!(sound.breaches(), [].into());
    each_is_caught(&case, MARKS);
}

#[test]
fn what_any_record_knows_of_a_start_counts() {
    type Known = fn(&mut Start) -> &mut bool;
    let known: [(&str, Known, &[Rule]); 3] = [
        ("it was confirmed", |start| &mut start.confirmed, &[]),
        // In the next container, perhaps.
        ("it began", |start| &mut start.began, &[Rule::Unproven]),
        ("its command is over", |start| &mut start.ended, &[Rule::Unproven]),
    ];
    for (sentence, flag, breaches) in known {
        let mut case = Case::settled(running(false));
        case.answers(2, Some(7));
        case.always(2, |record| {
            let start = &mut record.open[0];
            (start.confirmed, start.began, start.ended) = (false, false, false);
        });
        case.seen.terminated.insert("container-2".into());
        case.after(2).open.clear();
        assert_eq!(case.breaches(), [Rule::Unproven].into(), "it may begin yet");
        let claim = &mut case.seen.replicas.get_mut(&name(2)).unwrap().claims[0];
        *flag(&mut claim.record.as_mut().unwrap().open[0]) = true;
        assert_eq!(case.breaches(), breaches.iter().copied().collect(), "{sentence}, says its claim");
    }
}

/// One that came up by itself, after it was read.
fn found() -> Case {
    let mut world = running(false);
    // Nobody is started before a person says so.
    world.seen.target.mode = Mode::Ask;
    (0..3).for_each(|ordinal| world.reboot(ordinal));
    for _ in 0..10 {
        let plan = world.round();
        let starts = |step: &Step| matches!(step, Step::Run(run) if run.command.is_start());
        assert!(!plan.steps.iter().any(starts), "{:?}", plan.steps);
    }
    world.apps.get_mut(&1).unwrap().code = 8;
    let (plan, _) = world.try_round();
    Case { seen: world.seen, memory: world.memory, plan }
}

#[test]
fn one_that_came_up_by_itself_goes_on_from_what_was_read() {
    let mut case = found();
    let start = case.after(1).open[0].clone();
    assert!(start.kind == StartKind::Found && start.from.is_some(), "{start:?}");
    each_is_caught(
        &case,
        &[
            ("from more", &[Rule::Unpromised], |case| {
                case.after(1).open[0].from = Some(crate::Position::Ordinal(99));
            }),
            ("as if a person had started it in a pause", &[Rule::Unpromised], |case| {
                case.after(1).open[0].opens = true;
            }),
            ("as if it was read in another outage", &[Rule::Unpromised], |case| {
                case.after(1).open[0].measure.outage += 1;
            }),
            ("as if another had read it", &[Rule::Unpromised], |case| {
                case.after(1).open[0].measure.reader = Some("another".into());
            }),
        ],
    );
}
