use crate::fixture::{memory, record, start, stopped_set};
use crate::guarantees::{Change, attempt, is_closed};
use crate::look::Look;
use crate::names::{ContainerId, NodeName, PodUid};
use crate::observation::{AttemptState, Command, Fate, Node, Role};
use crate::start::{Lock, Start};
use crate::target::{DetachedVolume, ForcedDeletion};
use crate::timer::{Age, Ripening, Timer};
use crate::{Memory, Observation, decide};

fn vanish(start: &mut Start) {
    start.pod = PodUid::from("before");
    start.container = ContainerId::from("before");
}

fn ripe_vanished(seen: &mut Observation) {
    seen.ages.insert(Timer::Vanished("before".into()), Age::Ripe);
}

fn elsewhere(start: &mut Start, seen: &mut Observation, ready: bool) {
    vanish(start);
    ripe_vanished(seen);
    (start.lock, start.node) = (Lock::Held, NodeName::from("node-9"));
    let node = Node { ready, boot: start.boot.clone(), out_of_service: false };
    seen.nodes.insert(start.node.clone(), node);
}

#[test]
fn a_node_that_an_administrator_vouches_for_is_not_off_for_a_member_that_answers_there() {
    let mut seen = stopped_set(1).answers(0, 0);
    (seen.pod_mut(0).active, seen.pod_mut(0).role) = (Some(true), Some(Role::Primary));
    seen.nodes.values_mut().for_each(|node| node.out_of_service = true);
    let known = decide(&seen, &memory([record(0).confirmed_in(1).open_start("a")])).memory;
    let plan = decide(&seen, &known);
    assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
    let of = |memory: &Memory| memory.holders.values().next().unwrap().clone();
    assert_eq!((of(&plan.memory).starts, of(&plan.memory).open), (1, vec![start(0, "a")]));
    let mut wrong = plan;
    wrong.memory.holders.values_mut().for_each(|record| record.open[0].attempt = "b".into());
    let found = crate::audit(&seen, &known, &wrong).unwrap_err();
    assert!(found.iter().any(|breach| breach.rule == crate::audit::Rule::Unproven), "{found:?}");
}

#[test]
fn what_only_time_shows_is_measured_and_nothing_else() {
    let timers = |lock: Lock, vanished: bool| {
        let seen = stopped_set(1);
        let mut known = record(0).confirmed_in(1).open_start("a");
        known.open[0].lock = lock;
        if vanished {
            vanish(&mut known.open[0]);
        }
        super::timers(&Look::new(&seen, memory([known])))
    };
    let looks = Ripening { seconds: 0, looks: super::STOPPED_LOOKS };
    assert_eq!(timers(Lock::NotHeld, false), [(Timer::StoppedOpen("a".into()), looks)].into());
    let grace = Ripening { seconds: 30, looks: 1 };
    assert_eq!(timers(Lock::NotHeld, true), [(Timer::Vanished("before".into()), grace)].into());
    assert!(timers(Lock::Held, false).is_empty() && timers(Lock::Held, true).is_empty());
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn only_what_proves_an_end_closes_a_start() {
    let cases: [(&str, Change, bool); 23] = [
        ("a member that answers Stopped once", |_, _| {}, false),
        (
            "a member that ran and answers Stopped in two looks",
            |_, seen| _ = seen.ages.insert(Timer::StoppedOpen("a".into()), Age::Ripe),
            true,
        ),
        (
            "a member that never ran and answers Stopped in two looks",
            |start, seen| {
                start.confirmed = false;
                seen.ages.insert(Timer::StoppedOpen("a".into()), Age::Ripe);
            },
            false,
        ),
        (
            "a member whose lock was seen held and that answers Stopped",
            |start, seen| {
                start.lock = Lock::Held;
                seen.ages.insert(Timer::StoppedOpen("a".into()), Age::Ripe);
            },
            false,
        ),
        (
            "a container that the kubelet saw end",
            |start, seen| _ = seen.terminated.insert(start.container.clone()),
            true,
        ),
        (
            "a container that ended before its command is known to have begun",
            |start, seen| {
                (start.confirmed, start.began, start.ended) = (false, false, false);
                seen.terminated.insert(start.container.clone());
            },
            false,
        ),
        (
            "the same, known to have begun, if not where",
            |start, seen| {
                (start.confirmed, start.began, start.ended) = (false, false, false);
                seen.terminated.insert(start.container.clone());
                seen.fates.insert("a".into(), Fate::Began);
            },
            false,
        ),
        (
            "the same, known to have begun before another container",
            |start, seen| {
                (start.confirmed, start.began, start.ended) = (false, false, false);
                seen.fates.insert("a".into(), Fate::Over);
            },
            true,
        ),
        (
            "a node that started anew",
            |start, _| (start.boot, start.container) = ("before".into(), "before".into()),
            true,
        ),
        (
            "a node that does not tell its boot now",
            |start, seen| {
                start.container = "before".into();
                seen.nodes.get_mut(&start.node).unwrap().boot = "".into();
            },
            false,
        ),
        (
            "a boot that was told late, of a container that runs",
            |start, _| start.boot = "before".into(),
            false,
        ),
        (
            "the same, in a pod that is told to end",
            |start, seen| {
                start.boot = "before".into();
                seen.pod_mut(0).terminating = true;
            },
            false,
        ),
        (
            "a node that an administrator vouches for",
            |start, seen| seen.nodes.get_mut(&start.node).unwrap().out_of_service = true,
            true,
        ),
        ("a pod that vanished", |start, _| vanish(start), false),
        (
            "a pod that vanished a grace period ago",
            |start, seen| {
                vanish(start);
                ripe_vanished(seen);
            },
            true,
        ),
        (
            "the same where the resource says Hold",
            |start, seen| {
                vanish(start);
                ripe_vanished(seen);
                seen.target.forced_deletion = ForcedDeletion::Hold;
            },
            false,
        ),
        (
            "the same with its lock seen held and its volume on the same node",
            |start, seen| {
                vanish(start);
                ripe_vanished(seen);
                start.lock = Lock::Held;
            },
            false,
        ),
        (
            "a volume that left its node, where the resource trusts that",
            |start, seen| {
                vanish(start);
                start.node = NodeName::from("node-9");
                seen.target.detached_volume = DetachedVolume::Closed;
            },
            true,
        ),
        (
            "a container that ended after its command was seen to end, and nothing else of it",
            |start, seen| {
                (start.confirmed, start.began) = (false, false);
                seen.terminated.insert(start.container.clone());
            },
            false,
        ),
        (
            "a member that answers Stopped in two looks, while a command runs in another container",
            |_, seen| {
                seen.ages.insert(Timer::StoppedOpen("a".into()), Age::Ripe);
                let mut other = attempt(0, Command::Read, AttemptState::Running);
                other.container = ContainerId::from("another");
                seen.attempts.insert("r".into(), other);
            },
            true,
        ),
        (
            "the same, while one runs in its own",
            |_, seen| {
                seen.ages.insert(Timer::StoppedOpen("a".into()), Age::Ripe);
                seen.attempts.insert("r".into(), attempt(0, Command::Read, AttemptState::Running));
            },
            false,
        ),
        (
            "a pod that vanished with its lock seen held, whose data is elsewhere by now",
            |start, seen| elsewhere(start, seen, true),
            true,
        ),
        (
            "the same, from a node that was not ready all the while",
            |start, seen| elsewhere(start, seen, false),
            false,
        ),
    ];
    for (sentence, change, expected) in cases {
        assert_eq!(is_closed(change), expected, "{sentence}");
    }
}
