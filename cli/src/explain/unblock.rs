//! What ends the waiting: one thing that is recommended, and what else there is.

use operator::api::SetStatus;
use operator::api::condition::ConditionType;
use serde::Serialize;

use super::loss::Loss;
use super::remedy::{By, Remedy, remedy};
use super::wait::Wait;
use super::{Standing, condition};
use crate::shell;

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

/// What commands name.
pub(super) struct Set<'a> {
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
    /// What asks the same cluster again.
    pub(super) again: &'a str,
    pub(super) status: &'a SetStatus,
}

/// All ways on, the recommended first: where it comes by itself, to wait; else what a person does for all holds that
/// need one, at the least loss.
pub(super) fn ways(set: &Set<'_>, standing: Standing, waits: &[Wait]) -> Vec<Way> {
    let needs_person = |wait: &&Wait| !matches!(remedy(&wait.reason), Some(Remedy::Itself(_)));
    let (persons, others): (Vec<&Wait>, Vec<&Wait>) = waits.iter().partition(needs_person);
    let automatic = automatic(&others).filter(|_| standing != Standing::Ready);
    let all = waits.iter().flat_map(|wait| set.of(wait, waits));
    let mended = set.mended().into_iter();
    let first = together(set, &persons);
    let mut ways: Vec<Way> = match standing {
        Standing::Blocked => mended.chain(first).chain(all).chain(automatic).collect(),
        Standing::Working | Standing::Ready => automatic.into_iter().chain(mended).chain(all).collect(),
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
    let mut once: Vec<String> = waits.iter().filter_map(once).collect();
    once.dedup();
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

/// Several keys can be given at once: where several holds need a person, the best of each.
fn together(set: &Set<'_>, persons: &[&Wait]) -> Option<Way> {
    let best: Vec<_> =
        persons.iter().filter_map(|wait| wait.choices.first()).filter(|best| best.is_known()).collect();
    let [_, _, ..] = best.as_slice() else { return None };
    let keys: Vec<&str> = best.iter().map(|choice| choice.key.as_str()).collect();
    let means: Vec<&str> = best.iter().map(|choice| choice.means.as_str()).collect();
    Some(Way {
        automatic: false,
        means: means.join(", and "),
        command: Some(set.allow(&keys.join(","))),
        loss: best.iter().filter_map(|choice| choice.loss.clone()).max(),
        seconds: persons.iter().filter_map(|wait| wait.seconds).min(),
    })
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
    /// What a person can do about one of these holds.
    fn of(&self, wait: &Wait, waits: &[Wait]) -> Vec<Way> {
        let way = |means: String, command: Option<String>, loss: Option<Loss>| Way {
            automatic: false,
            means,
            command,
            loss,
            seconds: wait.seconds,
        };
        let of = self.words();
        let by = match remedy(&wait.reason) {
            Some(Remedy::Person(by)) => by,
            Some(Remedy::Itself(_)) | None => By::Key,
        };
        let by_hand = match by {
            By::Key => None,
            By::Edit => Some(way("correct the specification".to_owned(), Some(self.edit()), None)),
            By::Scale => self.status.restore_replicas.map(|before| {
                let command = format!("kubectl scale rss {of} --replicas={before}");
                way(format!("come back with the {before} replicas that it had"), Some(command), None)
            }),
            By::Resume => {
                let patch = r#"{"spec":{"paused":false}}"#;
                let command = format!("kubectl patch rss {of} --type=merge -p '{patch}'");
                Some(way("let the operator work".to_owned(), Some(command), None))
            }
            By::Hand(what) => Some(by_hand(what, wait, waits)),
        };
        let keys = wait.choices.iter().map(|choice| {
            let command = choice.is_known().then(|| self.allow(&choice.key));
            way(choice.means.clone(), command, choice.loss.clone())
        });
        by_hand.into_iter().chain(keys).collect()
    }

    /// What no hold tells of: a resource or a policy that the operator does not take.
    fn mended(&self) -> Option<Way> {
        let is_false =
            |kind| condition(self.status, kind).is_some_and(|condition| condition.status == "False");
        let is_stuck =
            condition(self.status, ConditionType::Stalled).is_some_and(|stalled| stalled.status == "True");
        let means = match () {
            () if is_false(ConditionType::Accepted) => "correct the specification",
            () if is_stuck && is_false(ConditionType::PolicyReady) => "correct spec.policy, or name another",
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

    fn allow(&self, keys: &str) -> String {
        let (of, keys) = (self.words(), shell::quoted(keys));
        format!("kubectl annotate --overwrite rss {of} clusterlabs.org/allow={keys}")
    }

    fn edit(&self) -> String {
        format!("kubectl edit rss {}", self.words())
    }

    /// The set, as commands name it, and where it is.
    fn words(&self) -> String {
        let [name, namespace] = [self.name, self.namespace].map(shell::word);
        format!("{name} -n {namespace}{}", self.again)
    }
}
