//! Chance that a seed repeats, and the faults that it draws.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

/// Numbers by chance: SplitMix64.
pub(crate) struct Chance(u64);

/// What is done to a set of three, by the ordinals of its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// SIGKILL to these databases; their pods are deleted with force, or stay.
    Kill { members: Vec<u32>, forced: bool },
    /// The database stands still.
    Freeze(u32),
    /// Its pod does not reach the other members, nor they it.
    CutOff(u32),
    /// Its node has no power.
    DarkNode(u32),
    /// Its note of the position is broken, which shows once its database has ended.
    BreakNote(u32),
    /// Its database is killed, and its data removed.
    Empty(u32),
    /// Every operator is killed.
    KillOperators,
    /// The operator that leads does not reach the API server.
    CutOffOperator,
    /// The API server is away for so long.
    DarkApi(Duration),
}

/// Faults, with a pause after each.
#[derive(Debug)]
pub(crate) struct Story {
    pub(crate) faults: Vec<(Fault, Duration)>,
    /// So long after that nothing is healed yet: often until all that can recover has.
    pub(crate) unhealed: Duration,
}

// === impl Chance ===

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Below a bound.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn member(&mut self) -> u32 {
        u32::try_from(self.below(3)).unwrap_or_default()
    }

    fn fault(&mut self) -> Fault {
        match self.below(14) {
            0..=2 => Fault::Kill { members: vec![0, 1, 2], forced: self.below(2) == 0 },
            3 | 4 => {
                let spared = self.member();
                let members = (0..3).filter(|member| *member != spared).collect();
                Fault::Kill { members, forced: self.below(2) == 0 }
            }
            5 => Fault::Kill { members: vec![self.member()], forced: self.below(2) == 0 },
            6 => Fault::Freeze(self.member()),
            7 | 8 => Fault::CutOff(self.member()),
            9 => Fault::DarkNode(self.member()),
            10 => Fault::KillOperators,
            11 => Fault::CutOffOperator,
            12 => Fault::DarkApi(Duration::from_millis(1_000 + self.below(15_000))),
            _ if self.below(2) == 0 => Fault::BreakNote(self.member()),
            _ => Fault::Empty(self.member()),
        }
    }

    /// Two to four faults. Data of one member at most is destroyed: of more, nobody could say what may be lost.
    pub(crate) fn story(&mut self) -> Story {
        let mut faults = Vec::new();
        for _ in 0..2 + self.below(3) {
            let fault = self.fault();
            let is_second = fault.destroys().is_some()
                && faults.iter().any(|(other, _): &(Fault, _)| other.destroys().is_some());
            if !is_second {
                faults.push((fault, Duration::from_millis(self.below(6_000))));
            }
        }
        let unhealed = if self.below(2) == 0 { 0 } else { 30_000 + self.below(60_000) };
        Story { faults, unhealed: Duration::from_millis(unhealed) }
    }
}

// === impl Fault ===

impl Fault {
    /// Whose data it destroys.
    pub(crate) fn destroys(&self) -> Option<u32> {
        match self {
            Self::BreakNote(member) | Self::Empty(member) => Some(*member),
            _ => None,
        }
    }
}

impl Display for Story {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let words = self.faults.iter().map(|(fault, pause)| format!("{fault:?}, {} ms", pause.as_millis()));
        f.write_str(&words.collect::<Vec<_>>().join("; "))?;
        write!(f, "; healed after {} ms more", self.unhealed.as_millis())
    }
}

#[test]
fn a_seed_is_one_story_and_another_seed_another() {
    let told = |seed| Chance::new(seed).story().to_string();
    assert_eq!(told(7), told(7));
    assert_ne!(told(7), told(8));
}

#[test]
fn about_every_second_story_is_healed_when_all_that_can_recover_has() {
    let long = (0..500).filter(|seed| Chance::new(*seed).story().unhealed >= Duration::from_secs(30)).count();
    assert!((200..300).contains(&long), "{long} of 500");
}

#[test]
fn every_kind_of_fault_is_drawn_and_data_of_two_members_is_never_destroyed() {
    let mut kinds = std::collections::BTreeSet::new();
    for seed in 0..500 {
        let story = Chance::new(seed).story();
        let destroyed = story.faults.iter().filter_map(|(fault, _)| fault.destroys()).count();
        assert!(destroyed <= 1, "{story}");
        kinds.extend(story.faults.iter().map(|(fault, _)| {
            let text = format!("{fault:?}");
            text.split(['(', ' ']).next().unwrap_or_default().to_owned()
        }));
    }
    assert_eq!(kinds.len(), 9, "{kinds:?}");
}
