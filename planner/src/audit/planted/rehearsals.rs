//! Bugs of a plan that asks running members what they hold, or remembers what they said.

use super::{Case, Planted, each_is_caught, running};
use crate::audit::Rule;
use crate::audit::world::World;
use crate::decision::Judgement;
use crate::fixture::{holder, measure, name};
use crate::memory::Outage;
use crate::names::AttemptId;
use crate::observation::{Attempt, Command};
use crate::plan::{Plan, Run, Step};
use crate::position::{History, LONGEST, Position};
use crate::record::{Reading, Taken};
use crate::rehearsal::{Heard, Rehearsal};
use crate::timer::{Age, Timer};

const ASKED: &[Planted] = &[
    ("nobody wants to know", &[Rule::Rehearsal], |case| case.seen.target.rehearsal_interval = None),
    ("one does not run", &[Rule::Rehearsal, Rule::WrongPlace], |case| case.answers(2, Some(7))),
    ("one does not run, and is not asked", &[Rule::Rehearsal, Rule::WrongPlace], |case| {
        case.answers(2, Some(7));
        case.seen.pod_mut(2).active = Some(false);
        case.plan.steps.retain(|step| step.replica() != Some(&name(2)));
    }),
    ("one is not heard", &[Rule::Rehearsal, Rule::WrongPlace], |case| {
        case.answers(2, None);
        case.plan.steps.retain(|step| step.replica() != Some(&name(2)));
    }),
    ("one is of an older epoch", &[Rule::Rehearsal], |case| case.always(2, |record| record.confirmed = 0)),
    ("one has no place yet", &[Rule::Rehearsal], |case| case.seen.target.replicas = 4),
    ("an outage goes on", &[Rule::Rehearsal], |case| {
        case.memory.outage = Some(Outage::default());
        case.plan.memory.outage = Some(Outage::default());
        case.plan.memory.rehearsals.clear();
    }),
    ("a start is not confirmed", &[Rule::Rehearsal], |case| {
        case.always(2, |record| record.open.iter_mut().for_each(|start| start.confirmed = false));
    }),
    ("as if it were at rest", &[Rule::Rehearsal], |case| case.run().at_rest = true),
    ("with the volume lock", &[Rule::LockFlag], |case| case.run().lock = true),
    ("under another count of starts", &[Rule::Rehearsal], |case| case.run().starts += 1),
    ("beside something else", &[Rule::Rehearsal], |case| {
        case.plan.steps.pop();
        case.label(name(2), true);
    }),
    ("in another container", &[Rule::WrongPlace], |case| case.run().if_container = "another".into()),
    ("all answered a moment ago", &[Rule::Rehearsal], |case| {
        case.seen.ages.retain(|timer, _| !matches!(timer, Timer::Rehearsed(_)));
    }),
];

const REMEMBERED: &[Planted] = &[
    ("another number", &[Rule::Rehearsal], |case| {
        case.rehearsal(1).heard = Heard::Said(Reading::At(Position::Ordinal(99)).into());
    }),
    ("an answer where there was none", &[Rule::Rehearsal], |case| {
        case.rehearsal(1).heard = Heard::Nothing("late".into());
    }),
    ("an answer of a command that never was", &[Rule::Rehearsal], |case| {
        case.rehearsal(1).attempt = AttemptId::from("never");
    }),
    ("an answer of another member", &[Rule::Rehearsal], |case| {
        let other = case.rehearsal(2).clone();
        *case.rehearsal(1) = other;
    }),
    ("of data before a start", &[Rule::Rehearsal], |case| case.rehearsal(1).starts += 1),
    ("of data before a start, and remembered before", &[Rule::Rehearsal], |case| {
        case.rehearsal(1).starts += 1;
        case.memory.rehearsals = case.plan.memory.rehearsals.clone();
    }),
    ("an answer of another command", &[Rule::Rehearsal], |case| case.asked(1).command = Command::Read),
    ("an answer that another member was asked for", &[Rule::Rehearsal], |case| {
        case.asked(1).replica = name(2);
    }),
    ("an answer of before a start", &[Rule::Rehearsal], |case| case.asked(1).starts += 1),
    ("an answer of a container that is no more", &[Rule::Rehearsal], |case| {
        case.asked(1).container = "another".into();
        case.rehearsal(1).container = "another".into();
    }),
    ("an answer of another container", &[Rule::Rehearsal], |case| {
        case.rehearsal(1).container = "another".into();
    }),
    ("by another reader", &[Rule::Rehearsal], |case| case.rehearsal(1).reader = Some("another".into())),
    ("from before a pause", &[Rule::Rehearsal], |case| {
        case.memory.paused = true;
        case.memory.rehearsals = case.plan.memory.rehearsals.clone();
    }),
    ("taken for a reading at rest", &[Rule::Reading], |case| {
        let taken = case.taken(1);
        let record = case.after(1);
        record.reading = Some(taken);
    }),
    ("taken for what it held when its primary was lost", &[Rule::Reading], |case| {
        let taken = case.taken(1);
        case.after(1).running = Some(taken);
    }),
];

impl Case {
    fn rehearsal(&mut self, ordinal: u32) -> &mut Rehearsal {
        self.plan.memory.rehearsals.get_mut(&name(ordinal)).unwrap()
    }

    /// The command that a member answered to.
    fn asked(&mut self, ordinal: u32) -> &mut Attempt {
        let id = self.rehearsal(ordinal).attempt.clone();
        self.seen.attempts.get_mut(&id).unwrap()
    }

    /// What a member said while it ran, as if it were a reading.
    fn taken(&mut self, ordinal: u32) -> Taken {
        let outage = self.plan.memory.outages;
        let rehearsal = self.rehearsal(ordinal).clone();
        let Heard::Said(Judgement { reading, facts }) = rehearsal.heard else { panic!("an answer") };
        let (starts, container) = (rehearsal.starts, rehearsal.container);
        Taken { reading, starts, container, measure: measure(outage), cut: false, facts, raw: String::new() }
    }
}

/// A set that runs, and asks its members once in a minute.
fn rehearsing() -> World {
    let mut world = running(false);
    world.seen.target.rehearsal_interval = Some(60);
    world
}

/// The plan that asks for the second time.
fn asking() -> Case {
    let mut world = rehearsing();
    let first = Case::that_sends(rehearsing(), Command::Rehearse);
    assert!(first.plan.memory.rehearsals.is_empty(), "nobody had answered then");
    for _ in 0..2 {
        let plan = world.round();
        assert!(!plan.holds.iter().any(|hold| hold.reason.needs_person()));
    }
    Case::that_sends(world, Command::Rehearse)
}

/// The plan that remembers what was said.
fn answered() -> Case {
    Case::first(rehearsing(), |plan, _| plan.memory.rehearsals.len() == 3)
}

#[test]
fn members_are_asked_while_they_run_only_in_a_set_that_is_well() {
    let case = asking();
    let asks = |plan: &Plan| {
        let is_asked = |step: &Step| matches!(step, Step::Run(Run { command: Command::Rehearse, .. }));
        plan.steps.len() == 3 && plan.steps.iter().all(is_asked)
    };
    assert!(asks(&case.plan), "{:?}", case.plan.steps);
    assert!(
        case.seen.ages.iter().any(|(timer, age)| matches!((timer, age), (Timer::Rehearsed(_), Age::Ripe)))
    );
    each_is_caught(&case, ASKED);
}

#[test]
fn what_is_remembered_of_it_was_said_and_is_no_reading() {
    let mut case = answered();
    assert_eq!(case.after(1).holder, holder(1));
    each_is_caught(&case, REMEMBERED);
}

#[test]
fn a_position_is_remembered_up_to_just_the_length_that_a_claim_has_room_for() {
    let of = |source: usize| Position::History(History::up_to(&"s".repeat(source), 1));
    let frame = of(1).to_string().len() - 1;
    for (source, is_kept) in [(LONGEST - frame, true), (LONGEST - frame + 1, false)] {
        let mut case = answered();
        let id = case.rehearsal(1).attempt.clone();
        case.seen.verdicts.readings.insert(id, Reading::At(of(source)).into());
        case.rehearsal(1).heard = Heard::Said(Reading::At(of(source)).into());
        assert_eq!(case.breaches().is_empty(), is_kept, "{} bytes", of(source).to_string().len());
    }
}
