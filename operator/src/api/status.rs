//! What the operator says about a set.

use std::borrow::Cow;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, MicroTime, Time};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Phase, PolicyStatus};

/// What the operator says about a set.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct SetStatus {
    /// The generation of the resource that this status speaks of; -1 until the operator has seen it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The state of the set in one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// Why it is in this phase: one word of a closed set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the operator has its hands off, as `spec.paused` asked.
    #[serde(default)]
    pub control_paused: bool,
    /// One entry for each type: Ready, Available, Reconciling, Stalled, Recovering, Scaling, Upgrading, Accepted, PolicyReady, PolicyStale, CandidateReady if there is to be a candidate, and RecoveryReady with `recovery.rehearsalInterval`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Members that serve, of those wanted, as "2/3".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<String>,
    /// How many pods there are.
    #[serde(default)]
    pub replicas: i32,
    /// How many members run as primary.
    #[serde(default)]
    pub primaries: i32,
    /// Of a set that was scaled to 0: how many members it had, and must have to come back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore_replicas: Option<i32>,
    /// The name of the client service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_name: Option<String>,
    /// The port of the client service: the first of `spec.servicePorts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_port: Option<i32>,
    /// The names of the pods, by what they are.
    #[serde(default)]
    pub members: Members,
    /// The revision of the pod template that the members run: the last one that was found good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_version: Option<String>,
    /// The revision that is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_version: Option<String>,
    /// The labels of the pods, as the scale subresource wants them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// The line of history that the set is in; 0 before its first start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<i64>,
    /// The policy that decides, or decided last if PolicyReady is False. Missing until there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyStatus>,
    /// The installation of the operator that looks after the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installation: Option<Installation>,
    /// What is known of each replica, for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replica_states: Vec<ReplicaStatus>,
    /// What is waited for, and who or what can end the waiting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<HoldStatus>,
    /// What the policy decided last, each whole, the newest last: a bounded number of each kind. For `kubectl rss decisions`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    /// What the operator has promised itself. Not for people and not to be edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
}

/// The names of the pods, by what they are.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Members {
    /// They run as primary.
    #[serde(default)]
    pub primary: Vec<String>,
    /// They run as secondary.
    #[serde(default)]
    pub secondary: Vec<String>,
    /// They serve: as many as are wanted make the set ready.
    #[serde(default)]
    pub ready: Vec<String>,
    /// They have a pod and do not serve.
    #[serde(default)]
    pub unready: Vec<String>,
    /// The application says that it failed, and it is not being started.
    #[serde(default)]
    pub failed: Vec<String>,
}

/// One installation of the operator.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Installation {
    /// Its name: unique among the operators of a cluster.
    pub name: String,
    /// The lease that its leader holds, as NAMESPACE/NAME.
    pub lease: String,
    /// When the set was last claimed by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renewed: Option<MicroTime>,
}

/// What is known of one replica.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaStatus {
    /// The name of its pod.
    pub name: String,
    /// Primary, Secondary, Starting, Stopped, Failed, Down or Unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_state: Option<String>,
    /// Its position, or why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<String>,
    /// The identity of its data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// Since when it has been in this state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
}

/// Something that is waited for.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct HoldStatus {
    /// "set", or the name of the replica that waits.
    pub scope: String,
    /// One word of a closed set.
    pub reason: String,
    /// The same for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Who or what it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocker: Option<String>,
    /// What a person corrects so that it ends without loss, where that is known, in the words of the cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
    /// What a person can say to end it; one of them is enough.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
}

/// The record of a decision: a JSON object that `kubectl rss policy replay` reads.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(transparent)]
pub struct Decision(pub Arc<Value>);

impl JsonSchema for Decision {
    fn schema_name() -> Cow<'static, str> {
        "Decision".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        any_object()
    }
}

/// The operator's promises as it stores them: a JSON object that only it reads.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(transparent)]
pub struct Memory(pub Arc<Value>);

impl JsonSchema for Memory {
    fn schema_name() -> Cow<'static, str> {
        "Memory".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        any_object()
    }
}

fn any_object() -> Schema {
    json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}
