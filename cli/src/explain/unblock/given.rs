//! Keys, each alone and several at once.

use planner::key::{Key, KeyKind};

use super::commands::Set;
use super::place;
use super::way::{Gift, Way};
use crate::explain::wait::{Choice, Harm, Wait};

/// Kinds of keys of which one about each of several members says no less than each alone.
const ADDED_UP: [KeyKind; 3] = [KeyKind::AssertFenced, KeyKind::AcceptLoss, KeyKind::AcceptErrant];

/// Of each wait the best choice of this kind.
fn of_kind<'a>(kind: KeyKind, waits: &[&'a Wait]) -> Vec<(&'a Wait, &'a Choice)> {
    let is_of = |choice: &&Choice| choice.kind() == Some(kind);
    waits.iter().filter_map(|wait| Some((*wait, wait.choices.iter().find(is_of)?))).collect()
}

// === impl Set ===

impl Set<'_> {
    /// All keys, each alone and those that add up together, the least harm first.
    pub(super) fn keys(&self, waits: &[&Wait]) -> Vec<Way> {
        let choices = waits.iter().flat_map(|wait| wait.choices.iter().map(move |choice| (*wait, choice)));
        let alone = choices.map(|(wait, choice)| (choice.harm(), self.alone(wait, choice)));
        let together = ADDED_UP.iter().filter_map(|kind| self.together(&of_kind(*kind, waits)));
        let mut all: Vec<(Harm, Way)> = alone.chain(together).collect();
        all.sort_by(|(harm, _), (other, _)| harm.cmp(other));
        all.into_iter().map(|(_, way)| way).collect()
    }

    fn alone(&self, wait: &Wait, choice: &Choice) -> Way {
        let (key, command) = match Key::parse(&choice.key) {
            Some(key) => match self.tool(&key) {
                Some(command) => (Gift::Tool, Some(command)),
                None => (Gift::Annotation, Some(self.annotate(&key.text()))),
            },
            None => (Gift::Unknown, None),
        };
        Way {
            loss: choice.loss.clone(),
            key: Some(key),
            ..Way::by_hand(choice.means.clone(), command, wait.seconds)
        }
    }

    /// Several keys can be given at once, in one line: one that came after another would take its place.
    pub(super) fn together(&self, best: &[(&Wait, &Choice)]) -> Option<(Harm, Way)> {
        let mut new: Vec<(Key, &Wait, &Choice)> = Vec::new();
        for (wait, choice) in best {
            let key = Key::parse(&choice.key).filter(|key| new.iter().all(|(known, ..)| known != key));
            new.extend(key.map(|key| (key, *wait, *choice)));
        }
        new.sort_by(|(key, ..), (other, ..)| place(&key.subject).cmp(&place(&other.subject)));
        // One starts first: to name several would be to name one of them.
        let begins = |key: &Key| matches!(key.kind, KeyKind::AcceptSeed | KeyKind::Approve);
        if new.len() < 2 || new.iter().filter(|(key, ..)| begins(key)).count() > 1 {
            return None;
        }
        let means: Vec<&str> = new.iter().map(|(.., choice)| choice.means.as_str()).collect();
        let keys: Vec<String> = new.iter().map(|(key, ..)| key.text()).collect();
        let seconds = new.iter().filter_map(|(_, wait, _)| wait.seconds).min();
        let command = Some(self.annotate(&keys.join(",")));
        let way = Way {
            loss: new.iter().filter_map(|(.., choice)| choice.loss.clone()).max(),
            key: Some(Gift::Annotation),
            ..Way::by_hand(means.join(", and "), command, seconds)
        };
        Some((new.iter().map(|(.., choice)| choice.harm()).max()?, way))
    }
}
