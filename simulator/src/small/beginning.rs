//! Where exploration begins: a set that was well, and then each member hit by something.

use super::hold::is_well;
use super::life::Life;
use super::member::{Member, Setting};
use super::mishap::Mishap;
use super::moves::Budget;
use super::names::Serial;
use super::{Rules, State};
use std::fmt;

/// What happened to a member.
const BLOWS: [fn(usize) -> Option<Mishap>; 7] = [
    |_| None,
    |at| Some(Mishap::Kill(at)),
    |at| Some(Mishap::EndContainer(at, true)),
    |at| Some(Mishap::CutPower(at)),
    |at| Some(Mishap::DeleteByForce(at)),
    |at| Some(Mishap::Break(at)),
    |at| Some(Mishap::LoseClaim(at)),
];

/// And in a word.
const NAMES: [&str; 7] = ["well", "killed", "ended", "dark", "forced", "broken", "emptied"];

/// One state in which exploration begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// What kind of set.
    pub setting: Setting,
    /// Nothing ran before: pods with empty volumes.
    pub is_new: bool,
    /// What happened to each member, by its place in the list of blows.
    blows: Vec<usize>,
    /// The status was lost.
    forgotten: bool,
    /// A write that this member alone holds, of which a client was told.
    ahead: Option<usize>,
}

impl Start {
    /// A set that never ran.
    #[must_use]
    pub fn anew(setting: Setting) -> Self {
        Self { setting, is_new: true, blows: Vec::new(), forgotten: false, ahead: None }
    }

    /// All of three members that differ in more than the order of those that are not the first, which is the
    /// one that was seeded: whatever befell each, with or without the status. Where nobody runs, one of them
    /// may hold a write more; where the same befell the last two, the second stands for either.
    #[must_use]
    pub fn all(setting: Setting) -> Vec<Self> {
        let mut all = vec![Self::anew(setting)];
        for first in 0..BLOWS.len() {
            for second in 0..BLOWS.len() {
                for third in second..BLOWS.len() {
                    let blows = vec![first, second, third];
                    let dark = blows.iter().all(|blow| (1..=3).contains(blow));
                    let alone = if second == third { 0..2 } else { 0..3 };
                    let ahead = std::iter::once(None).chain(alone.filter(|_| dark).map(Some));
                    for (ahead, forgotten) in ahead.flat_map(|ahead| [(ahead, false), (ahead, true)]) {
                        all.push(Self { setting, is_new: false, blows: blows.clone(), forgotten, ahead });
                    }
                }
            }
        }
        all
    }

    /// Nobody lost data, and no write is with one member alone.
    #[must_use]
    pub fn keeps_its_data(&self) -> bool {
        !self.is_new && self.ahead.is_none() && self.blows.iter().all(|blow| *blow <= 3)
    }

    /// One of as many members as wanted, by chance.
    pub(crate) fn draw(setting: Setting, members: u32, chance: &mut crate::chance::Chance) -> Self {
        let blows: Vec<usize> = (0..members).map(|_| chance.index(BLOWS.len())).collect();
        let dark = blows.iter().all(|blow| (1..=3).contains(blow));
        let ahead = dark.then(|| chance.index(blows.len()));
        Self { setting, is_new: chance.one_in(20), blows, forgotten: chance.one_in(4), ahead }
    }

    /// What it makes of a set that is well.
    pub(crate) fn state(&self, rules: &Rules, well: &State, left: Budget) -> State {
        let mut state = if self.is_new { State::new(rules.options.replicas) } else { well.clone() };
        if !self.is_new {
            state.write_to(state.lineages, &(0..state.members.len()).collect::<Vec<_>>(), true);
            if let Some(ahead) = self.ahead {
                state.write_to(state.lineages, &[ahead], true);
            }
            for (at, blow) in self.blows.iter().enumerate() {
                BLOWS[*blow](at).into_iter().for_each(|mishap| state.suffer(rules, mishap));
            }
            if self.forgotten {
                state.suffer(rules, Mishap::Erase);
            }
        }
        state.left = left;
        state.tidy(rules);
        state
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.setting)?;
        if self.is_new {
            return write!(f, ", anew");
        }
        let blows: Vec<&str> = self.blows.iter().map(|blow| NAMES[*blow]).collect();
        write!(f, ", {}", blows.join(" "))?;
        self.ahead.iter().try_for_each(|at| write!(f, ", x-{at} ahead"))?;
        if self.forgotten { write!(f, ", forgotten") } else { Ok(()) }
    }
}

impl State {
    /// A set that became well by itself. The operator that made it so is gone by then.
    pub(crate) fn well(rules: &Rules) -> Self {
        let sound = Rules { decide: planner::decide, ..rules.clone() };
        let mut state = Self::new(rules.options.replicas);
        while let Some((_, next)) = state.next(&sound) {
            state = next;
        }
        if let Err(what) = is_well(&state, rules) {
            state.find_breach(|| format!("a new set does not become well: {what}"));
        }
        state.life = Life::default();
        state
    }

    /// Pods that wait, and nothing in their volumes.
    fn new(members: u32) -> Self {
        let mut serial = Serial::default();
        let places = (0..members).map(|_| Member::new(&mut serial)).collect();
        let mut state = Self {
            members: places,
            flights: Vec::new(),
            status: None,
            version: serial.name("version"),
            life: Life::default(),
            frozen: Vec::new(),
            writes: Vec::new(),
            lineages: 0,
            keys: Vec::new(),
            left: Budget::NOTHING,
            serial,
            breach: None,
        };
        (0..state.members.len()).for_each(|at| state.bring_up(at));
        state
    }
}
