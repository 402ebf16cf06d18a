//! The laws of coming to an end, on one screen: from every state, when nothing goes wrong any more, the world
//! comes to rest; there the set is well, or what it says that it waits for is true, and each key that it names
//! makes progress, until it is well.

use super::hold::{is_true, is_well};
use super::known::Known;
use super::look::Patience;
use super::moves::Move;
use super::print::{Print, fingerprint};
use super::{Rules, State};
use planner::key::{Key, KeyKind};
use planner::plan::{News, Reason, Scope};
use planner::{Hold, Plan};
use std::borrow::Cow;
use std::collections::HashSet;

/// A path longer than this never ends.
const LONGEST: usize = 2000;
/// Keys that a person gives, one after the other, before giving up.
const KEYS: u8 = 12;

/// Asks whether worlds come to rest.
#[derive(Debug)]
pub(crate) struct Rest<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) known: &'a Known,
    /// Where nobody lost data, nobody has to help.
    pub(crate) needs_nobody: bool,
    /// Worlds at rest that were not well, each with other holds or data.
    pub(crate) waiting: u64,
}

/// What is wrong, and what happened until then.
#[derive(Debug)]
pub(crate) struct Unrest {
    pub(crate) what: String,
    pub(crate) path: Vec<String>,
}

impl<'a> Rest<'a> {
    pub(crate) fn new(rules: &'a Rules, known: &'a Known) -> Self {
        Self { rules, known, needs_nobody: false, waiting: 0 }
    }

    /// The same of worlds in which nobody may wait for a person, if that is so.
    pub(crate) fn needs_nobody(self, needs_nobody: bool) -> Self {
        Self { needs_nobody, ..self }
    }

    /// From here the world comes to rest, and to a good end.
    pub(crate) fn of(&mut self, state: &State) -> Result<(), Unrest> {
        self.settle(state.calmed(self.rules), KEYS)
    }

    /// Whether that is known of it already, or of what comes next in a calm world: then it is known of both.
    pub(crate) fn follows(&self, print: Print, state: &State, next: &[(Move, Print, State)]) -> bool {
        if !state.is_calm() {
            return false;
        }
        let first = state.first();
        let settles = |(what, print, _): &(Move, Print, State)| {
            Some(*what) == first && self.known.settles(*print, self.needs_nobody)
        };
        let follows = next.iter().any(settles);
        if follows {
            self.known.settle(print, self.needs_nobody);
        }
        follows
    }

    fn settle(&mut self, mut state: Cow<'_, State>, keys: u8) -> Result<(), Unrest> {
        let rules = self.rules;
        let (mut path, mut seen): (Vec<Move>, HashSet<Print>) = (Vec::new(), HashSet::new());
        let told = |path: &[Move]| path.iter().map(|what| format!("{what:?}")).collect();
        loop {
            let print = fingerprint(&state);
            if self.known.settles(print, self.needs_nobody) {
                break;
            }
            let wrong = state.breach.clone().or_else(|| {
                (!seen.insert(print) || path.len() > LONGEST).then(|| "it never comes to rest".to_owned())
            });
            if let Some(what) = wrong {
                return Err(Unrest { what, path: told(&path) });
            }
            let Some((what, next)) = state.next(rules) else {
                self.at_rest(&state, keys).map_err(|unrest| Unrest {
                    path: told(&path).into_iter().chain(unrest.path).collect(),
                    ..unrest
                })?;
                break;
            };
            path.push(what);
            state = Cow::Owned(next);
        }
        seen.into_iter().for_each(|print| self.known.settle(print, self.needs_nobody));
        Ok(())
    }

    fn at_rest(&mut self, state: &State, keys: u8) -> Result<(), Unrest> {
        let rules = self.rules;
        let plan = state.plan_at_rest(rules);
        let wrong = |what: String| Err(Unrest { what, path: Vec::new() });
        let words = || plan.holds.iter().map(|hold| hold.reason.to_string()).collect::<Vec<_>>().join("; ");
        if let Some(hold) = plan.holds.iter().find(|hold| !is_true(state, rules, hold)) {
            return wrong(format!("at rest it says what is not so: {}", hold.reason));
        }
        let Err(ill) = is_well(state, rules) else { return Ok(()) };
        if plan.holds.iter().all(|hold| hold.keys.is_empty()) {
            return wrong(format!("nothing is done any more, {ill}, and no key is named [{}]", words()));
        }
        if keys == 0 {
            return wrong(format!("keys lead nowhere: {ill} [{}]", words()));
        }
        if self.needs_nobody {
            return wrong(format!("no data is lost, and it waits for a person: {ill} [{}]", words()));
        }
        self.waiting += 1;
        for hold in &plan.holds {
            for key in &hold.keys {
                let turned = turn(rules, state, &plan, (hold, key))
                    .and_then(|next| self.settle(Cow::Owned(next), keys - 1));
                turned.map_err(|unrest| Unrest {
                    path: std::iter::once(format!("a person gives {key}")).chain(unrest.path).collect(),
                    ..unrest
                })?;
            }
        }
        Ok(())
    }
}

/// Whether the plan after a key does what it did, and still waits for what the hold is about. That a member does not run is
/// also said where nothing waits for it: then it asks for no key, and something else must have come of the key: who is waited
/// for besides, or what is asked of a person.
pub fn stays(hold: &Hold, before: &Plan, after: &Plan) -> bool {
    let is_said = |other: &&Hold| other.scope == hold.scope && other.reason == hold.reason;
    let Some(said) = after.holds.iter().find(is_said) else { return false };
    if after.steps != before.steps {
        return false;
    }
    let is_only_told = matches!(said.reason, Reason::NotRunning(..)) && said.keys.is_empty();
    let besides =
        |plan: &Plan| plan.holds.iter().filter(|other| !is_said(other)).map(asks).collect::<Vec<_>>();
    !is_only_told || besides(before) == besides(after)
}

/// What a hold says and asks for, whatever its keys are bound to.
fn asks(hold: &Hold) -> (Scope, Reason, Vec<(KeyKind, String)>) {
    let keys = hold.keys.iter().map(|key| (key.kind, key.subject.clone())).collect();
    (hold.scope.clone(), hold.reason.clone(), keys)
}

/// The key is used, and then that hold is gone or something is done.
fn turn(rules: &Rules, state: &State, before: &Plan, (hold, key): (&Hold, &Key)) -> Result<State, Unrest> {
    let mut next = state.clone();
    next.give(key);
    let after = next.plan_at_rest(rules);
    let wrong = match () {
        () if !after.news.contains(&News::KeyUsed(key.text())) => Some("is refused"),
        () if stays(hold, before, &after) => Some("opens nothing"),
        () => None,
    };
    match wrong {
        Some(wrong) => {
            let what = format!("{:?} {} of {} {wrong}", key.kind, key.subject, hold.reason);
            Err(Unrest { what, path: Vec::new() })
        }
        None => Ok(next.looked(rules, Patience::Long).0),
    }
}
