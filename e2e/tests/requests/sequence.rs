//! Requests by chance: a seed is a sequence.

use super::chance::Chance;
use super::universe::Kind;

/// One request, before it is known which versions and UIDs there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) kind: Kind,
    /// Which of a few names.
    pub(crate) name: u64,
    pub(crate) act: Act,
    pub(crate) meant: Meant,
    /// Whose the fields are that it writes.
    pub(crate) manager: &'static str,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Create {
        way: u64,
    },
    Read,
    /// Of those with a label, or of those with one value of it.
    List {
        value: Option<u64>,
    },
    Replace(Edit),
    Merge(Edit),
    Strategic(Edit),
    ReplaceStatus {
        number: u64,
    },
    MergeStatus {
        number: u64,
    },
    Scale {
        to: u64,
    },
    Apply {
        way: u64,
        force: bool,
    },
    /// What was created becomes ours by server-side apply.
    TakeOver,
    Delete {
        grace: Option<u64>,
        orphan: bool,
    },
}

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    Nothing,
    Label(Option<u64>),
    Note(Option<u64>),
    Hold(bool),
    Spec(u64),
    Forbidden,
    /// The status, in a write of the whole.
    Status(u64),
}

/// Which object, and which version of it, is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meant {
    pub(crate) uid: Which,
    pub(crate) version: Which,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Unsaid,
    /// As it was seen last.
    Last,
    /// Another UID; an earlier version, if there is one.
    Other,
}

/// Names of each kind.
const NAMES: u64 = 2;
/// Steps of a sequence.
const STEPS: usize = 30;

/// The requests of a seed. They are about few kinds, so that much happens to each object.
pub(crate) fn sequence(seed: u64) -> Vec<Step> {
    let mut chance = Chance::new(seed);
    let kinds = [(); 3].map(|()| Kind::ALL[chance.index(Kind::ALL.len())]);
    (0..STEPS).map(|_| step(&mut chance, kinds)).collect()
}

fn step(chance: &mut Chance, kinds: [Kind; 3]) -> Step {
    let kind = kinds[chance.index(kinds.len())];
    let act = act(chance, kind);
    let which = |chance: &mut Chance| match chance.below(6) {
        0 => Which::Other,
        1..=3 => Which::Last,
        _ => Which::Unsaid,
    };
    let meant = Meant { uid: which(chance), version: which(chance) };
    let manager = if chance.one_in(4) { "other" } else { "ours" };
    Step { kind, name: chance.below(NAMES), act, meant, manager }
}

fn act(chance: &mut Chance, kind: Kind) -> Act {
    let way = chance.below(4);
    match chance.below(16) {
        0..=3 => Act::Create { way },
        4 => Act::Read,
        5 => Act::List { value: (way > 1).then_some(0) },
        6 | 7 => Act::Replace(edit(chance, kind)),
        8 | 9 => Act::Merge(edit(chance, kind)),
        10 if kind == Kind::Pod => Act::Strategic(edit(chance, kind)),
        11 | 12 => special(chance, kind, way),
        13 | 14 => {
            let grace = if chance.one_in(2) { None } else { Some(chance.below(3) * 5) };
            Act::Delete { grace, orphan: kind == Kind::Workload && chance.one_in(2) }
        }
        _ => Act::Merge(edit(chance, kind)),
    }
}

/// What some kinds have and others have not.
fn special(chance: &mut Chance, kind: Kind, way: u64) -> Act {
    match kind {
        _ if kind.is_custom() && way == 0 => Act::MergeStatus { number: chance.below(3) },
        _ if kind.is_custom() => Act::ReplaceStatus { number: chance.below(3) },
        Kind::Workload if way == 0 => Act::Scale { to: chance.below(3) },
        Kind::Workload if way == 1 => Act::TakeOver,
        Kind::Workload | Kind::Service | Kind::Budget => {
            Act::Apply { way: chance.below(4), force: !chance.one_in(3) }
        }
        _ => Act::Replace(edit(chance, kind)),
    }
}

fn edit(chance: &mut Chance, kind: Kind) -> Edit {
    let number = chance.below(3);
    match chance.below(9) {
        0 => Edit::Nothing,
        1 => Edit::Label((number > 0).then_some(number)),
        2 => Edit::Note((number > 0).then_some(number)),
        // A pod that is to go and is held is looked after by others than its kubelet.
        3 | 4 if kind != Kind::Pod => Edit::Hold(number > 0),
        5 if kind.forbidden().is_some() => Edit::Forbidden,
        6 if kind.is_custom() => Edit::Status(number),
        _ => Edit::Spec(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_sequence_and_a_few_hundred_ask_for_everything() {
        let told = |seed| format!("{:?}", sequence(seed));
        assert_eq!(told(7), told(7));
        assert_ne!(told(7), told(8));
        let all: Vec<Step> = (0..300).flat_map(sequence).collect();
        for kind in Kind::ALL {
            assert!(all.iter().any(|step| step.kind == kind), "{kind:?}");
        }
        let binds = |step: &&Step| matches!(step.act, Act::Apply { .. }) && step.meant.uid != Which::Unsaid;
        assert!(all.iter().any(|step| binds(&step)), "no apply names the object that it means");
        let acts: [fn(&Act) -> bool; 7] = [
            |act| matches!(act, Act::Strategic(Edit::Spec(_))),
            |act| matches!(act, Act::ReplaceStatus { .. }),
            |act| matches!(act, Act::Scale { .. }),
            |act| matches!(act, Act::Apply { force: false, .. }),
            |act| *act == Act::TakeOver,
            |act| matches!(act, Act::Delete { orphan: true, .. }),
            |act| matches!(act, Act::Delete { grace: Some(0), .. }),
        ];
        assert!(acts.iter().all(|is| all.iter().any(|step| is(&step.act))));
    }
}
