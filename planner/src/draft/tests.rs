//! What a command is sent with, and what is written down of a start before it is.

use super::Draft;
use crate::Position;
use crate::fixture::{answer, container, memory, name, record, running, stopped_set};
use crate::hold::{Hold, Reason};
use crate::key::KeyKind;
use crate::look::Look;
use crate::observation::{Command, ContainerState, Observation, Role, Status};
use crate::plan::{Cause, Plan, Step};
use crate::record::Record;
use crate::start::{Lock, Start, StartKind};
use crate::target::Identities;
use crate::timer::{Age, Timer};

/// A command to `x-0` of two members that answer this.
fn sent(codes: [i32; 2], command: Command, mine: Record) -> Plan {
    let mut seen: Observation = stopped_set(2).answers(0, codes[0]).answers(1, codes[1]);
    (seen.target.has_secondary, seen.target.primaries) = (true, 1);
    let look = Look::new(&seen, memory([mine, record(1).confirmed_in(1).open_start("b")]));
    let mut draft = Draft::new(&look, Vec::new());
    draft.run(&name(0), command, Cause::Answer);
    draft.plan
}

fn run(plan: &Plan) -> &crate::plan::Run {
    match &plan.steps[..] {
        [Step::Run(run)] => run,
        steps => panic!("{steps:?} {:?}", plan.holds),
    }
}

#[test]
fn the_volume_is_locked_by_what_touches_data_at_rest_and_by_a_probe() {
    for (sentence, code, command, locked) in [
        ("a reading at rest", 7, Command::Read, true),
        ("a reading of a member that runs", 0, Command::Read, false),
        ("a join", 7, Command::Join, true),
        ("a probe of a member that runs", 0, Command::Probe, true),
        ("a stop of a member that runs", 0, Command::Stop, false),
        ("a stop of one that says it is broken", 1, Command::Stop, false),
        ("a promotion", 0, Command::Promote, false),
    ] {
        let plan = sent([code, 8], command, record(0).confirmed_in(1));
        assert_eq!(run(&plan).lock, locked, "{sentence}");
    }
}

#[test]
fn what_several_rules_say_of_a_replica_is_one_hold_with_the_keys_of_all() {
    let seen = stopped_set(2);
    let look = Look::new(&seen, memory([record(0).confirmed_in(1)]));
    let mut draft = Draft::new(&look, Vec::new());
    let key = |ordinal| (KeyKind::AcceptSeed, name(ordinal).to_string());
    let reason = || Reason::NotRunning(name(0), "Error".to_owned());
    for keys in [vec![], vec![key(0)], vec![key(0), key(1)]] {
        draft.hold_replica(&name(0), reason(), &keys);
    }
    draft.hold(reason(), &[]);
    let keys = |hold: &Hold| hold.keys.iter().map(|key| key.subject.clone()).collect::<Vec<_>>();
    let [of_it, of_set] = &draft.plan.holds[..] else { panic!("{:?}", draft.plan.holds) };
    assert_eq!((keys(of_it), keys(of_set)), (vec!["x-0".to_owned(), "x-1".to_owned()], vec![]));
}

#[test]
fn nobody_is_read_before_all_are_heard_after_a_pause() {
    for (paused, reads) in [(false, 1), (true, 0)] {
        let seen = stopped_set(1);
        let mut look = Look::new(&seen, memory([record(0).confirmed_in(1)]));
        look.memory.paused = paused;
        let mut draft = Draft::new(&look, Vec::new());
        draft.run(&name(0), Command::Read, Cause::Answer);
        assert_eq!(draft.plan.steps.len(), reads, "unclear: {paused}");
    }
}

#[test]
fn who_was_told_to_lead_and_does_not_yet_is_not_told_to_follow_and_may_be_told_all_else() {
    let mut turning = record(0).confirmed_in(1).open_start("a");
    let told = &mut turning.open[0];
    (told.kind, told.confirmed) = (StartKind::Promote, false);
    for (sentence, command, mine, sent_to) in [
        ("a follow", Command::Follow, turning.clone(), 0),
        ("a follow of one that does so", Command::Follow, record(0).confirmed_in(1).open_start("a"), 1),
        ("a stop", Command::Stop, turning, 1),
    ] {
        assert_eq!(sent([0, 8], command, mine).steps.len(), sent_to, "{sentence}");
    }
}

#[test]
fn a_command_names_how_many_starts_there_were_and_a_start_counts_itself() {
    for (command, expected) in [(Command::Read, 3), (Command::Join, 4)] {
        let plan = sent([7, 8], command, record(0).confirmed_in(1).starts(3));
        assert_eq!(run(&plan).starts, expected, "{command:?}");
        assert_eq!(
            plan.memory.of(&name(0)).next().map(|record| record.starts),
            Some(expected),
            "{command:?}"
        );
    }
}

#[test]
fn a_promotion_that_opens_an_epoch_begins_with_what_the_member_said_and_one_beside_a_primary_with_nothing() {
    let mut mine = record(0).confirmed_in(1).open_start("a");
    mine.running = mine.clone().at(7).reading;
    for (sentence, other, from) in
        [("no primary lives", 0, Some(Position::Ordinal(7))), ("one lives", 8, None)]
    {
        let plan = sent([0, other], Command::Promote, mine.clone());
        let record = plan.memory.holders.values().find(|record| record.replica == name(0)).unwrap();
        assert_eq!(record.open.last().unwrap().from, from, "{sentence}");
    }
}

/// What has two members that serve, of which the second has this trouble, get another pod of it.
type Trouble = fn(&mut Observation, &mut Record);

const TROUBLES: [(&str, Trouble); 6] = [
    ("it hangs", |seen, _| {
        seen.pod_mut(1).status = Status::Hung { shell_answers: true };
        seen.ages.insert(Timer::Hung(name(1), container(1)), Age::Ripe);
    }),
    ("its stop did not help", |seen, mine| {
        let open = std::mem::take(&mut mine.open);
        rests(seen, mine);
        (seen.pod_mut(1).status, mine.open) = (answer(1, 1), open);
        seen.ages.insert(Timer::Failed(name(1), container(1)), Age::Ripe);
        mine.stop_tried = Some(container(1));
    }),
    ("it rests, with an older template", |seen, mine| {
        rests(seen, mine);
        seen.pod_mut(1).revision = "r0".into();
    }),
    ("its template could never start", |seen, mine| {
        let pod = seen.pod_mut(1);
        (pod.active, pod.role, pod.revision) = (None, None, "r0".into());
        pod.container.as_mut().unwrap().state = ContainerState::Waiting("ErrImagePull".to_owned());
        let stuck = Timer::CannotStart(pod.uid.clone());
        seen.ages.insert(stuck, Age::Ripe);
        *mine = record(1).starts(0);
    }),
    ("somebody holds its lock", |seen, mine| {
        rests(seen, mine);
        mine.lock_busy = true;
        seen.ages.insert(Timer::LockBusy(name(1), container(1)), Age::Ripe);
    }),
    ("its start came to nothing, and no lock tells", |seen, mine| {
        let start = mine.open[0].clone();
        rests(seen, mine);
        mine.open = vec![Start { confirmed: false, lock: Lock::NotHeld, ..start }];
        seen.ages.insert(Timer::StoppedOpen("b".into()), Age::Ripe);
    }),
];

fn rests(seen: &mut Observation, mine: &mut Record) {
    seen.pod_mut(1).status = answer(1, 7);
    (seen.pod_mut(1).active, seen.pod_mut(1).role) = (Some(false), Some(Role::Stopped));
    mine.open.clear();
}

fn in_trouble(trouble: Trouble, identities: Identities) -> Plan {
    let mut seen = running(2);
    seen.target.identities = identities;
    for ordinal in 0..2 {
        (seen.pod_mut(ordinal).active, seen.pod_mut(ordinal).role) = (Some(true), Some(Role::Primary));
    }
    let mut mine = record(1).confirmed_in(1).open_start("b");
    trouble(&mut seen, &mut mine);
    let known = memory([record(0).confirmed_in(1).open_start("a"), mine]);
    let plan = crate::decide(&seen, &known);
    assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
    plan
}

#[test]
fn a_member_gets_another_pod_whether_it_has_a_number_or_a_name_that_is_given_once() {
    for (sentence, trouble) in TROUBLES {
        for identities in [Identities::Numbered, Identities::GivenOnce] {
            let plan = in_trouble(trouble, identities);
            let is_its_pod =
                |step: &Step| matches!(step, Step::Recycle { replica, .. } if *replica == name(1));
            assert!(plan.steps.iter().any(is_its_pod), "{sentence}, {identities:?}: {:?}", plan.holds);
        }
    }
}

#[test]
fn who_runs_with_an_older_template_is_stopped_first() {
    let stale: Trouble = |seen, _| seen.pod_mut(1).revision = "r0".into();
    let stops = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Stop);
    for identities in [Identities::Numbered, Identities::GivenOnce] {
        assert!(in_trouble(stale, identities).steps.iter().any(stops), "{identities:?}");
    }
}
