//! What one member's trouble means for the rest: it is passed over, or named in the very first look.

use super::{attempt, in_outage, ordered, proposed, runs, sends, serving};
use crate::fixture::{answer, container, holder, memory, name, record, stopped_set};
use crate::hold::Scope;
use crate::memory::Outage;
use crate::names::PodUid;
use crate::observation::{
    AttemptState, Command, Container, ContainerState, Observation, Refusal, Role, Status,
};
use crate::record::{Reading, Record};
use crate::timer::{Age, Timer};
use crate::{Memory, Plan, Step, decide};

fn seeds(plan: &Plan) -> bool {
    sends(plan, Command::Seed, 0)
}

/// Members 0 and 1 were read in an outage of epoch 2, and this is known of member 2.
fn beside(third: Record) -> Memory {
    in_outage(memory([record(0).confirmed_in(2).at(9), record(1).confirmed_in(2).at(5), third]))
}

#[test]
fn a_member_without_data_of_the_newest_epoch_keeps_nobody_from_being_seeded() {
    let joining = |mut record: Record| {
        record.joining = true;
        record
    };
    let left = |mut record: Record| {
        record.left = true;
        record
    };
    let unreadable = || Reading::Unreadable("exit 1".to_owned());
    for (sentence, third) in [
        ("its claim is new", record(2).reads(Reading::Empty)),
        ("its copy was cut off", joining(record(2).confirmed_in(2)).reads(unreadable())),
        (
            "its copy was cut off before anything was there",
            joining(record(2).confirmed_in(2)).reads(Reading::Empty),
        ),
        ("its data is of an older epoch", record(2).confirmed_in(1).at(99)),
        ("others went on without it", left(record(2).confirmed_in(2).at(12))),
    ] {
        let plan = decide(&proposed(stopped_set(3), 0), &beside(third));
        assert!(seeds(&plan), "{sentence}: {:?}", plan.holds);
    }
}

type Change = fn(&mut Observation);

fn says(seen: &mut Observation, state: ContainerState) {
    seen.pod_mut(2).container = Some(Container { id: Some(container(2)), state });
}

/// What is so of member 2, whose data was not read, and the word under which it is held at once.
const TROUBLES: [(&str, &str, Change); 12] = [
    ("it has no pod", "NotRunning", |seen| seen.replicas.get_mut(&name(2)).unwrap().pod = None),
    ("its pod has no node", "NotRunning", |seen| {
        (seen.pod_mut(2).container, seen.pod_mut(2).trouble) = (None, Some("Unschedulable".to_owned()));
    }),
    ("its image cannot be had", "NotRunning", |seen| {
        says(seen, ContainerState::Waiting("ErrImagePull".to_owned()));
    }),
    ("its container ends over and over", "NotRunning", |seen| {
        says(seen, ContainerState::Waiting("CrashLoopBackOff".to_owned()));
    }),
    ("its pod was evicted", "NotRunning", |seen| seen.pod_mut(2).finished = true),
    ("its pod is being deleted", "Unheard", |seen| seen.pod_mut(2).terminating = true),
    ("nothing is heard", "Unheard", |seen| seen.pod_mut(2).status = Status::Silent("lost".to_owned())),
    ("it hangs", "Unheard", |seen| seen.pod_mut(2).status = Status::Hung { shell_answers: true }),
    ("it says that it failed", "Failing", |seen| seen.pod_mut(2).status = answer(2, 1)),
    ("no command can be run there", "Unguarded", |seen| seen.pod_mut(2).unguardable = true),
    ("its record cannot be read", "RecordUnreadable", |seen| {
        seen.replicas.get_mut(&name(2)).unwrap().claims[0].unreadable = true;
    }),
    ("its volume is in use", "LockBusy", |seen| {
        seen.attempts.insert("r".into(), attempt(2, Command::Read, AttemptState::Refused(Refusal::LockBusy)));
    }),
];

#[test]
fn whom_a_recovery_waits_for_is_named_in_the_first_look_with_what_is_wrong() {
    let known =
        memory([record(0).confirmed_in(2).at(9), record(1).confirmed_in(2).at(5), record(2).confirmed_in(2)]);
    for (sentence, reason, change) in TROUBLES {
        let mut seen = proposed(stopped_set(3), 0);
        change(&mut seen);
        let plan = decide(&seen, &known);
        let named = |hold: &crate::Hold| {
            let (word, text) = (hold.reason.name(), hold.reason.to_string());
            word == reason && hold.scope == Scope::Replica(name(2)) && text.contains("x-2")
        };
        assert!(!seeds(&plan) && plan.holds.iter().any(named), "{sentence}: {:?}", plan.holds);
    }
}

#[test]
fn a_claim_that_is_being_deleted_still_holds_its_data() {
    let goes = |third: Record| {
        let mut seen = proposed(stopped_set(3), 0);
        seen.replicas.get_mut(&name(2)).unwrap().claims[0].terminating = true;
        decide(&seen, &beside(third))
    };
    assert!(sends(&goes(record(2).confirmed_in(2)), Command::Read, 2), "it is read like any other");
    assert!(!seeds(&goes(record(2).confirmed_in(2).at(12))), "and may hold more");
    assert!(seeds(&goes(record(2).confirmed_in(2).at(7))));
}

/// Member 3 has been waiting for a node for long, and never had any data.
fn pending(mut seen: Observation) -> Observation {
    let pod = seen.pod_mut(3);
    (pod.container, pod.node, pod.trouble) = (None, None, Some("Unschedulable".to_owned()));
    pod.status = Status::NotAsked;
    seen.replicas.get_mut(&name(3)).unwrap().claims.clear();
    seen.ages.insert(Timer::CannotStart(PodUid::from("pod-3")), Age::Ripe);
    seen
}

#[test]
fn a_pod_that_waits_for_a_node_holds_up_nobody_else() {
    let running = |n: u32| record(n).confirmed_in(1).open_start(&format!("a{n}"));
    let well = || pending(serving(4, 3));
    let known = memory((0..3).map(running));
    let plan = decide(&ordered(well(), &[0, 1, 2, 3]), &known);
    assert_eq!(plan.steps, [], "it is let alone itself");

    let unlabelled = |mut seen: Observation| {
        (seen.pod_mut(1).active, seen.pod_mut(1).role) = (Some(false), Some(Role::Stopped));
        seen
    };
    let mut failed = unlabelled(well().answers(1, 1));
    failed.ages.insert(Timer::Failed(name(1), container(1)), Age::Ripe);
    assert!(sends(&decide(&failed, &known), Command::Stop, 1), "a failed one is repaired");

    let mut hung = well();
    hung.pod_mut(1).status = Status::Hung { shell_answers: true };
    hung.ages.insert(Timer::Hung(name(1), container(1)), Age::Ripe);
    let recycled = |plan: &Plan| plan.steps.iter().any(|step| matches!(step, Step::Recycle { .. }));
    assert!(recycled(&decide(&hung, &known)), "a hung one is replaced");

    let stopped = ordered(unlabelled(well().answers(1, 7)), &[0, 1, 2, 3]);
    let known = memory([running(0), record(1).confirmed_in(1), running(2)]);
    assert!(sends(&decide(&stopped, &known), Command::Join, 1), "a stopped one joins");

    let dark = proposed(pending(stopped_set(4)), 0);
    let known = in_outage(memory((0..3).map(|n| record(n).confirmed_in(1).at(9 - u64::from(n)))));
    assert!(seeds(&decide(&dark, &known)), "a dark set is seeded");

    let (headless, known) = super::starts::headless(5, [7, 7]);
    let mut headless = ordered(headless, &[2, 1]);
    headless.replicas.insert(name(3), pending(stopped_set(4)).replicas.remove(&name(3)).unwrap());
    (headless.target.replicas, headless.workload.as_mut().unwrap().replicas) = (4, 4);
    assert!(sends(&decide(&headless, &known), Command::Promote, 2), "a lost primary is followed");
}

#[test]
fn a_set_that_is_well_is_left_alone_whatever_was_known_and_had_ripened() {
    let mut seen = ordered(serving(3, 3), &[2, 1, 0]);
    let mut known = memory((0..3).map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))));
    known.outage =
        Some(Outage { candidates: Some(vec![holder(2)]), named: Some(holder(2)), ..Outage::default() });
    seen.verdicts.seed = proposed(stopped_set(3), 2).verdicts.seed;
    for n in 0..3 {
        known.repairs.insert(name(n), 1);
        for timer in [
            Timer::Failed(name(n), container(n)),
            Timer::Hung(name(n), container(n)),
            Timer::Silent(name(n), container(n)),
            Timer::CannotStart(PodUid(format!("pod-{n}"))),
            Timer::Repaired(name(n), 1),
            Timer::Deadline(format!("a{n}").as_str().into()),
            Timer::StoppedOpen(format!("a{n}").as_str().into()),
        ] {
            seen.ages.insert(timer, Age::Ripe);
        }
    }
    let plan = decide(&seen, &known);
    assert_eq!(plan.steps, [], "somebody healed it, and nothing is left to do");
    assert!(plan.memory.outage.is_none() && runs(&plan).next().is_none());
    seen.pod_mut(1).role = Some(Role::Stopped);
    assert!(matches!(&decide(&seen, &known).steps[..], [Step::Label { active: true, .. }]), "but its label");
}
