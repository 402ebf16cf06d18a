//! The world for somebody else's operator: what an API server shows of it, what it lets be changed, commands, and
//! misfortunes. It has no operator of its own, and knows nothing of versions: those are the API server's.

mod commands;
mod identities;
mod misfortune;
mod objects;

use crate::options::Options;
use crate::oracle;
use crate::settle;
pub use crate::world::Mark;
use crate::world::World;
pub use commands::{Began, Reply, Request};
pub use objects::Scale;
use std::collections::BTreeMap;

/// A world without an operator.
#[derive(Debug)]
pub struct Cluster {
    world: World,
    replies: BTreeMap<u64, Reply>,
    tickets: u64,
    began: Vec<Began>,
}

impl Cluster {
    /// A world with nothing in it but machines.
    #[must_use]
    pub fn new(seed: u64, options: Options) -> Self {
        let world = World::new(seed, options);
        Self { world, replies: BTreeMap::new(), tickets: 0, began: Vec::new() }
    }

    /// Lets everything happen up to this moment, in milliseconds since the beginning.
    pub fn run_until(&mut self, until: u64) {
        while let Some(event) = self.world.next(until) {
            self.world.happen(event);
            self.collect();
        }
        self.world.now = self.world.now.max(until);
    }

    /// When something happens next by itself.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        self.world.next_at()
    }

    /// Grows with everything that could be seen.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.world.changes
    }

    /// What the laws of safety found wrong.
    #[must_use]
    pub fn breaches(&self) -> &[String] {
        &self.world.breaches
    }

    /// Every wanted member runs, in one lineage, under the right label, and no other does; whoever takes writes lacks
    /// none that were acknowledged.
    ///
    /// # Errors
    /// With what is not so.
    pub fn is_well(&self) -> Result<(), String> {
        settle::is_well(&self.world)?;
        oracle::has_lost_nothing(&self.world)
    }

    /// What happened, if that is kept.
    #[must_use]
    pub fn trace(&self) -> &[String] {
        self.world.trace.lines()
    }

    /// Adds a line to what happened.
    pub fn say(&mut self, words: impl FnOnce() -> String) {
        self.world.say(words);
    }
}
