//! What the resource asks for.

use crate::names::{ClaimTemplate, Identity, InPlace, Lasting};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A StatefulCluster as it is wanted, defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// `spec.replicas`: pods that stand. 0 is allowed.
    pub replicas: u32,
    /// `spec.podManagementPolicy`.
    pub order: Order,
    /// `spec.volumeClaimTemplates`, by name: each pod has one claim of each.
    pub claims: Vec<ClaimTemplate>,
    /// The template that is wanted.
    pub revision: Revision,
    /// `spec.updateStrategy`.
    pub update: Update,
    /// `spec.persistentVolumeClaimRetentionPolicy.whenScaled`, which also holds for those that are replaced.
    pub when_removed: Retention,
    /// Replacements that may be made within one window; 0 = none is made without a person.
    pub budget: u32,
    /// Whom an owner has given up: each goes, and nobody else is removed or replaced. `None`: what is seen decides.
    #[serde(default)]
    pub released: Option<BTreeSet<Identity>>,
    /// How long what was seen must last before it is acted on.
    pub patience: Patience,
    /// Nothing is done.
    pub paused: bool,
}

/// How long what was seen must last before it is acted on, in seconds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Patience {
    /// A pod is not available, before it is replaced.
    pub unhealthy: u64,
    /// Nothing is heard of a pod's node, before the pod is replaced.
    pub unheard: u64,
    /// Replacements are counted together.
    pub window: u64,
    /// Pods of a new template are not available, before it is taken back.
    pub progress: u64,
}

/// A template, told apart by what a change of it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Revision {
    /// Another one needs another pod.
    pub lasting: Lasting,
    /// Another one is written into the pod.
    pub in_place: InPlace,
}

/// Whether pods wait for each other when they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Order {
    /// All at once.
    Parallel,
    /// The next one once all before it are available (`OrderedReady`).
    OneByOne,
}

/// Who brings pods to another template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Update {
    /// We do, one at a time.
    Rolling,
    /// A person does, by deleting pods.
    OnDelete,
}

/// What becomes of the claims of a pod that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Retention {
    /// They stay for a person, and nothing mounts them.
    Retain,
    /// They are deleted.
    Delete,
}
