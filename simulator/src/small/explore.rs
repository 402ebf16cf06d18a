//! From one beginning into every state that can come of it, until there is no new one.

use super::known::Known;
use super::member::Setting;
use super::moves::{Budget, Move};
use super::print::{Print, fingerprint};
use super::rest::Rest;
use super::{Rules, Start, State};
use std::collections::VecDeque;
use std::fmt;
use std::ops::AddAssign;
use std::sync::Arc;

/// As many states are looked through for a shorter way to what must not be.
const NEAR: u64 = 300_000;

/// How much was explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// States that differ.
    pub states: u64,
    /// Ways from one to another.
    pub transitions: u64,
    /// Those on which a policy lies.
    pub lies: u64,
    /// The most that happened on a way there.
    pub depth: u64,
    /// Worlds at rest that wait for a person.
    pub waiting: u64,
    /// Times that a beginning was not explored to the end, for a bound.
    pub unfinished: u64,
}

/// Something that must not be, and the shortest way there.
#[derive(Clone, Debug)]
pub struct Found {
    /// What is wrong.
    pub what: String,
    /// What happened, one thing after the other.
    pub path: Vec<String>,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.states += other.states;
        self.transitions += other.transitions;
        self.lies += other.lies;
        self.depth = self.depth.max(other.depth);
        self.waiting += other.waiting;
        self.unfinished += other.unfinished;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { states, transitions, lies, depth, waiting, unfinished } = self;
        write!(
            f,
            "{states} states, {transitions} transitions, depth {depth}, {waiting} times at rest for a person"
        )?;
        if *lies > 0 {
            write!(f, ", {lies} lies")?;
        }
        if *unfinished > 0 { write!(f, ", {unfinished} not to the end") } else { Ok(()) }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.iter().enumerate().try_for_each(|(at, line)| writeln!(f, "{:>4}  {line}", at + 1))?;
        write!(f, "{}", self.what)
    }
}

/// Explores sets of one kind. A state that comes of several beginnings is explored for the first of them.
#[derive(Debug)]
pub struct Explorer {
    pub(crate) setting: Setting,
    pub(crate) rules: Rules,
    /// Such a set when it is well.
    pub(crate) well: State,
    known: Known,
}

/// How a state was reached first.
type Way = Option<Arc<Moved>>;

#[derive(Debug)]
struct Moved {
    before: Way,
    what: Move,
}

/// A state that is to be explored.
struct Next {
    way: Way,
    depth: u64,
    print: Print,
    state: State,
}

impl Explorer {
    /// Of sets of this kind, with so many members.
    #[must_use]
    pub fn of(setting: Setting, members: u32) -> Self {
        Self::with(setting, Rules::of(setting, members))
    }

    /// Of the same sets, with a policy that may answer anything in each look.
    #[must_use]
    pub fn misled(self) -> Self {
        Self::with(self.setting, Rules { lies: true, ..self.rules })
    }

    pub(crate) fn with(setting: Setting, rules: Rules) -> Self {
        let well = State::well(&rules);
        Self { setting, rules, well, known: Known::default() }
    }

    /// Explores the first so many states that can come of this beginning, the nearest first.
    ///
    /// # Errors
    /// The nearest thing that must not be.
    pub fn explore(&self, start: &Start, left: Budget, most: u64) -> Result<Tally, Box<Found>> {
        let (known, first) = (Known::default(), start.state(&self.rules, &self.well, left));
        explore(self.rest(&known, start, left), first, Some(most))
    }

    /// Explores all that can come of this beginning and did not come of another one before.
    ///
    /// # Errors
    /// Something that must not be, and the shortest way there if it is near.
    pub fn exhaust(&self, start: &Start, left: Budget) -> Result<Tally, Box<Found>> {
        let first = start.state(&self.rules, &self.well, left);
        explore(self.rest(&self.known, start, left), first.clone(), None).map_err(|found| {
            let nearest = explore(self.rest(&Known::default(), start, left), first, Some(NEAR));
            nearest.err().unwrap_or(found)
        })
    }

    /// What is asked of all that comes of a beginning: whatever the operator meets, it needs no person where data is lost
    /// neither there nor by something that befalls the members, and nobody lies.
    fn rest<'a>(&'a self, known: &'a Known, start: &Start, left: Budget) -> Rest<'a> {
        let needs_nobody = start.keeps_its_data() && left.faults == 0 && !self.rules.lies;
        Rest::new(&self.rules, known).needs_nobody(needs_nobody)
    }
}

/// The nearest first until there are so many; or those found last first, of which fewer wait at a time.
pub(super) fn explore(mut rest: Rest<'_>, first: State, most: Option<u64>) -> Result<Tally, Box<Found>> {
    let (rules, known, alone) = (rest.rules, rest.known, rest.needs_nobody);
    let mut tally = Tally::default();
    let mut wait = VecDeque::new();
    let print = fingerprint(&first);
    wait.extend(known.find(print, alone).then(|| Next { way: None, depth: 0, print, state: first.clone() }));
    let pop = |wait: &mut VecDeque<Next>| if most.is_some() { wait.pop_front() } else { wait.pop_back() };
    while let Some(Next { way, depth, print, state }) = pop(&mut wait) {
        let told = |what, more| Box::new(Found { what, path: path(rules, &first, &way, more) });
        if let Some(what) = state.breach.clone() {
            return Err(told(what, Vec::new()));
        }
        let next: Vec<(Move, Print, State)> = state
            .successors(rules)
            .into_iter()
            .map(|(what, state)| (what, fingerprint(&state), state))
            .collect();
        if !rest.follows(print, &state, &next) {
            rest.of(&state).map_err(|unrest| told(unrest.what, unrest.path))?;
        }
        (tally.states, tally.depth) = (tally.states + 1, tally.depth.max(depth));
        tally.transitions += next.len() as u64;
        tally.lies += next.iter().filter(|(what, ..)| matches!(what, Move::LookBy(..))).count() as u64;
        for (what, print, state) in next {
            if known.find(print, alone) {
                let way = Some(Arc::new(Moved { before: way.clone(), what }));
                wait.push_back(Next { way, depth: depth + 1, print, state });
            }
        }
        if most.is_some_and(|most| tally.states >= most) && !wait.is_empty() {
            tally.unfinished = 1;
            break;
        }
    }
    tally.waiting = rest.waiting;
    Ok(tally)
}

/// What happened on the way to a state, with what the operator planned, and afterwards in a calm world.
fn path(rules: &Rules, first: &State, way: &Way, more: Vec<String>) -> Vec<String> {
    let moves: Vec<Move> =
        std::iter::successors(way.as_ref(), |moved| moved.before.as_ref()).map(|moved| moved.what).collect();
    let mut state = first.clone();
    let mut lines = Vec::new();
    for what in moves.into_iter().rev() {
        lines.push(state.told(rules, what));
        state = state.after(rules, what);
    }
    let quiet = (!more.is_empty()).then(|| "from here on nothing goes wrong".to_owned());
    lines.into_iter().chain(quiet).chain(more).collect()
}

impl State {
    /// A move, in words that say what it does here.
    pub(crate) fn told(&self, rules: &Rules, what: Move) -> String {
        match what {
            Move::Look(patience) => {
                let plan = self.plan(rules, patience);
                let holds: Vec<String> = plan.holds.iter().map(|hold| hold.reason.to_string()).collect();
                format!("{what:?}: {:?} [{}]", plan.steps, holds.join("; "))
            }
            Move::Effect => match self.life.queue.first() {
                Some(effect) => format!("Effect: {}", effect.told()),
                None => "Effect".to_owned(),
            },
            Move::Arrive(at) | Move::End(at) => {
                let flight = self.flights.get(at);
                format!("{what:?}: {:?}", flight.map(|flight| (&flight.attempt, &flight.ask)))
            }
            what => format!("{what:?}"),
        }
    }
}
