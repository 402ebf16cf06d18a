//! What is waited for, and what a person may allow to end it.

use k8s_openapi::jiff::Timestamp;
use operator::api::{HoldStatus, RecoveryMode};
use planner::key::{Key, KeyKind};
use serde::Serialize;

use super::data::Data;
use super::loss::Loss;
use super::remedy::{Remedy, remedy};

/// The reason of a hold for a position.
const UNREAD: &str = "Unread";

/// A hold.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Wait {
    /// "set", or the replica that waits.
    pub(super) scope: String,
    pub(super) reason: String,
    pub(super) message: String,
    /// Who or what is in the way.
    pub(super) blocker: Option<String>,
    /// What a person corrects so that it ends without loss.
    pub(super) cause: Option<String>,
    /// For how long.
    pub(super) seconds: Option<i64>,
    /// This hold ends with another hold of the same replica, which has the cause.
    #[serde(skip)]
    pub(super) is_consequence: bool,
    /// What may be allowed, the least loss first, and what this tool does not know last.
    pub(super) choices: Vec<Choice>,
}

/// What a person may allow.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Choice {
    pub(crate) key: String,
    pub(crate) means: String,
    /// What it costs, where it may cost data.
    pub(crate) loss: Option<Loss>,
}

/// How one choice stands to another, the least harm first: what this tool does not know last, then what is lost, then how
/// much is allowed by it.
pub(super) type Harm = (bool, Option<Loss>, Option<KeyKind>);

// === impl Wait ===

impl Wait {
    fn of(hold: &HoldStatus, data: &Data, mode: RecoveryMode, now: Timestamp) -> Self {
        let mut choices: Vec<Choice> = hold.keys.iter().map(|key| Choice::of(key, data, mode)).collect();
        choices.sort_by_key(Choice::harm);
        Self {
            scope: hold.scope.clone(),
            reason: hold.reason.clone(),
            message: hold.message.clone().unwrap_or_default(),
            blocker: hold.blocker.clone(),
            cause: hold.cause.clone(),
            seconds: hold.since.as_ref().map(|since| now.duration_since(since.0).as_secs()),
            is_consequence: false,
            choices,
        }
    }

    /// All holds of a set. A position that is not read is the consequence of whatever else holds that replica.
    pub(super) fn all(holds: &[HoldStatus], data: &Data, mode: RecoveryMode, now: Timestamp) -> Vec<Self> {
        let mut waits: Vec<Self> = holds.iter().map(|hold| Self::of(hold, data, mode, now)).collect();
        let causes: Vec<String> =
            waits.iter().filter(|wait| wait.reason != UNREAD).map(|wait| wait.scope.clone()).collect();
        for wait in waits.iter_mut().filter(|wait| wait.reason == UNREAD) {
            wait.is_consequence = causes.contains(&wait.scope);
        }
        waits
    }

    /// The remedy that ends it now.
    pub(super) fn remedy(&self) -> Option<Remedy> {
        remedy(&self.reason, self.seconds.filter(|_| !self.is_consequence))
    }

    /// Nothing is known that ends it without a person.
    pub(super) fn needs_person(&self) -> bool {
        !matches!(self.remedy(), Some(Remedy::Itself(_)))
    }

    /// It might have ended by itself, and has lasted for too long.
    pub(super) fn lasts(&self) -> bool {
        self.needs_person() && matches!(remedy(&self.reason, None), Some(Remedy::Itself(_)))
    }
}

// === impl Choice ===

impl Choice {
    fn of(text: &str, data: &Data, mode: RecoveryMode) -> Self {
        let key = Key::parse(text);
        let loss = key.as_ref().and_then(|Key { kind, subject, .. }| match kind {
            KeyKind::AcceptLoss | KeyKind::AcceptErrant => Some(Loss::without(subject, data)),
            KeyKind::AcceptSeed => Some(Loss::starting_from(subject, data)),
            KeyKind::Approve => Some(Loss::going_on_from(subject, data)),
            KeyKind::AssertFenced | KeyKind::AcceptSize | KeyKind::Recreate => None,
        });
        // What it would allow nobody should be led to try.
        let unknown = || format!("{text}, a key that this tool does not know: use a newer one");
        let means = key.as_ref().map_or_else(unknown, |key| means(key, data, mode));
        Self { key: text.to_owned(), means, loss }
    }

    /// To give up one member's data says less than to name a seed, whatever the others hold: the kinds are in that order.
    pub(super) fn harm(&self) -> Harm {
        (self.kind().is_none(), self.loss.clone(), self.kind())
    }

    /// What kind of key it is, if this tool knows what that allows.
    pub(super) fn kind(&self) -> Option<KeyKind> {
        Key::parse(&self.key).map(|key| key.kind)
    }
}

/// What a person allows with a key, before it is allowed.
fn means(key: &Key, data: &Data, mode: RecoveryMode) -> String {
    let subject = &key.subject;
    match key.kind {
        KeyKind::AcceptLoss => {
            format!("go on without what {subject} holds, even if it comes back (this cannot be undone)")
        }
        KeyKind::AcceptSeed => {
            let again = match data.came_to_nothing(subject) {
                true => " once more, after a correction of commands.seed",
                false => "",
            };
            let but = match mode {
                // Beside members that run the word is none about who starts.
                RecoveryMode::PlanOnly if data.is_outage() => {
                    "; recovery.mode PlanOnly starts nobody, and any other then does so at once"
                }
                RecoveryMode::PlanOnly => "; recovery.mode PlanOnly starts nobody",
                RecoveryMode::Auto | RecoveryMode::Ask => "",
            };
            format!("start from {subject}{again}, whatever others hold beyond it{but}")
        }
        KeyKind::AcceptErrant => format!("overwrite the data of {subject} by a join"),
        KeyKind::AssertFenced => {
            format!("vouch that nothing started in pod {subject} is alive; look at the node first")
        }
        KeyKind::AcceptSize => format!("come back from 0 with {subject} replicas"),
        KeyKind::Approve => format!("go on from {subject}, as planned"),
        KeyKind::Recreate => "delete the StatefulSet, leave its pods alone, and make it again".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_key_says_what_it_means() {
        let data = Data::of(&operator::api::SetStatus::default(), true);
        let mode = RecoveryMode::Auto;
        for kind in KeyKind::ALL {
            let key = Key { kind, subject: "x-1".into(), facts: "0a".into() };
            let choice = Choice::of(&key.text(), &data, mode);
            assert!(
                choice.kind() == Some(kind) && !choice.means.contains("does not know"),
                "{}",
                choice.means
            );
            let costs_data = !matches!(kind, KeyKind::AssertFenced | KeyKind::AcceptSize | KeyKind::Recreate);
            assert_eq!(choice.loss, costs_data.then_some(Loss::Unknown), "{kind:?}");
        }
        let loss = Key { kind: KeyKind::AcceptLoss, subject: "x-1".into(), facts: "0a".into() };
        assert!(Choice::of(&loss.text(), &data, mode).means.contains("even if it comes back"));
        let later = Choice::of("Later/x/1", &data, mode);
        assert_eq!(later.means, "Later/x/1, a key that this tool does not know: use a newer one");
        assert_eq!(later.kind(), None);
    }
}
