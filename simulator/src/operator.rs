//! The shell around the planner, as small as it can be: observe, judge, decide, audit, promise,
//! enact. It may die or freeze between any two effects, and what is not promised dies with it.

mod ages;
mod book;
mod enact;
mod observe;
mod promise;

use crate::world::World;
use crate::world::api::View;
use ages::Ages;
use book::Book;
pub(crate) use book::{Envelope, Letter};
use planner::names::{ContainerId, PodUid, ReplicaName, Revision};
use planner::record::Record;
use planner::timer::Age;
use planner::{Memory, Observation, Plan, Readiness, Step};
use std::collections::{BTreeSet, VecDeque};

/// The busy rhythm, in milliseconds.
const BUSY: u64 = 500;
/// The rhythm of a set in which nothing happens, in milliseconds.
const IDLE: u64 = 60_000;

/// Makes the plan; a test may put another in its place.
pub(crate) type Decide = fn(&Observation, &Memory) -> Plan;

/// One operator process after another: each death ends a life.
#[derive(Debug)]
pub(crate) struct Operator {
    pub(crate) number: usize,
    pub(crate) life: u64,
    /// When it acts next; an earlier or later call is not for it.
    pub(crate) due: u64,
    /// When its process is there.
    starts: u64,
    /// How much it has seen of what changes.
    pub(crate) seen: u64,
    /// The last moment at which it did, or promised, anything.
    pub(crate) acted: u64,
    /// How often it did.
    pub(crate) acts: u64,
    /// When it looked last.
    pub(crate) looked: u64,
    /// The pods of those that served then, whatever it saw of them.
    served: Vec<PodUid>,
    /// The plan of its last look.
    pub(crate) plan: Plan,
    /// What it said in its last look of a lights-out.
    pub(crate) readiness: Option<Readiness>,
    /// It is to end with this life.
    pub(crate) retired: bool,
    decide: Decide,
    view: Option<View>,
    book: Book,
    ages: Ages,
    terminated: BTreeSet<ContainerId>,
    reports: usize,
    peers: Vec<ReplicaName>,
    looks: u64,
    queue: VecDeque<Action>,
}

/// One effect that is due.
#[derive(Clone, Debug)]
enum Action {
    /// A record to a claim.
    Record { ordinal: u32, record: Box<Record>, version: u64 },
    /// Memory to the status.
    Memory { memory: Box<Memory>, version: u64 },
    /// What stands in Memory now is not told again.
    Forget(Box<Observation>),
    /// A step.
    Enact(Box<Step>),
    /// The StatefulSet.
    Children(Revision),
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Nothing that the world could tell.
    Quiet,
    /// An effect.
    Effect,
}

impl Operator {
    pub(crate) fn new(number: usize, world: &World, decide: Decide) -> Self {
        Self {
            number,
            life: 0,
            due: world.now,
            starts: world.now,
            seen: 0,
            acted: world.now,
            acts: 0,
            looked: world.now,
            served: Vec::new(),
            plan: Plan::default(),
            readiness: None,
            retired: false,
            decide,
            view: None,
            book: Book::default(),
            ages: Ages::default(),
            terminated: BTreeSet::new(),
            reports: world.reports.len(),
            peers: Vec::new(),
            looks: 0,
            queue: VecDeque::new(),
        }
    }

    /// It dies; the next one knows nothing of what this one only had in mind.
    pub(crate) fn die(&mut self, world: &mut World) {
        let (number, life) = (self.number, self.life + 1);
        world.say(|| format!("operator {number} dies"));
        let (acted, retired) = (world.now, self.retired);
        *self = Self { life, acted, retired, ..Self::new(number, world, self.decide) };
        self.stay_away(world.now + world.while_of(1000, 20_000));
    }

    /// Its process is not there until then.
    pub(crate) fn stay_away(&mut self, until: u64) {
        (self.starts, self.due) = (until, until);
    }

    /// One effect, or one look.
    pub(crate) fn act(&mut self, world: &mut World) -> Turn {
        if let Some(action) = self.queue.pop_front() {
            let is_effect = !matches!(action, Action::Forget(_) | Action::Children(_));
            let is_act = is_effect && !self.only_asks_again(&action);
            self.carry_out(world, action);
            let pause = if world.mishap(100) { 60_000 } else { 40 };
            let pause =
                if self.queue.is_empty() { world.while_of(100, BUSY) } else { world.while_of(1, pause) };
            self.due = world.now + pause;
            if is_act {
                self.acted = world.now;
                self.acts += 1;
            }
            return if is_effect { Turn::Effect } else { Turn::Quiet };
        }
        self.look(world);
        Turn::Quiet
    }

    /// While a person is awaited it is asked now and then whether the reason is still there.
    fn only_asks_again(&self, action: &Action) -> bool {
        let reads = matches!(action, Action::Enact(step)
            if matches!(&**step, Step::Run(run) if run.command == planner::observation::Command::Read));
        reads && self.plan.holds.iter().any(|hold| hold.reason.needs_person())
    }

    fn look(&mut self, world: &mut World) {
        (self.seen, self.looked) = (world.changes, world.now);
        self.served = crate::oracle::serving(world).map(|process| process.pod.clone()).collect();
        let fresh = self.view.is_none() || !world.mishap(15);
        let view = if fresh { world.view() } else { self.view.take().unwrap_or_else(|| world.view()) };
        let memory = view.resource.memory.clone().unwrap_or_default();
        let observation = self.observe(world, &view, &memory);
        self.readiness = self.foretell(world, &view, &observation, &memory);
        let plan = (self.decide)(&observation, &memory);
        self.tell(world, &plan);
        self.check(world, &observation, &memory, &plan);
        self.promise(&view, &observation, &memory, &plan);
        self.due = world.now + self.rest(world, &observation);
        self.view = Some(view);
        self.plan = plan;
    }

    /// The shell does not act on a plan that the audit refuses.
    fn check(&mut self, world: &mut World, observation: &Observation, memory: &Memory, plan: &Plan) {
        if observation.target.paused && !plan.steps.is_empty() {
            world.breach(format!("paused, and yet {:?}", plan.steps));
        }
        if let Err(breach) = crate::oracle::of_plan(observation, memory, plan) {
            world.breach(format!("by what was answered: {breach}"));
        }
        if world.options.audited
            && let Err(breach) = crate::audit::audit(observation, memory, plan)
        {
            world.breach(format!("the audit refuses the plan: {breach}"));
        }
    }

    fn tell(&self, world: &mut World, plan: &Plan) {
        let differs = self.plan.steps != plan.steps || self.plan.holds != plan.holds;
        if differs {
            let number = self.number;
            let holds =
                || plan.holds.iter().map(|hold| hold.reason.to_string()).collect::<Vec<_>>().join("; ");
            world.say(|| format!("operator {number} plans {} [{}]", steps(plan), holds()));
        }
        for news in &plan.news {
            world.say(|| format!("  news: {news:?}"));
        }
    }

    fn rest(&self, world: &mut World, observation: &Observation) -> u64 {
        if !self.queue.is_empty() {
            return world.while_of(1, 40);
        }
        let left = |age: &Age| match age {
            Age::TooSoon(0) => Some(BUSY),
            Age::TooSoon(millis) => Some((*millis).max(BUSY)),
            Age::Ripe => None,
        };
        let ripens = observation.ages.values().filter_map(left).min().unwrap_or(IDLE);
        if self.book.has_news(observation) { BUSY } else { ripens.min(IDLE) }
    }

    /// Something changed: it looks soon.
    pub(crate) fn wake(&mut self, world: &mut World) -> bool {
        let soon = world.now + BUSY;
        let asleep = world.now >= self.starts
            && self.queue.is_empty()
            && self.seen != world.changes
            && self.due > soon;
        if asleep {
            self.due = soon;
        }
        asleep
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }
}

fn steps(plan: &Plan) -> String {
    let word = |step: &Step| match step {
        Step::Run(run) => format!("{:?} {} ({:?}, {})", run.command, run.replica, run.cause, run.attempt),
        Step::Revoke { attempt, .. } => format!("Revoke {attempt}"),
        Step::Recycle { replica, cause, .. } => format!("Recycle {replica} ({cause:?})"),
        Step::Resize { to, if_from, cause, .. } => format!("Resize {if_from}->{to} ({cause:?})"),
        Step::Label { replica, active, .. } => format!("Label {replica} {active}"),
        Step::Recreate => "Recreate".to_owned(),
    };
    let words: Vec<String> = plan.steps.iter().map(word).collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}
