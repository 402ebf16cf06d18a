//! From one beginning into every state that can come of it, the nearest first, until there is no new one.

use super::member::Setting;
use super::moves::{Budget, Move};
use super::names::fingerprint;
use super::rest::Rest;
use super::{Rules, Start, State};
use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::ops::AddAssign;

/// How much was explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// States that differ.
    pub states: u64,
    /// Ways from one to another.
    pub transitions: u64,
    /// The most that happened on a shortest way.
    pub depth: u64,
    /// Worlds at rest that wait for a person.
    pub waiting: u64,
    /// Beginnings of which not all was explored, for a bound.
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
        self.depth = self.depth.max(other.depth);
        self.waiting += other.waiting;
        self.unfinished += other.unfinished;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { states, transitions, depth, waiting, unfinished } = self;
        write!(
            f,
            "{states} states, {transitions} transitions, depth {depth}, {waiting} times at rest for a person"
        )?;
        if *unfinished > 0 { write!(f, ", {unfinished} not to the end") } else { Ok(()) }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.iter().enumerate().try_for_each(|(at, line)| writeln!(f, "{:>4}  {line}", at + 1))?;
        write!(f, "{}", self.what)
    }
}

/// Explores sets of one kind.
#[derive(Debug)]
pub struct Explorer {
    pub(crate) setting: Setting,
    pub(crate) rules: Rules,
    /// Such a set when it is well.
    pub(crate) well: State,
}

/// How each state was reached first.
type Ways = Vec<(usize, Option<Move>)>;

impl Explorer {
    /// Of sets of this kind, with so many members.
    #[must_use]
    pub fn of(setting: Setting, members: u32) -> Self {
        Self::with(setting, Rules::of(setting, members))
    }

    /// Of the same sets, with a policy that may answer anything in each look.
    #[must_use]
    pub fn misled(self) -> Self {
        let rules = Rules { lies: true, ..self.rules };
        Self { rules, ..self }
    }

    pub(crate) fn with(setting: Setting, rules: Rules) -> Self {
        let well = State::well(&rules);
        Self { setting, rules, well }
    }

    /// Explores all that can come of this beginning, or the first so many states of it.
    ///
    /// # Errors
    /// The nearest thing that must not be.
    pub fn explore(&self, start: &Start, left: Budget, most: u64) -> Result<Tally, Box<Found>> {
        explore(&self.rules, start.state(&self.rules, &self.well, left), most)
    }
}

pub(super) fn explore(rules: &Rules, first: State, most: u64) -> Result<Tally, Box<Found>> {
    let mut rest = Rest::default();
    let mut tally = Tally::default();
    let mut known = HashSet::from([fingerprint(&first)]);
    let mut ways: Ways = vec![(0, None)];
    let mut queue = VecDeque::from([(0, 0, first.clone())]);
    while let Some((at, depth, state)) = queue.pop_front() {
        let told = |what, more| Box::new(Found { what, path: path(rules, &first, &ways, at, more) });
        if let Some(what) = state.breach.clone() {
            return Err(told(what, Vec::new()));
        }
        rest.of(rules, &state).map_err(|unrest| told(unrest.what, unrest.path))?;
        (tally.states, tally.depth) = (tally.states + 1, tally.depth.max(depth));
        for (what, next) in state.successors(rules) {
            tally.transitions += 1;
            if known.insert(fingerprint(&next)) {
                ways.push((at, Some(what)));
                queue.push_back((ways.len() - 1, depth + 1, next));
            }
        }
        if tally.states >= most && !queue.is_empty() {
            tally.unfinished = 1;
            break;
        }
    }
    tally.waiting = rest.waiting;
    Ok(tally)
}

/// What happened on the way to a state, with what the operator planned, and afterwards in a calm world.
fn path(rules: &Rules, first: &State, ways: &Ways, to: usize, more: Vec<String>) -> Vec<String> {
    let mut moves = Vec::new();
    let mut at = to;
    while let (before, Some(what)) = ways[at] {
        moves.push(what);
        at = before;
    }
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
