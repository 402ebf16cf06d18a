//! Events: what changed, told once, each by one word of a closed set.

mod candidate;
mod order;
mod policy;
mod readiness;
mod reason;

pub use candidate::of_candidate;
pub use order::OrderTold;
pub use policy::{RefusalsTold, of_policy};
pub use readiness::of_readiness;
pub use reason::Reason;

use k8s_openapi::api::core::v1::ObjectReference;
use kube::runtime::events::{Event, EventType, Recorder};
use planner::Plan;
use planner::key::{Key, KeyKind};
use planner::names::ReplicaName;
use planner::plan::{News, Scope};

use crate::api::{self, HoldStatus, PolicyStatus};
use crate::policy::Interface;
use crate::report::words;
use crate::target::Notice;

/// The API server refuses longer notes.
const LONGEST_NOTE: usize = 1024;

/// Why a key opens nothing.
const NO_SUCH_KEY: &str = "the facts have changed, or it names nothing: status.holds has the keys of now";

/// One event, before it is addressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happened {
    /// Its word.
    pub reason: Reason,
    /// A person should look.
    pub is_warning: bool,
    /// The member that it is about.
    pub replica: Option<ReplicaName>,
    /// The same for people.
    pub note: String,
}

/// What a plan tells that the status before it did not: its news, and holds that only a person can
/// end. Other holds come and go by themselves; they stand in the status.
#[must_use]
pub fn transitions(plan: &Plan, policy: Option<&PolicyStatus>, before: &[HoldStatus]) -> Vec<Happened> {
    let mut all: Vec<Happened> = plan.news.iter().map(|one| news(one, plan, policy)).collect();
    let is_known = |name: &str, message: &str| {
        before.iter().any(|known| known.reason == name && known.message.as_deref() == Some(message))
    };
    for hold in plan.holds.iter().filter(|hold| hold.reason.needs_person()) {
        let note = words::reason(&hold.reason, policy);
        if !is_known(hold.reason.name(), &note) {
            let replica = match &hold.scope {
                Scope::Replica(name) => Some(name.clone()),
                Scope::Set => None,
            };
            let reason = Reason::Hold(hold.reason.name());
            all.push(Happened { reason, is_warning: true, replica, note });
        }
    }
    all
}

/// What in the resource has no effect.
#[must_use]
pub fn notice(notice: &Notice) -> Happened {
    let reason = Reason::Shell(notice.reason());
    Happened { reason, is_warning: true, replica: None, note: notice.to_string() }
}

/// A text that was meant as a key and is none.
#[must_use]
pub fn no_key(text: &str) -> Happened {
    let note = format!("{text:?} is no key: copy one from status.holds, as KIND/SUBJECT/FACTS");
    Happened { reason: Reason::KeyRefused, is_warning: true, replica: None, note }
}

/// Something that went wrong in the shell itself.
#[must_use]
pub fn trouble(reason: api::Reason, note: String) -> Happened {
    Happened { reason: Reason::Shell(reason), is_warning: true, replica: None, note }
}

fn news(news: &News, plan: &Plan, policy: Option<&PolicyStatus>) -> Happened {
    let (reason, is_warning, replica, note) = match news {
        News::OutageNoticed => (Reason::OutageNoticed, true, None, "no member runs any more".to_owned()),
        News::SeedChosen(who, why) => {
            let by = words::decider(policy, Interface::Seed);
            (Reason::SeedChosen, false, Some(who), format!("{who} seeds: {why} ({by})"))
        }
        News::EpochOpened(number, who) => {
            (Reason::EpochOpened, false, Some(who), format!("epoch {number} began with {who}"))
        }
        News::Joined(who) => (Reason::Joined, false, Some(who), format!("{who} is a member")),
        News::Adopted(who) => (Reason::Adopted, false, Some(who), format!("{who} was found running")),
        News::DataGone => {
            (Reason::DataGone, true, None, "all data of the set is gone; it begins anew".to_owned())
        }
        News::LineageChanged => {
            (Reason::LineageChanged, true, None, "the application began a new lineage".to_owned())
        }
        News::KeyUsed(key) => (Reason::KeyUsed, false, None, format!("{key} was used")),
        News::KeyRefused(key) => {
            let why = match seed_instead(key, plan) {
                Some(seed) => format!("one member starts, and {seed} names it"),
                None => NO_SUCH_KEY.to_owned(),
            };
            (Reason::KeyRefused, true, None, format!("{key} was refused: {why}"))
        }
        News::GivenUp(number, who) => (
            Reason::LossAccepted,
            true,
            Some(who),
            format!("epoch {number} began without {who}: what it alone may hold is given up"),
        ),
        News::LossAccepted(who) => (
            Reason::LossAccepted,
            true,
            Some(who),
            format!("another is promoted: what {who} may hold beyond it is given up"),
        ),
    };
    Happened { reason, is_warning, replica: replica.cloned(), note }
}

/// The key that names a seed in the place of this one.
fn seed_instead<'a>(refused: &str, plan: &'a Plan) -> Option<&'a str> {
    let names_a_seed = |text: &str| Key::parse(text).is_some_and(|key| key.kind == KeyKind::AcceptSeed);
    let mut used = plan.news.iter().filter_map(|news| match news {
        News::KeyUsed(text) if names_a_seed(text) => Some(text.as_str()),
        _ => None,
    });
    used.next().filter(|_| names_a_seed(refused))
}

/// Tells people.
pub fn publish(recorder: &Recorder, set: &ObjectReference, happened: &[Happened]) {
    write(recorder, set, happened.iter().map(|one| event(one, set)).collect());
}

/// Tells people one thing after the other, while the look goes on: nothing waits for an event. One that cannot be written
/// is logged: nothing may depend on it.
pub(crate) fn write(recorder: &Recorder, about: &ObjectReference, events: Vec<Event>) {
    if events.is_empty() {
        return;
    }
    let (recorder, about) = (recorder.clone(), about.clone());
    tokio::spawn(async move {
        for event in events {
            if let Err(error) = recorder.publish(&event, &about).await {
                tracing::warn!(reason = event.reason, %error, "failed to write an event");
            }
        }
    });
}

fn event(happened: &Happened, set: &ObjectReference) -> Event {
    let pod = happened.replica.as_ref().map(|name| ObjectReference {
        api_version: Some("v1".to_owned()),
        kind: Some("Pod".to_owned()),
        name: Some(name.0.clone()),
        namespace: set.namespace.clone(),
        ..ObjectReference::default()
    });
    Event { secondary: pod, ..told(happened.reason.as_str(), happened.is_warning, &happened.note) }
}

/// The recorder takes two events for one if all but their notes are the same, and then keeps the first note.
/// So the note's own hash is part of what was done; where one is about a member, that is named beside the note.
pub(crate) fn told(reason: &str, is_warning: bool, note: &str) -> Event {
    let note = note[..note.floor_char_boundary(LONGEST_NOTE)].to_owned();
    Event {
        type_: if is_warning { EventType::Warning } else { EventType::Normal },
        reason: reason.to_owned(),
        action: format!("{reason}-{:08x}", hash(&note)),
        note: Some(note),
        secondary: None,
    }
}

/// FNV-1a: short, and the same in every release.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Digest;
    use planner::Hold;
    use planner::plan::Reason as Why;

    fn hold(reason: Why) -> Hold {
        Hold { scope: Scope::Set, reason, keys: Vec::new(), cause: None }
    }

    fn said(happened: &[Happened]) -> Vec<&'static str> {
        happened.iter().map(|one| one.reason.as_str()).collect()
    }

    #[test]
    fn a_hold_for_a_person_is_told_when_it_appears_and_not_again() {
        let plan = Plan {
            holds: vec![hold(Why::SeedsExhausted(Vec::new())), hold(Why::Unread("rss-x-0".into(), None))],
            news: vec![News::OutageNoticed],
            ..Plan::default()
        };
        assert_eq!(said(&transitions(&plan, None, &[])), ["OutageNoticed", "SeedsExhausted"]);
        let known = HoldStatus {
            reason: "SeedsExhausted".into(),
            message: Some(Why::SeedsExhausted(Vec::new()).to_string()),
            ..HoldStatus::default()
        };
        assert_eq!(said(&transitions(&plan, None, &[known])), ["OutageNoticed"]);
    }

    #[test]
    fn of_two_that_were_named_as_seed_it_is_told_which_counts() {
        let (used, other) = ("AcceptSeed/rss-x-0/0a".to_owned(), "AcceptSeed/rss-x-1/0a".to_owned());
        let refused = |text: &str, used: &str| {
            let news = vec![News::KeyRefused(text.to_owned()), News::KeyUsed(used.to_owned())];
            transitions(&Plan { news, ..Plan::default() }, None, &[]).remove(0).note
        };
        assert_eq!(
            refused(&other, &used),
            format!("{other} was refused: one member starts, and {used} names it")
        );
        for (text, used) in [("AcceptLoss/rss-x-1/0a", &*used), (&*other, "AcceptLoss/rss-x-0/0a")] {
            assert_eq!(
                refused(text, used),
                format!(
                    "{text} was refused: the facts have changed, or it names nothing: status.holds has the keys of now"
                )
            );
        }
    }

    #[test]
    fn each_veto_of_a_verdict_is_an_event_with_policy_proposal_and_reason_in_one_sentence() {
        let status = |name: &str, exports: &[Interface]| PolicyStatus {
            name: Some(name.into()),
            version: Some("1.2".into()),
            digest: Some(Digest::of(b"")),
            exports: exports.iter().map(|interface| interface.versioned()).collect(),
            ..PolicyStatus::default()
        };
        let (who, why) = (|n: u8| ReplicaName(format!("x-{n}")), "it lacks 3".to_owned());
        let seed = Why::SeedRefused { proposed: who(1), why: why.clone() };
        let order = Why::OrderRefused { proposed: vec![who(1), who(0)], why: why.clone() };
        let leader = Why::LeaderRefused { member: who(2), proposed: who(9), why };
        for (interface, veto, word, proposed) in [
            (Interface::Seed, seed, "SeedRefused", "x-1 as seed"),
            (Interface::Primaries, order, "OrderRefused", "x-1, x-0 as order of primaries"),
            (Interface::Replicas, leader, "LeaderRefused", "that x-2 follows x-9"),
        ] {
            let plan = Plan { holds: vec![hold(veto)], ..Plan::default() };
            for (policy, name) in [
                (status("mine", &[interface]), "mine 1.2 sha256:e3b0c44298fc"),
                (status("mine", &[Interface::Sequence]), "largest-integer"),
            ] {
                let happened = transitions(&plan, Some(&policy), &[]);
                let [told] = &happened[..] else { panic!("{happened:?}") };
                let event = event(told, &ObjectReference::default());
                let sentence = format!("policy {name} proposed {proposed}; refused because it lacks 3");
                assert_eq!((event.reason.as_str(), event.note), (word, Some(sentence)));
                assert!(matches!(event.type_, EventType::Warning), "{word}");
            }
        }
    }

    #[test]
    fn two_events_that_say_different_things_are_never_taken_for_one() {
        let set = ObjectReference { namespace: Some("ns".into()), ..ObjectReference::default() };
        let chosen = |who: &str| {
            event(&news(&News::SeedChosen(who.into(), "it is first".into()), &Plan::default(), None), &set)
        };
        let (first, second) = (chosen("rss-x-0"), chosen("rss-x-1"));
        assert_ne!(first.secondary, second.secondary);
        assert_ne!(first.action, second.action);
        assert_eq!(first.action, chosen("rss-x-0").action, "and the same thing said twice is one");
        assert!(first.action.len() <= 128);
    }

    #[test]
    fn a_note_is_cut_between_characters() {
        let long = trouble(api::Reason::Breach, "ä".repeat(LONGEST_NOTE));
        let note = event(&long, &ObjectReference::default()).note.unwrap();
        assert!(note.len() <= LONGEST_NOTE && note.len() > LONGEST_NOTE - 2);
    }
}
