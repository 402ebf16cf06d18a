//! What ends the waiting: one thing that is recommended, and what else there is.

mod commands;

use std::collections::BTreeSet;

use operator::api::Reason;
use operator::api::condition::ConditionType;
use planner::key::{Key, KeyKind};
use serde::Serialize;

use super::loss::Loss;
use super::remedy::{By, Remedy, remedy};
use super::wait::{Choice, Harm, Wait};
use super::{Standing, condition};
pub(super) use commands::Set;

/// One way on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Way {
    /// It comes by itself: nothing is to be done.
    pub(super) automatic: bool,
    /// What happens then.
    pub(super) means: String,
    /// What to type, where a command does it.
    pub(super) command: Option<String>,
    /// What it costs, where it may cost data.
    pub(super) loss: Option<Loss>,
    /// How long that has been waited for, in seconds.
    #[serde(skip)]
    pub(super) seconds: Option<i64>,
}

/// All ways on, the recommended first: where it comes by itself, to wait; else what a person does without a key; else the
/// keys for all holds that need one; then each of those alone, then what comes by itself, and the keys for that. Of keys that
/// which does the least harm comes first.
pub(super) fn ways(set: &Set<'_>, standing: Standing, waits: &[Wait]) -> Vec<Way> {
    let needs_person = |wait: &&Wait| !matches!(remedy(&wait.reason), Some(Remedy::Itself(_)));
    let (persons, others): (Vec<&Wait>, Vec<&Wait>) = waits.iter().partition(needs_person);
    let all: Vec<&Wait> = waits.iter().collect();
    let automatic = automatic(&others).filter(|_| standing != Standing::Ready);
    let by_hand = waits.iter().filter_map(|wait| set.by_hand(wait, waits));
    let mended = set.mended().into_iter().chain(by_hand);
    let mut ways: Vec<Way> = match standing {
        Standing::Blocked => {
            let best = persons.iter().filter_map(|wait| Some((*wait, wait.choices.first()?)));
            let first = set.together(&best.collect::<Vec<_>>()).map(|(_, way)| way);
            mended.chain(first).chain(set.keys(&persons)).chain(automatic).chain(set.keys(&all)).collect()
        }
        Standing::Working | Standing::Ready => {
            automatic.into_iter().chain(mended).chain(set.keys(&all)).collect()
        }
    };
    let mut seen = Vec::new();
    ways.retain(|way| {
        let is_new = !seen.contains(&(way.command.clone(), way.means.clone()));
        seen.push((way.command.clone(), way.means.clone()));
        is_new
    });
    ways
}

/// What is waited for and comes by itself, all of it.
fn automatic(waits: &[&Wait]) -> Option<Way> {
    let once = |wait: &&Wait| match remedy(&wait.reason) {
        Some(Remedy::Itself(once)) => Some(once.replace("{}", subject(wait))),
        _ => None,
    };
    let mut told = BTreeSet::new();
    let once: Vec<String> = waits.iter().filter_map(once).filter(|one| told.insert(one.clone())).collect();
    let seconds = waits.iter().filter_map(|wait| wait.seconds).min();
    let way = Way {
        automatic: true,
        means: format!("once {}", once.join("; ")),
        command: None,
        loss: None,
        seconds,
    };
    Some(way).filter(|_| !once.is_empty())
}

fn subject(wait: &Wait) -> &str {
    wait.blocker.as_deref().unwrap_or(&wait.scope)
}

/// Kinds of keys of which one about each of several members says no less than each alone.
const ADDED_UP: [KeyKind; 3] = [KeyKind::AssertFenced, KeyKind::AcceptLoss, KeyKind::AcceptErrant];

/// What a set of which the mode keeps a person from approving anything needs.
const MODE: &str =
    "let a person approve what is planned, by another recovery.mode (Auto: it is done at once)";

/// Of each wait the best choice of this kind.
fn of_kind<'a>(kind: KeyKind, waits: &[&'a Wait]) -> Vec<(&'a Wait, &'a Choice)> {
    let is_of = |choice: &&Choice| choice.kind() == Some(kind);
    waits.iter().filter_map(|wait| Some((*wait, wait.choices.iter().find(is_of)?))).collect()
}

/// What is done by hand about all holds of one reason: they are steps of one cure, and none of them is the other way.
fn by_hand(what: &str, wait: &Wait, waits: &[Wait]) -> Way {
    let alike = || waits.iter().filter(|other| other.reason == wait.reason);
    let subjects: Vec<&str> = alike().map(subject).collect();
    Way {
        automatic: false,
        means: what.replace("{}", &subjects.join(", ")),
        command: None,
        loss: None,
        seconds: alike().filter_map(|wait| wait.seconds).min(),
    }
}

// === impl Set ===

impl Set<'_> {
    /// What a person can do about one of these holds without a key.
    fn by_hand(&self, wait: &Wait, waits: &[Wait]) -> Option<Way> {
        let Some(Remedy::Person(by)) = remedy(&wait.reason) else { return None };
        let (means, command) = match by {
            By::Key => return None,
            By::Edit => ("correct the specification".to_owned(), self.edit()),
            By::Mode => (MODE.to_owned(), self.patch(r#"{"spec":{"recovery":{"mode":"Ask"}}}"#)),
            By::Scale => {
                let before = self.status.restore_replicas?;
                let command = format!("kubectl scale rss {} --replicas={before}", self.words());
                (format!("come back with the {before} replicas that it had"), command)
            }
            By::Resume => ("let the operator work".to_owned(), self.patch(r#"{"spec":{"paused":false}}"#)),
            By::Hand(what) => return Some(by_hand(what, wait, waits)),
        };
        Some(Way { automatic: false, means, command: Some(command), loss: None, seconds: wait.seconds })
    }

    /// All keys, each alone and those that add up together, the least harm first.
    fn keys(&self, waits: &[&Wait]) -> Vec<Way> {
        let choices = waits.iter().flat_map(|wait| wait.choices.iter().map(move |choice| (*wait, choice)));
        let alone = choices.map(|(wait, choice)| {
            let way = Way {
                automatic: false,
                means: choice.means.clone(),
                command: Key::parse(&choice.key).map(|key| self.allow(&key)),
                loss: choice.loss.clone(),
                seconds: wait.seconds,
            };
            (choice.harm(), way)
        });
        let together = ADDED_UP.iter().filter_map(|kind| self.together(&of_kind(*kind, waits)));
        let mut all: Vec<(Harm, Way)> = alone.chain(together).collect();
        all.sort_by(|(harm, _), (other, _)| harm.cmp(other));
        all.into_iter().map(|(_, way)| way).collect()
    }

    /// What no hold tells of: a resource or a policy that the operator does not take.
    fn mended(&self) -> Option<Way> {
        let is_false =
            |kind| condition(self.status, kind).is_some_and(|condition| condition.status == "False");
        let stuck = condition(self.status, ConditionType::Stalled).filter(|stalled| stalled.status == "True");
        let is_refused = stuck.is_some_and(|stalled| stalled.reason == Reason::ChildrenFailed.as_str());
        let means = match () {
            () if is_false(ConditionType::Accepted) || is_refused => "correct the specification",
            () if stuck.is_some() && is_false(ConditionType::PolicyReady) => {
                "correct spec.policy, or name another"
            }
            () => return None,
        };
        Some(Way {
            automatic: false,
            means: means.to_owned(),
            command: Some(self.edit()),
            loss: None,
            seconds: None,
        })
    }

    /// Several keys can be given at once, in one line: one that came after another would take its place.
    fn together(&self, best: &[(&Wait, &Choice)]) -> Option<(Harm, Way)> {
        let mut new: Vec<(Key, &Wait, &Choice)> = Vec::new();
        for (wait, choice) in best {
            let key = Key::parse(&choice.key).filter(|key| new.iter().all(|(known, ..)| known != key));
            new.extend(key.map(|key| (key, *wait, *choice)));
        }
        // One starts first: to name several would be to name one of them.
        let begins = |key: &Key| matches!(key.kind, KeyKind::AcceptSeed | KeyKind::Approve);
        if new.len() < 2 || new.iter().filter(|(key, ..)| begins(key)).count() > 1 {
            return None;
        }
        let means: Vec<&str> = new.iter().map(|(.., choice)| choice.means.as_str()).collect();
        let keys: Vec<String> = new.iter().map(|(key, ..)| key.text()).collect();
        let way = Way {
            automatic: false,
            means: means.join(", and "),
            command: Some(self.annotate(&keys.join(","))),
            loss: new.iter().filter_map(|(.., choice)| choice.loss.clone()).max(),
            seconds: new.iter().filter_map(|(_, wait, _)| wait.seconds).min(),
        };
        Some((new.iter().map(|(.., choice)| choice.harm()).max()?, way))
    }
}
