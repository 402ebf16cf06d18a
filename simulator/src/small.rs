//! A world so small that all of it can be explored: members, commands on their way, one operator after
//! another, and everything that may happen next, one thing at a time and in any order. The planner, its
//! Memory, its promises and its audit are the real ones.
//!
//! There is no clock. What waits for time is asked for by a look that comes after a while (`Patience`), and
//! comes only once nothing else was to be done.

mod application;
mod beginning;
mod calm;
mod clients;
mod commands;
mod enact;
mod explore;
mod hold;
mod known;
mod kubelet;
mod law;
mod lie;
mod life;
mod look;
mod member;
mod mishap;
mod moves;
mod names;
mod observe;
mod order;
mod person;
mod print;
mod printed;
mod rest;
#[cfg(test)]
mod sabotage;
#[cfg(test)]
mod same;
mod sample;
mod trouble;

use crate::operator::Decide;
use crate::options::Options;
use commands::Flight;
use enact::Effect;
use life::Life;
use member::Member;
use names::{Kept, Serial};
use planner::Memory;
use planner::key::Key;
use planner::names::PodUid;

pub use beginning::Start;
pub use explore::{Explorer, Found, Tally};
pub use member::Setting;
pub use moves::Budget;
pub use rest::stays;
pub use sample::Walk;

/// What does not change while a world is explored.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) options: Options,
    pub(crate) decide: Decide,
    /// A plan that the audit refuses is a fault; without it the laws of the world stand alone.
    pub(crate) audited: bool,
    /// A revoked command does not begin, nor one that began before.
    pub(crate) guarded: bool,
    /// A promise that fails ends the round.
    pub(crate) heeds: bool,
    /// A policy may answer anything in each look, until nothing goes wrong any more.
    pub(crate) lies: bool,
}

/// The world at one moment.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) members: Vec<Member>,
    pub(crate) flights: Vec<Flight>,
    pub(crate) status: Option<Kept<Memory>>,
    pub(crate) version: String,
    pub(crate) life: Life,
    /// What is left to do for a leader that was frozen and may wake.
    pub(crate) frozen: Vec<Effect>,
    pub(crate) writes: Vec<Write>,
    /// The newest lineage that began.
    pub(crate) lineages: u8,
    /// What a person allowed.
    pub(crate) keys: Vec<Key>,
    /// How much may still go wrong.
    pub(crate) left: Budget,
    pub(crate) serial: Serial,
    /// What is wrong with this world.
    pub(crate) breach: Option<String>,
}

/// One write of a client.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) lineage: u8,
    pub(crate) number: u64,
    /// A client was told that it is safe.
    pub(crate) acknowledged: bool,
    /// A person gave it up.
    pub(crate) given_up: bool,
}

impl Rules {
    /// The planner as it is.
    pub(crate) fn of(setting: Setting, members: u32) -> Self {
        let options = match setting {
            Setting::Equal => Options { replicas: members, primaries: members, ..Options::calm() },
            Setting::Followed => Options { replicas: members, ..Options::followed() },
        };
        Self { options, decide: planner::decide, audited: true, guarded: true, heeds: true, lies: false }
    }
}

impl State {
    pub(crate) fn find_breach(&mut self, what: impl FnOnce() -> String) {
        if self.breach.is_none() {
            self.breach = Some(what());
        }
    }

    /// The member that has this pod.
    pub(crate) fn at_pod(&self, pod: &PodUid) -> Option<usize> {
        self.members.iter().position(|member| member.pod.as_ref().is_some_and(|there| there.uid == *pod))
    }
}
