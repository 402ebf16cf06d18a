//! `explain`: how a set is, what was decided, what it waits for, and what would end the waiting.

#[cfg(test)]
mod tests;
mod text;

use std::process::ExitCode;

use anyhow::{Result, bail};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use k8s_openapi::jiff::Timestamp;
use operator::api::condition::ConditionType;
use operator::api::{HoldStatus, ReplicatedStatefulSet, SetStatus};
use operator::report::words;
use planner::key::{Key, KeyKind};
use serde::Serialize;

/// A set, explained.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Explained {
    namespace: String,
    name: String,
    standing: Standing,
    /// Members that serve, of those wanted, as "2/3".
    ready: Option<String>,
    phase: Option<String>,
    reason: Option<String>,
    /// Seconds since the set was last ready, if it is not.
    unready_seconds: Option<i64>,
    /// Who takes the decisions.
    policy: String,
    /// What is wrong, or under way, in the words of the conditions.
    notes: Vec<String>,
    members: Vec<Member>,
    waits: Vec<Wait>,
}

/// The set in one word; also the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Standing {
    /// All that is wanted is so.
    Ready,
    /// It comes by itself.
    Working,
    /// Only a person can help.
    Blocked,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Member {
    name: String,
    state: String,
    /// For how long.
    seconds: Option<i64>,
    position: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Wait {
    /// "set", or the replica that waits.
    scope: String,
    reason: String,
    message: String,
    /// For how long.
    seconds: Option<i64>,
    choices: Vec<Choice>,
}

/// What a person may allow.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Choice {
    key: String,
    means: String,
    command: String,
}

/// What the resource says at this time.
///
/// # Errors
/// If no operator has looked at it.
pub(crate) fn explain(set: &ReplicatedStatefulSet, now: Timestamp) -> Result<Explained> {
    let (namespace, name) = (set.metadata.namespace.clone(), set.metadata.name.clone());
    let (namespace, name) = (namespace.unwrap_or_default(), name.unwrap_or_default());
    let Some(status) =
        set.status.as_ref().filter(|status| status.observed_generation.is_some_and(|g| g >= 0))
    else {
        bail!(
            "no operator has looked at {namespace}/{name}: see whether one runs and covers this namespace \
             (`kubectl get deployments -A -l app.kubernetes.io/name=rss-operator`)"
        )
    };
    let allow = |key: &str| {
        format!("kubectl annotate --overwrite rss {name} -n {namespace} clusterlabs.org/allow='{key}'")
    };
    Ok(Explained {
        standing: Standing::of(status),
        ready: status.ready.clone(),
        phase: status.phase.map(|phase| phase.as_str().to_owned()),
        reason: status.reason.clone(),
        unready_seconds: condition(status, ConditionType::Ready)
            .filter(|ready| ready.status != "True")
            .map(|ready| now.duration_since(ready.last_transition_time.0).as_secs()),
        policy: policy(status),
        notes: notes(set, status),
        members: members(status, now),
        waits: status.holds.iter().map(|hold| Wait::of(hold, now, allow)).collect(),
        namespace,
        name,
    })
}

fn condition(status: &SetStatus, kind: ConditionType) -> Option<&Condition> {
    status.conditions.iter().find(|condition| condition.type_ == kind.as_str())
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

/// Of the conditions those that say more than the holds do.
fn notes(set: &ReplicatedStatefulSet, status: &SetStatus) -> Vec<String> {
    let mut notes = Vec::new();
    if status.observed_generation < set.metadata.generation {
        notes.push("the operator has not seen the newest change of the resource yet".to_owned());
    }
    let told = status.conditions.iter().filter(|condition| {
        let is = |kind: ConditionType| condition.type_ == kind.as_str();
        let policies = is(ConditionType::PolicyReady) || is(ConditionType::CandidateReady);
        let wrong = is(ConditionType::Accepted) || policies;
        let busy = is(ConditionType::Reconciling) && status.holds.is_empty();
        let stuck = is(ConditionType::Stalled) && status.holds.is_empty();
        let stale = is(ConditionType::PolicyStale) && condition.status != "False";
        stale || (wrong && condition.status != "True") || ((busy || stuck) && condition.status == "True")
    });
    notes.extend(told.map(|condition| {
        let Condition { type_, status, reason, message, .. } = condition;
        format!("{type_}={status} {reason}: {message}")
    }));
    notes
}

fn members(status: &SetStatus, now: Timestamp) -> Vec<Member> {
    let one = |replica: &operator::api::ReplicaStatus| Member {
        name: replica.name.clone(),
        state: replica.app_state.clone().unwrap_or_else(|| "no pod".to_owned()),
        seconds: replica.since.as_ref().map(|since| now.duration_since(since.0).as_secs()),
        position: replica.reading.clone(),
    };
    status.replica_states.iter().map(one).collect()
}

// === impl Standing ===

impl Standing {
    fn of(status: &SetStatus) -> Self {
        let holds = |kind| condition(status, kind).is_some_and(|condition| condition.status == "True");
        let refused =
            condition(status, ConditionType::Accepted).is_some_and(|accepted| accepted.status == "False");
        match () {
            () if refused || holds(ConditionType::Stalled) => Self::Blocked,
            () if holds(ConditionType::Ready) => Self::Ready,
            () => Self::Working,
        }
    }

    /// 0, 3 or 4.
    pub(crate) fn exit_code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Ready => 0,
            Self::Working => 3,
            Self::Blocked => 4,
        })
    }
}

// === impl Explained ===

impl Explained {
    pub(crate) fn standing(&self) -> Standing {
        self.standing
    }
}

// === impl Wait ===

impl Wait {
    fn of(hold: &HoldStatus, now: Timestamp, allow: impl Fn(&str) -> String) -> Self {
        let choice = |key: &String| Choice { means: means(key), command: allow(key), key: key.clone() };
        Self {
            scope: hold.scope.clone(),
            reason: hold.reason.clone(),
            message: hold.message.clone().unwrap_or_default(),
            seconds: hold.since.as_ref().map(|since| now.duration_since(since.0).as_secs()),
            choices: hold.keys.iter().map(choice).collect(),
        }
    }
}

/// What a person allows with a key, before it is allowed.
fn means(key: &str) -> String {
    let Some(key) = Key::parse(key) else { return "unknown to this tool".to_owned() };
    let subject = &key.subject;
    match key.kind {
        KeyKind::AcceptLoss => format!("go on without what {subject} holds"),
        KeyKind::AcceptSeed => format!("start from {subject}, whatever others hold beyond it"),
        KeyKind::AcceptErrant => format!("overwrite the data of {subject} by a join"),
        KeyKind::AssertFenced => {
            format!("vouch that nothing started in pod {subject} is alive; look at the node first")
        }
        KeyKind::AcceptSize => format!("come back from 0 with {subject} replicas"),
        KeyKind::Recreate => "delete the StatefulSet, leave its pods alone, and make it again".to_owned(),
    }
}
