//! Bugs in how commands are promised, sent, and taken for over.

use super::{Case, Planted, each_is_caught, ended, power_cut, running};
use crate::audit::Rule;
use crate::fixture::{name, record, start};
use crate::names::ContainerId;
use crate::observation::{Attempt, AttemptState, Command, ContainerState, Fate};
use crate::record::Record;
use crate::start::Lock;
use crate::timer::{Age, Timer};

const SENT: &[Planted] = &[
    ("a start is not promised", &[Rule::Unpromised], |case| {
        case.after(1).open.clear();
        case.after(1).starts -= 1;
    }),
    ("it is promised of another container", &[Rule::Unpromised], |case| {
        case.after(1).open[0].container = "other".into();
    }),
    ("it is promised on another boot", &[Rule::Unpromised], |case| {
        case.after(1).open[0].boot = "other".into();
    }),
    ("it is promised in an outage of before", &[Rule::Unpromised], |case| {
        case.after(1).open[0].measure.outage -= 1
    }),
    ("it is promised as if another had read what it begins from", &[Rule::Unpromised], |case| {
        case.after(1).open[0].measure.reader = Some("another".into());
    }),
    ("it is promised to begin from more than was read", &[Rule::Unpromised], |case| {
        case.after(1).open[0].from = Some(crate::Position::Ordinal(99));
    }),
    ("it is promised as confirmed", &[Rule::Unpromised], |case| case.after(1).open[0].confirmed = true),
    ("a promise is not kept", &[Rule::Unpromised], |case| case.plan.steps.clear()),
    ("the lock is not taken", &[Rule::LockFlag], |case| case.run().lock = false),
    ("it goes to another pod", &[Rule::WrongPlace], |case| case.run().if_pod = "pod-9".into()),
    ("the pod is about to go", &[Rule::WrongPlace, Rule::SecondSeed], |case| {
        case.seen.pod_mut(1).terminating = true;
    }),
    ("the pod has no guard", &[Rule::WrongPlace], |case| case.seen.pod_mut(1).guarded = false),
    ("an attempt is used again", &[Rule::SecondCommand], |case| {
        let id = case.run().attempt.clone();
        case.seen.fates.insert(id, Fate::Ended(0));
    }),
    ("another command runs there", &[Rule::SecondCommand], |case| {
        let container = case.run().if_container.clone();
        read(case, container, false, AttemptState::Running);
    }),
    ("a second step goes along", &[Rule::Alone], |case| case.label(name(0), false)),
    ("two steps of one replica", &[Rule::Alone], |case| case.label(name(1), false)),
    ("a container without a lock, by nobody's word", &[Rule::LockMark], |case| {
        case.plan.memory.lockless.insert("container-9".into());
    }),
    ("a key that nobody gave", &[Rule::Key], |case| {
        case.plan.memory.used_keys.insert("AcceptLoss/x-0/0a1b".into());
    }),
    ("a key that does not fit is told as used", &[Rule::Key], |case| {
        let key = crate::key::Key::parse("AcceptLoss/x-0/0a1b").unwrap();
        case.plan.memory.used_keys.insert(key.text());
        case.plan.news.push(crate::plan::News::KeyUsed(key.text()));
        case.seen.target.keys.push(key);
    }),
    ("the set is paused", &[Rule::HandsOff], |case| case.seen.target.paused = true),
    ("the set is another's", &[Rule::HandsOff], |case| case.seen.foreign = Some("other".into())),
];

pub(super) fn read(case: &mut Case, container: ContainerId, locked: bool, state: AttemptState) {
    let pod = case.seen.replicas.values().find(|replica| {
        let here = replica.pod.as_ref().and_then(|pod| pod.container.as_ref());
        here.is_some_and(|c| c.id.as_ref() == Some(&container))
    });
    let (replica, pod) = (name(pod.unwrap().ordinal), pod.unwrap().pod.clone().unwrap().uid);
    let attempt =
        Attempt { replica, pod, container, command: Command::Read, locked, starts: 9, at_rest: true, state };
    case.seen.attempts.insert("another".into(), attempt);
}

#[test]
fn a_start_is_sent_as_it_is_promised() {
    each_is_caught(&Case::that_sends(power_cut(), Command::Seed), SENT);
}

/// What the audit says of a plan that closes the start of x-2, which answers Stopped.
pub(super) fn closed(evidence: impl Fn(&mut Case), start: impl Fn(&mut crate::start::Start)) -> bool {
    let mut case = Case::settled(running(false));
    case.answers(2, Some(7));
    case.always(2, |record: &mut Record| start(&mut record.open[0]));
    evidence(&mut case);
    case.after(2).open.clear();
    case.keeps(Rule::Unproven)
}

pub(super) fn container(case: &mut Case) -> ContainerId {
    case.seen.pod_mut(2).container.clone().unwrap().id.unwrap()
}

fn ripe(case: &mut Case, timer: impl Fn(&crate::start::Start) -> Timer) {
    let timer = timer(&case.after(2).open[0]);
    case.seen.ages.insert(timer, Age::Ripe);
}

#[test]
fn stopped_alone_closes_nothing() {
    let as_it_is = |_: &mut crate::start::Start| {};
    assert!(!closed(|_| {}, as_it_is));
    assert!(!closed(|case| read_in_place(case, false), as_it_is), "a command that did not take the lock");
    assert!(closed(|case| read_in_place(case, true), as_it_is), "the lock that was seen held is taken");
    assert!(
        !closed(|case| read_in_place(case, true), |start| start.lock = Lock::NotHeld),
        "a lock that was never held proves nothing"
    );
    assert!(!closed(|case| read_in_place(case, true), |start| start.boot = "".into()), "on another boot");
    assert!(closed(taken_where_no_boot_is_told, as_it_is), "whichever boot that is");
    assert!(!closed(unknown_boot, elsewhere), "a boot that is not told");
}

fn unknown_boot(case: &mut Case) {
    case.seen.nodes.values_mut().for_each(|node| node.boot = "".into());
}

fn taken_where_no_boot_is_told(case: &mut Case) {
    unknown_boot(case);
    read_in_place(case, true);
}

/// Its container is another's by now.
fn elsewhere(start: &mut crate::start::Start) {
    start.container = "before".into();
}

fn read_in_place(case: &mut Case, locked: bool) {
    let container = container(case);
    read(case, container, locked, ended());
}

#[test]
fn without_a_lock_stopped_must_ripen_in_a_confirmed_start() {
    let stopped = |case: &mut Case| ripe(case, |start| Timer::StoppedOpen(start.attempt.clone()));
    assert!(closed(stopped, |start| start.lock = Lock::NotHeld));
    assert!(!closed(stopped, |_| {}), "its lock was seen held");
    assert!(!closed(stopped, |start| (start.lock, start.confirmed) = (Lock::Unasked, false)));
    let busy = |case: &mut Case| {
        stopped(case);
        let container = container(case);
        read(case, container, false, AttemptState::Running);
    };
    assert!(!closed(busy, |start| start.lock = Lock::NotHeld), "a command is in flight");
}

#[test]
fn a_lock_that_a_later_command_made_unknown_is_not_as_a_record_of_before_says() {
    let mut case = Case::settled(running(false));
    let is_locked = |record: &mut Record, lock| record.open[0].lock = lock;
    case.always(2, |record| is_locked(record, Lock::Held));
    case.seen.replicas.get_mut(&name(2)).unwrap().claims[0].record.iter_mut().for_each(|record| {
        record.starts += 1;
        is_locked(record, Lock::Unasked);
    });
    case.after(2).starts += 1;
    assert_eq!(case.breaches(), [Rule::LockMark].into());
    is_locked(case.after(2), Lock::Unasked);
    assert_eq!(case.breaches(), [].into());
}

#[test]
fn a_container_that_ended_closes_only_what_cannot_begin_again() {
    let ended = |case: &mut Case| {
        let container = container(case);
        case.seen.terminated.insert(container);
    };
    assert!(closed(ended, |_| {}));
    assert!(
        !closed(ended, |start| (start.confirmed, start.began, start.ended) = (false, false, false)),
        "it may begin yet"
    );
    let unknown = |case: &mut Case| {
        case.seen.pod_mut(2).container.as_mut().unwrap().state =
            ContainerState::Terminated("ContainerStatusUnknown".into());
    };
    assert!(!closed(unknown, |_| {}), "the kubelet does not know");
}

#[test]
fn a_vanished_pod_closes_nothing_before_its_grace_period_and_never_where_the_lock_was_held() {
    let gone = |case: &mut Case| case.seen.pod_mut(2).uid = "new".into();
    let waited = |case: &mut Case| {
        gone(case);
        ripe(case, |start| Timer::Vanished(start.pod.clone()));
    };
    let unlocked = |start: &mut crate::start::Start| start.lock = Lock::NotHeld;
    assert!(!closed(gone, unlocked));
    assert!(closed(waited, unlocked));
    assert!(!closed(waited, |_| {}));
    let held = |case: &mut Case| {
        waited(case);
        case.seen.target.forced_deletion = crate::target::ForcedDeletion::Hold;
    };
    assert!(!closed(held, unlocked));
}

#[test]
fn nobody_has_left_while_what_it_ran_by_may_be_alive() {
    let mut case = Case::settled(running(false));
    case.answers(2, Some(7));
    case.always(2, |record| record.left = false);
    case.after(2).left = true;
    assert_eq!(case.breaches(), [Rule::Forgotten].into());
    case.always(2, |record| record.open.clear());
    assert_eq!(case.breaches(), [].into(), "it is over, and the others serve");
}

#[test]
fn nothing_starts_beside_an_open_start() {
    let mut world = running(false);
    world.restart(2);
    let mut case = Case::that_sends(world, Command::Join);
    case.always(2, |record| record.open.insert(0, start(2, "old")));
    assert_eq!(case.breaches(), [Rule::SecondStart].into());
}

#[test]
fn a_member_that_runs_has_an_open_start_and_no_standing_reading() {
    each_is_caught(
        &Case::settled(running(false)),
        &[
            ("its start is forgotten", &[Rule::Unpromised], |case| case.always(2, |r| r.open.clear())),
            ("it is as if at rest, with what was read then", &[Rule::Unpromised, Rule::Reading], |case| {
                case.always(2, |known| {
                    let read = record(2).starts(known.starts).at(9).reading;
                    (known.open, known.reading) = (Vec::new(), read);
                });
            }),
            ("a lock that nobody saw held", &[Rule::LockMark], |case| {
                case.always(2, |record| record.open[0].lock = Lock::NotHeld);
                case.after(2).open[0].lock = Lock::Held;
            }),
            ("a lock that was seen held is said to be free", &[Rule::LockMark], |case| {
                case.always(2, |record| record.open[0].lock = Lock::Held);
                case.after(2).open[0].lock = Lock::NotHeld;
            }),
            ("a lock that was seen held is said to be unknown", &[Rule::LockMark], |case| {
                case.always(2, |record| record.open[0].lock = Lock::Held);
                case.after(2).open[0].lock = Lock::Unasked;
            }),
            ("one is found that began from what nobody read", &[Rule::Unpromised], |case| {
                let mut found = case.after(2).open[0].clone();
                (found.attempt, found.kind) = ("found".into(), crate::start::StartKind::Found);
                (found.from, found.lock) = (Some(crate::Position::Ordinal(9)), Lock::NotHeld);
                case.after(2).open.push(found);
                case.after(2).starts += 1;
            }),
            ("fewer starts than before", &[Rule::Forgotten], |case| case.after(2).starts -= 1),
            ("an outage while members run", &[Rule::Candidates], |case| case.plan.memory.outages += 1),
            ("a key could be used again", &[Rule::Key], |case| {
                let key = crate::key::Key::parse("AcceptLoss/x-0/0a1b").unwrap();
                case.memory.used_keys.insert(key.text());
                case.seen.target.keys.push(key);
            }),
        ],
    );
}
