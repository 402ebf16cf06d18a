use super::{Doubt, Readiness, ready};
use crate::decision::{Candidate, Decisions, Judgement, SequenceOutput, Treatment, Verdict};
use crate::fixture::{container, holder, name, rehearsal, rehearsed_set, stopped_set};
use crate::guarantees::attempt;
use crate::hold::Reason;
use crate::memory::{Base, Outage};
use crate::names::ReplicaName;
use crate::observation::{AttemptState, Command, Observation, Role, Status};
use crate::plan::{Plan, Step};
use crate::position::{History, Position};
use crate::record::{HolderId, Reading, Record};
use crate::rehearsal::Heard;
use crate::start::Lock;
use crate::target::{Mode, Storage};
use crate::timer::{Age, Timer};
use crate::{Memory, decide};

/// Names the first that it is asked about.
struct First;

impl Decisions for First {
    fn sequence(&self, _: &SequenceOutput<'_>) -> Judgement {
        Reading::Empty.into()
    }
    fn seed(&self, candidates: &[Candidate]) -> Verdict<ReplicaName> {
        Verdict::Proposed { answer: candidates[0].replica.clone(), why: "first".to_owned() }
    }
    fn primaries(&self, members: &[Candidate]) -> Verdict<Vec<ReplicaName>> {
        let answer = members.iter().map(|member| member.replica.clone()).collect();
        Verdict::Proposed { answer, why: String::new() }
    }
    fn replicas(&self, _: &Candidate, _: &[ReplicaName]) -> Verdict<Treatment> {
        Verdict::Proposed { answer: Treatment::LeaveStopped, why: String::new() }
    }
}

fn word(readiness: Option<&Readiness>) -> String {
    match readiness {
        None => "not asked for".to_owned(),
        Some(Readiness::Ready(name, _)) => format!("ready by {name}"),
        Some(Readiness::NotReady(hold)) => {
            assert!(hold.keys.is_empty(), "they would open what is only imagined");
            format!("held: {}", hold.reason.name())
        }
        Some(Readiness::Unknown(doubt)) => format!("unknown: {}", doubt.name()),
    }
}

type Change = fn(&mut Observation, &mut Memory);

fn said_after(change: Change) -> String {
    let (mut seen, mut known) = rehearsed_set([5, 9, 7]);
    change(&mut seen, &mut known);
    let before = (seen.clone(), known.clone());
    let said = ready(&seen, &known, Ok(&First));
    assert_eq!((seen, known), before);
    word(said.as_ref())
}

fn says(known: &mut Memory, ordinal: u32, reading: Reading) {
    known.rehearsals.insert(name(ordinal), rehearsal(ordinal, reading));
}

fn history(source: &str, last: u64) -> Reading {
    Reading::At(Position::History(History::up_to(source, last)))
}

fn of_line(known: &mut Memory, last: [u64; 3]) {
    (0..3).zip(last).for_each(|(ordinal, last)| says(known, ordinal, history("a", last)));
}

fn is_away(seen: &mut Observation, ordinal: u32) {
    seen.replicas.get_mut(&name(ordinal)).unwrap().pod = None;
}

#[test]
fn what_would_become_of_a_lights_out_is_what_the_rules_would_do() {
    let cases: [(&str, Change, &str); 16] = [
        ("all answered", |_, _| {}, "ready by x-1"),
        ("nobody wants to know", |seen, _| seen.target.rehearsal_interval = None, "not asked for"),
        ("nobody is wanted", |seen, _| seen.target.replicas = 0, "not asked for"),
        ("hands off", |seen, _| seen.target.paused = true, "held: Paused"),
        ("a person is asked each time", |seen, _| seen.target.mode = Mode::Ask, "held: AwaitsApproval"),
        ("nobody may", |seen, _| seen.target.mode = Mode::PlanOnly, "held: PlannedOnly"),
        ("one was never asked", |_, known| _ = known.rehearsals.remove(&name(0)), "unknown: NotAsked"),
        (
            "one has answered too long ago",
            |seen, _| _ = seen.ages.insert(Timer::RehearsalOld("r1".into()), Age::Ripe),
            "unknown: Stale",
        ),
        (
            "one gave no answer",
            |_, known| known.rehearsals.get_mut(&name(1)).unwrap().heard = Heard::Nothing("late".into()),
            "unknown: NotHeard",
        ),
        (
            "one cannot be read while it runs",
            |_, known| says(known, 1, Reading::Unreadable("it runs".into())),
            "unknown: NotHeard",
        ),
        ("one has nothing", |_, known| says(known, 1, Reading::Empty), "held: LostData"),
        (
            "two went apart",
            |_, known| {
                of_line(known, [5, 5, 5]);
                says(known, 1, history("b", 5));
            },
            "held: Diverged",
        ),
        (
            "nobody has what the set began with",
            |_, known| {
                of_line(known, [5, 5, 5]);
                let position = Position::History(History::up_to("a", 6));
                known.epoch.base = Some(Base { position, measure: crate::fixture::measure(1) });
            },
            "held: BelowBase",
        ),
        (
            "one is silent",
            |seen, _| seen.pod_mut(2).status = Status::Silent("lost".into()),
            "unknown: Unheard",
        ),
        ("an outage goes on", |_, known| known.outage = Some(Outage::default()), "ready by x-1"),
        (
            "a start elsewhere may be alive",
            |_, known| {
                let start = &mut known.holders.get_mut(&holder(2)).unwrap().open[0];
                (start.container, start.lock) = ("another".into(), Lock::NotHeld);
            },
            "held: StartOpen",
        ),
    ];
    for (sentence, change, expected) in cases {
        assert_eq!(said_after(change), expected, "{sentence}");
    }
}

#[test]
fn a_lights_out_would_be_held_where_a_member_showed_more_before() {
    let showed_more: Change =
        |_, known| known.rehearsals.get_mut(&name(1)).unwrap().held = Some(Position::Ordinal(99));
    assert_eq!(said_after(showed_more), "held: PositionWentBack");
}

#[test]
fn what_ends_by_itself_in_a_set_that_is_well_makes_nobody_say_that_a_lights_out_would_not_be_recovered() {
    let cases: [(&str, Change, &str); 5] = [
        ("one says that it failed", |seen, _| *seen = seen.clone().answers(2, 1), "unknown: Changing"),
        (
            "one says so, and nothing may be done",
            |seen, _| {
                *seen = seen.clone().answers(2, 1);
                seen.target.paused = true;
            },
            "held: Paused",
        ),
        (
            "one is joining",
            |seen, known| {
                *seen = seen.clone().answers(2, 7);
                seen.attempts.insert("j".into(), attempt(2, Command::Join, AttemptState::Running));
                let record = known.holders.get_mut(&holder(2)).unwrap();
                record.starts += 1;
                let told = &mut record.open[0];
                (told.attempt, told.confirmed, told.lock) = ("j".into(), false, Lock::Unasked);
                told.ended = false;
            },
            "unknown: Changing",
        ),
        (
            "one has joined, and does not serve yet",
            |seen, known| {
                *seen = seen.clone().answers(2, 7);
                let record = known.holders.get_mut(&holder(2)).unwrap();
                record.starts += 1;
                let told = &mut record.open[0];
                (told.attempt, told.confirmed, told.lock) = ("j".into(), false, Lock::Unasked);
            },
            "unknown: Changing",
        ),
        ("there is no StatefulSet yet", |seen, _| seen.workload = None, "unknown: Changing"),
    ];
    for (sentence, change, expected) in cases {
        assert_eq!(said_after(change), expected, "{sentence}");
    }
}

#[test]
fn who_is_still_to_join_and_was_not_read_is_not_waited_for_where_nobody_can_be_asked() {
    let still_to_join: Change = |seen, known| {
        *seen = seen.clone().answers(2, 7);
        (seen.pod_mut(2).active, seen.pod_mut(2).role) = (Some(false), Some(Role::Stopped));
        let record = known.holders.get_mut(&holder(2)).unwrap();
        (record.joining, record.open) = (true, Vec::new());
    };
    assert_eq!(said_after(still_to_join), "ready by x-1");
}

#[test]
fn of_a_member_that_is_missing_what_it_held_when_it_was_stopped_counts_and_what_it_said_while_it_ran_does_not()
 {
    let missing: Change = |seen, known| {
        of_line(known, [9, 9, 7]);
        is_away(seen, 2);
        known.holders.get_mut(&holder(2)).unwrap().open.clear();
    };
    assert_eq!(said_after(missing), "held: Unread", "it may have gone on after it was asked");
    let read: Change = |seen, known| {
        of_line(known, [9, 9, 7]);
        is_away(seen, 2);
        let record = known.holders.get_mut(&holder(2)).unwrap();
        record.open.clear();
        *record = record.clone().reads(history("a", 7));
    };
    assert_eq!(said_after(read), "ready by x-0", "the others include what was read of it at rest");
    let ahead: Change = |seen, known| {
        of_line(known, [9, 9, 7]);
        is_away(seen, 2);
        let record = known.holders.get_mut(&holder(2)).unwrap();
        record.open.clear();
        *record = record.clone().reads(history("a", 10));
    };
    assert_eq!(said_after(ahead), "held: NotRunning", "it alone may seed");
}

#[test]
fn while_nobody_runs_it_is_not_for_a_rehearsal_to_say() {
    let (seen, known) = rehearsed_set([5, 9, 7]);
    let dark = (0..3).fold(seen, |seen, ordinal| seen.answers(ordinal, 7));
    assert_eq!(ready(&dark, &known, Ok(&First)), Some(Readiness::Unknown(Doubt::Outage)));
}

/// The same set with its data in containers.
fn in_containers() -> (Observation, Memory) {
    let (mut seen, mut known) = rehearsed_set([5, 9, 7]);
    seen.target.storage = Storage::Container;
    let records = std::mem::take(&mut known.holders).into_values();
    known.holders = records
        .zip(0..)
        .map(|(record, ordinal)| (HolderId::Container(container(ordinal)), record))
        .map(|(holder, record)| (holder.clone(), Record { holder, ..record }))
        .collect();
    known.rehearsals.values_mut().zip(0..).for_each(|(said, ordinal)| {
        said.holder = HolderId::Container(container(ordinal));
    });
    (seen, known)
}

#[test]
fn what_containers_hold_would_be_gone_and_all_would_begin_anew() {
    let (seen, mut known) = in_containers();
    let said = |known: &Memory| word(ready(&seen, known, Ok(&First)).as_ref());
    assert_eq!(said(&known), "ready by x-0");
    known.rehearsals.values_mut().for_each(|said| said.heard = Heard::Said(Reading::Empty.into()));
    assert_eq!(said(&known), "ready by x-0", "though nobody has written to it yet");
}

#[test]
fn without_a_policy_nobody_would_be_started() {
    let (seen, known) = rehearsed_set([5, 9, 7]);
    let said = ready(&seen, &known, Err("it is not there"));
    assert_eq!(word(said.as_ref()), "held: PolicyUnavailable");
}

#[test]
fn what_was_said_while_it_ran_is_never_what_a_seed_is_chosen_by() {
    let (seen, known) = rehearsed_set([5, 9, 7]);
    let dark = (0..3).fold(seen, |seen, ordinal| seen.answers(ordinal, 7));
    let mut closed = known.clone();
    closed.holders.values_mut().for_each(|record| record.open.clear());
    let plan = decide(&dark, &closed);
    assert!(plan.holds.iter().any(|hold| hold.reason.name() == "Unread"), "{:?}", plan.holds);
    let without = Memory { rehearsals: Default::default(), ..closed };
    assert_eq!(decide(&dark, &without).steps, plan.steps);
}

#[test]
fn only_of_whom_a_reading_is_asked_it_is_not_known_yet_what_it_holds() {
    let mut plan = decide(&stopped_set(1).answers(0, 7), &Memory::default());
    let asked = |plan: &Plan| plan.steps.iter().filter_map(super::read).count();
    assert_eq!(asked(&plan), 1, "{:?}", plan.steps);
    for step in &mut plan.steps {
        let Step::Run(run) = step else { continue };
        run.command = Command::Stop;
    }
    assert_eq!(asked(&plan), 0);
}

/// What is said of a set in which one is missing that was read at rest.
fn said_beside_one_that_left(change: Change) -> String {
    let (mut seen, mut known) = rehearsed_set([5, 9, 7]);
    of_line(&mut known, [9, 9, 7]);
    is_away(&mut seen, 2);
    let left = known.holders.get_mut(&holder(2)).unwrap();
    left.open.clear();
    *left = left.clone().reads(history("a", 7));
    change(&mut seen, &mut known);
    match ready(&seen, &known, Ok(&First)) {
        Some(Readiness::Unknown(doubt)) => doubt.to_string(),
        other => word(other.as_ref()),
    }
}

#[test]
fn where_nobody_is_asked_because_of_one_that_is_missing_that_one_is_named() {
    let keeps = "nobody is asked while x-2 is not well";
    let said = said_beside_one_that_left(|_, known| _ = known.rehearsals.remove(&name(0)));
    assert_eq!(said, format!("x-0 was not asked what it holds since its last start: {keeps}"));
    let said = said_beside_one_that_left(|seen, _| {
        seen.ages.insert(Timer::RehearsalOld("r1".into()), Age::Ripe);
    });
    assert_eq!(said, format!("what x-1 said of its data is too old: {keeps}"));
}

#[test]
fn of_a_claim_that_is_being_deleted_it_is_said_that_no_pod_would_start_on_it() {
    let (mut seen, known) = rehearsed_set([5, 9, 7]);
    seen.replicas.get_mut(&name(1)).unwrap().claims[0].terminating = true;
    let Some(Readiness::NotReady(hold)) = ready(&seen, &known, Ok(&First)) else { panic!() };
    assert_eq!(
        hold.reason.to_string(),
        "the position of x-1 is not known yet: its claim is being deleted, and no pod starts on it any more"
    );
}

#[test]
fn of_two_that_would_not_run_each_is_said_with_what_keeps_it_itself() {
    let (mut seen, mut known) = rehearsed_set([5, 9, 7]);
    of_line(&mut known, [7, 9, 9]);
    is_away(&mut seen, 0);
    let left = known.holders.get_mut(&holder(0)).unwrap();
    left.open.clear();
    *left = left.clone().reads(history("a", 7));
    seen.replicas.get_mut(&name(1)).unwrap().claims[0].terminating = true;
    let Some(Readiness::NotReady(hold)) = ready(&seen, &known, Ok(&First)) else { panic!() };
    assert_eq!(
        hold.reason.to_string(),
        "the position of x-1 is not known yet: its claim is being deleted, and no pod starts on it any more"
    );
}

#[test]
fn each_doubt_is_said_with_its_member_and_its_reason() {
    let (member, why) = (|| name(1), || "exit 1".to_owned());
    for (doubt, words) in [
        (Doubt::Outage, "no member runs"),
        (Doubt::NotAsked(member(), None), "x-1 was not asked what it holds since its last start"),
        (
            Doubt::NotAsked(member(), Some(name(2))),
            "x-1 was not asked what it holds since its last start: nobody is asked while x-2 is not well",
        ),
        (Doubt::NotHeard(member(), why()), "x-1 gave no position while it ran: exit 1"),
        (Doubt::Stale(member(), None), "what x-1 said of its data is too old"),
        (
            Doubt::Stale(member(), Some(name(2))),
            "what x-1 said of its data is too old: nobody is asked while x-2 is not well",
        ),
        (Doubt::Unheard(member(), why()), "it is not known how x-1 is: exit 1"),
        (Doubt::Changing, "something else would be done first"),
        (
            Doubt::Passing(Reason::Failing(member(), why())),
            "this would have to end first: x-1 says that it failed: exit 1",
        ),
    ] {
        assert_eq!(doubt.to_string(), words);
    }
}

#[test]
fn a_set_that_wants_no_primary_is_not_asked_and_who_needs_a_person_says_so_before_who_is_silent() {
    assert_eq!(said_after(|seen, _| seen.target.primaries = 0), "not asked for");
    let said = said_after(|seen, _| {
        seen.workload.as_mut().unwrap().immutable = Some("spec.serviceName".to_owned());
        seen.pod_mut(2).status = Status::Silent("lost".into());
    });
    assert_eq!(said, "held: Immutable");
}
