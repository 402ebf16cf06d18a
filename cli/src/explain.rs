//! `explain`: how a set is, what was decided and what was not, what it waits for, and the one thing that ends the waiting.

mod at;
mod data;
mod held;
mod known;
mod loss;
mod member;
mod missing;
mod notes;
mod remedy;
mod seed;
mod standing;
#[cfg(test)]
mod tests;
mod text;
mod unblock;
mod wait;

use anyhow::{Context, Result};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use k8s_openapi::jiff::Timestamp;
use operator::api::condition::ConditionType;
use operator::api::{ReplicatedStatefulSet, SetStatus};
use operator::report::words;
use planner::key::{Key, KeyKind};
use serde::Serialize;

use data::Data;
pub(crate) use held::Held;
pub(crate) use loss::Loss;
use notes::notes;
use seed::Seed;
pub(crate) use standing::Standing;
use unblock::Way;
pub(crate) use unblock::is_unseen;
pub(crate) use wait::Choice;
use wait::Wait;

/// The version of the JSON below. A member may be added to it; what one means changes with the version alone.
pub(crate) const API_VERSION: &str = "cli.clusterlabs.org/v1alpha1";

/// A set, explained.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Explained {
    api_version: &'static str,
    kind: &'static str,
    namespace: String,
    name: String,
    standing: Standing,
    /// The operator has its hands off, as `spec.paused` says.
    paused: bool,
    /// Members that serve, of those wanted, as "2/3".
    ready: Option<String>,
    phase: Option<String>,
    reason: Option<String>,
    /// Seconds since the set was last ready, if it is not.
    unready_seconds: Option<i64>,
    /// Nobody serves any more and the set is to be seeded: since when, in seconds; no number if that is not known.
    outage: Option<Outage>,
    /// Who takes the decisions.
    policy: String,
    /// What is wrong, or under way, in the words of the conditions.
    notes: Vec<String>,
    #[serde(flatten)]
    held: Held,
    /// The last choice of a seed, of this outage if there is one.
    seed: Option<Seed>,
    waits: Vec<Wait>,
    /// What ends the waiting; the first is recommended.
    unblock: Vec<Way>,
}

/// Nobody serves, and a seed is to be found.
#[derive(Debug, Serialize)]
struct Outage {
    /// Since nobody serves.
    seconds: Option<i64>,
}

/// What the resource says at this time; `again` is what commands have in them to ask the same cluster.
///
/// # Errors
/// If no operator has looked at it.
pub(crate) fn explain(set: &ReplicatedStatefulSet, now: Timestamp, again: &str) -> Result<Explained> {
    let status = status(set, again)?;
    let (namespace, name) = named(set);
    let data = Data::of(status, set.spec.replicas > 0);
    let mode = set.spec.recovery.as_ref().and_then(|recovery| recovery.mode).unwrap_or_default();
    let since = nobody_serves_since(status);
    let waits = Wait::all(&status.holds, &data, mode, now);
    let standing = Standing::of(status, &waits);
    Ok(Explained {
        api_version: API_VERSION,
        kind: "Explanation",
        standing,
        paused: status.control_paused,
        ready: status.ready.clone(),
        phase: status.phase.map(|phase| phase.as_str().to_owned()),
        reason: status.reason.clone(),
        unready_seconds: condition(status, ConditionType::Ready)
            .filter(|ready| ready.status == "False")
            .map(|ready| now.duration_since(ready.last_transition_time.0).as_secs()),
        outage: (data.is_outage() && data.epoch() > 0)
            .then(|| Outage { seconds: since.map(|since| now.duration_since(since).as_secs()) }),
        policy: policy(status),
        notes: notes(set, status, &data),
        held: Held::of(status, &data, now),
        seed: Seed::of(status, &data),
        unblock: unblock::ways(
            &unblock::Set { namespace: &namespace, name: &name, again, status, named: data.named() },
            standing,
            &waits,
        ),
        waits,
        namespace,
        name,
    })
}

/// What an operator wrote of a set; `again` is what commands have in them to ask the same cluster.
///
/// # Errors
/// If no operator has looked at it.
pub(crate) fn status<'a>(set: &'a ReplicatedStatefulSet, again: &str) -> Result<&'a SetStatus> {
    let status = set.status.as_ref().filter(|status| status.observed_generation.is_some_and(|g| g >= 0));
    status.with_context(|| {
        let (namespace, name) = named(set);
        format!(
            "no operator has looked at {namespace}/{name}: see whether one runs and covers this namespace \
             (`kubectl get deployments -A -l app.kubernetes.io/name=rss-operator{again}`)"
        )
    })
}

/// Its namespace and its name.
fn named(set: &ReplicatedStatefulSet) -> (String, String) {
    let (namespace, name) = (set.metadata.namespace.clone(), set.metadata.name.clone());
    (namespace.unwrap_or_default(), name.unwrap_or_default())
}

fn condition(status: &SetStatus, kind: ConditionType) -> Option<&Condition> {
    status.conditions.iter().find(|condition| condition.type_ == kind.as_str())
}

/// Since nobody serves, where that is so.
fn nobody_serves_since(status: &SetStatus) -> Option<Timestamp> {
    let available =
        condition(status, ConditionType::Available).filter(|available| available.status != "True");
    available.map(|available| available.last_transition_time.0)
}

/// Who decides, and where that came from.
fn policy(status: &SetStatus) -> String {
    let active = status.policy.as_ref();
    let image = active.and_then(|policy| policy.image.as_ref()).map(|image| format!(", image {image}"));
    let map = active
        .and_then(|policy| policy.config_map.as_ref())
        .map(|source| format!(", ConfigMap {}, key {}", source.name, source.key));
    format!("{}{}", words::policy(active), image.or(map).unwrap_or_default())
}

// === impl Explained ===

impl Explained {
    pub(crate) fn standing(&self) -> Standing {
        self.standing
    }

    /// Its namespace and its name.
    pub(crate) fn named(&self) -> (String, String) {
        (self.namespace.clone(), self.name.clone())
    }

    /// What is known of a replica's data that was not read since it stopped, in words.
    pub(crate) fn last_known(&self, replica: &str) -> Option<String> {
        self.held.last_known(replica)
    }

    pub(crate) fn into_held(self) -> Held {
        self.held
    }

    /// What holds offer of this kind, each once: with the message of its hold.
    pub(crate) fn offers(&self, kind: KeyKind) -> Vec<(Key, &str, &Choice)> {
        let choices =
            self.waits.iter().flat_map(|wait| wait.choices.iter().map(move |choice| (wait, choice)));
        let mut offers: Vec<(Key, &str, &Choice)> = Vec::new();
        for (wait, choice) in choices {
            let key = Key::parse(&choice.key).filter(|key| key.kind == kind);
            if let Some(key) = key.filter(|key| offers.iter().all(|(other, ..)| other != key)) {
                offers.push((key, &wait.message, choice));
            }
        }
        offers
    }
}
