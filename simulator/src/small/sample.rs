//! Where there is too much to explore: walks by chance through the same moves, each to a good end.

use super::known::Known;
use super::moves::Budget;
use super::rest::Rest;
use super::{Explorer, Found, Start, Tally};
use crate::chance::Chance;

/// Which walks.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// The seed of the first; each other's is one more.
    pub seed: u64,
    /// How many.
    pub count: u64,
    /// How far each goes at most.
    pub moves: u64,
    /// How much may go wrong in each.
    pub left: Budget,
}

impl Explorer {
    /// Walks from beginnings that chance draws; every state on the way is asked what every explored one is.
    ///
    /// # Errors
    /// The first thing that must not be, with its seed.
    pub fn walk(&self, walk: Walk) -> Result<Tally, Box<Found>> {
        let mut tally = Tally::default();
        for seed in walk.seed..walk.seed + walk.count {
            tally += one(self, Walk { seed, ..walk })?;
        }
        Ok(tally)
    }
}

fn one(explorer: &Explorer, walk: Walk) -> Result<Tally, Box<Found>> {
    let known = Known::default();
    let (rules, mut rest) = (&explorer.rules, Rest::new(&explorer.rules, &known));
    let mut chance = Chance::new(walk.seed);
    let start = Start::draw(explorer.setting, rules.options.replicas, &mut chance);
    let mut state = start.state(rules, &explorer.well, walk.left);
    let mut path = vec![format!("seed {}: {start:?}", walk.seed)];
    let mut tally = Tally::default();
    loop {
        if let Some(what) = state.breach.clone() {
            return Err(Box::new(Found { what, path }));
        }
        rest.of(&state).map_err(|unrest| {
            let path = path.iter().cloned().chain(unrest.path).collect();
            Box::new(Found { what: unrest.what, path })
        })?;
        let mut next = state.successors(rules);
        (tally.states, tally.transitions) = (tally.states + 1, tally.transitions + next.len() as u64);
        if next.is_empty() || tally.depth >= walk.moves {
            tally.waiting = rest.waiting;
            return Ok(tally);
        }
        let (what, after) = next.swap_remove(chance.index(next.len()));
        path.push(state.told(rules, what));
        (state, tally.depth) = (after, tally.depth + 1);
    }
}
