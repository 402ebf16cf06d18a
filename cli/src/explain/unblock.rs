//! What ends the waiting: one thing that is recommended, and what else there is.

mod commands;
mod corrections;
mod given;
mod way;

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use operator::api::condition::ConditionType;
use operator::api::{Reason, SetStatus};

use super::remedy::{By, Remedy};
use super::wait::Wait;
use super::{Standing, condition};
pub(super) use commands::Set;
pub(super) use way::{Gift, Way};

/// All ways on, the recommended first: what a person corrects without loss, where the cause is known; where it comes by
/// itself, to wait; else what a person does without a key; else the keys for all holds that need one; then each of those alone, then what comes by itself, and the keys for that. Of keys that
/// which does the least harm comes first.
pub(super) fn ways(set: &Set<'_>, standing: Standing, waits: &[Wait]) -> Vec<Way> {
    if is_unseen(set.status) {
        return vec![Way::by_hand(SEE.to_owned(), None, None)];
    }
    let needs_person = |wait: &&Wait| wait.needs_person();
    let (persons, others): (Vec<&Wait>, Vec<&Wait>) = waits.iter().partition(needs_person);
    let all: Vec<&Wait> = waits.iter().collect();
    let automatic = automatic(&others).filter(|_| standing != Standing::Ready);
    let corrections = set.corrections(waits);
    let (early, late) = if corrections.is_empty() { (None, automatic) } else { (automatic, None) };
    let by_hand =
        waits.iter().filter(|wait| wait.cause.is_none()).filter_map(|wait| set.by_hand(wait, waits));
    let mended = set.mended().into_iter().chain(by_hand);
    let mut ways: Vec<Way> = match standing {
        Standing::Blocked => {
            let best = persons.iter().filter_map(|wait| Some((*wait, wait.choices.first()?)));
            let first = set.together(&best.collect::<Vec<_>>()).map(|(_, way)| way);
            let lossless = corrections.into_iter().chain(mended).chain(early);
            lossless.chain(first).chain(set.keys(&persons)).chain(late).chain(set.keys(&all)).collect()
        }
        Standing::Working | Standing::Ready => {
            corrections.into_iter().chain(early).chain(late).chain(mended).chain(set.keys(&all)).collect()
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

/// Nobody looks at the set: what it waits for is of before, and no key would be used.
const SEE: &str = "let the operator look at it again, as the note says why it does not (a right that its role lacks, an \
                   API server that fails, a memory that it cannot read): nothing is done, and no key is used, before that";

/// Whether the operator cannot look at the set.
pub(crate) fn is_unseen(status: &SetStatus) -> bool {
    status.conditions.iter().any(says_unseen)
}

/// Whether this condition says so.
pub(super) fn says_unseen(condition: &Condition) -> bool {
    let is_it = |kind: ConditionType| condition.type_ == kind.as_str();
    let is_told = is_it(ConditionType::Stalled) || is_it(ConditionType::Reconciling);
    is_told && condition.status == "True" && condition.reason == Reason::ObservationFailed.as_str()
}

/// What is waited for and comes by itself, all of it.
fn automatic(waits: &[&Wait]) -> Option<Way> {
    let once = |wait: &Wait| match wait.remedy() {
        Some(Remedy::Itself(once)) => Some(once.replace("{}", subject(wait))),
        _ => None,
    };
    let mut told = BTreeSet::new();
    let once = by_place(waits.iter().copied()).into_iter().filter_map(once);
    let once: Vec<String> = once.filter(|one| told.insert(one.clone())).collect();
    let seconds = waits.iter().filter_map(|wait| wait.seconds).min();
    let way = Way::by_itself(format!("once {}", once.join("; ")), seconds);
    Some(way).filter(|_| !once.is_empty())
}

fn subject(wait: &Wait) -> &str {
    wait.blocker.as_deref().unwrap_or(&wait.scope)
}

/// In the order of those that they are about.
fn by_place<'a>(waits: impl Iterator<Item = &'a Wait>) -> Vec<&'a Wait> {
    let mut waits: Vec<&Wait> = waits.collect();
    waits.sort_by_key(|wait| place(subject(wait)));
    waits
}

/// By what names are sorted: the tenth member comes behind the second.
fn place(name: &str) -> (&str, Option<u64>, &str) {
    let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (word, name[word.len()..].parse().ok(), name)
}

/// What a set of which the mode keeps a person from approving anything needs.
const MODE: &str =
    "let a person approve what is planned, by another recovery.mode (Auto: it is done at once)";

/// The same, where a person has spoken: to have named a seed is to have approved it.
const MODE_OF_NAMED: &str =
    "let {} start, as a person named it by AcceptSeed: any other recovery.mode does so at once";

/// What is done by hand about all holds of one reason: they are steps of one cure, and none of them is the other way.
fn by_hand(what: &str, wait: &Wait, waits: &[Wait]) -> Way {
    let alike = by_place(waits.iter().filter(|other| other.reason == wait.reason));
    let subjects: Vec<&str> = alike.iter().map(|wait| subject(wait)).collect();
    let seconds = alike.iter().filter_map(|wait| wait.seconds).min();
    Way::by_hand(what.replace("{}", &subjects.join(", ")), None, seconds)
}

// === impl Set ===

impl Set<'_> {
    /// What a person can do about one of these holds without a key.
    fn by_hand(&self, wait: &Wait, waits: &[Wait]) -> Option<Way> {
        let Some(Remedy::Person(by)) = wait.remedy() else { return None };
        let (means, command) = match by {
            By::Key => return None,
            By::Edit => ("correct the specification".to_owned(), self.edit()),
            By::Mode => {
                let named = self.named.filter(|named| *named == subject(wait));
                let means = named.map_or(MODE.to_owned(), |named| MODE_OF_NAMED.replace("{}", named));
                (means, self.patch(r#"{"spec":{"recovery":{"mode":"Ask"}}}"#))
            }
            By::Scale => {
                let before = self.status.restore_replicas?;
                let command = format!("kubectl scale rss {} --replicas={before}", self.words());
                (format!("come back with the {before} replicas that it had"), command)
            }
            By::Resume => ("let the operator work".to_owned(), self.patch(r#"{"spec":{"paused":false}}"#)),
            By::Hand(what) => return Some(by_hand(what, wait, waits)),
        };
        Some(Way::by_hand(means, Some(command), wait.seconds))
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
        Some(Way::by_hand(means.to_owned(), Some(self.edit()), None))
    }
}
