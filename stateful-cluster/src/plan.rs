//! What is to be done now, and why the rest waits.

use crate::hold::Hold;
use crate::memory::{Memory, Why};
use crate::names::{ClaimTemplate, ClaimUid, Identity, PodUid};
use crate::target::Revision;
use serde::{Deserialize, Serialize};

/// What one look leads to. At most one step for each identity.
#[must_use]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// What is to be remembered: written before any step is taken, if it differs.
    pub memory: Memory,
    /// What to do, in this order.
    pub steps: Vec<Step>,
    /// Why the rest waits.
    pub holds: Vec<Hold>,
}

/// One effect, carrying what must still be true when it lands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// Make the pod of an identity. It is sent once: whatever becomes of it, it is never sent again.
    CreatePod {
        /// Whose.
        identity: Identity,
        /// From which template.
        revision: Revision,
        /// What for.
        why: Why,
    },
    /// Make a claim for a pod that is there.
    CreateClaim {
        /// Whose.
        identity: Identity,
        /// From which template.
        template: ClaimTemplate,
        /// Only for this pod.
        if_pod: PodUid,
    },
    /// Bring a pod that lives to a template.
    Update {
        /// Whose.
        identity: Identity,
        /// Only this pod.
        if_pod: PodUid,
        /// To which.
        to: Revision,
    },
    /// Withdraw the labels by which services find a pod.
    SetAside {
        /// Whose.
        identity: Identity,
        /// Only this pod.
        if_pod: PodUid,
    },
    /// Delete a pod, within its own grace period and never by force.
    DeletePod {
        /// Whose.
        identity: Identity,
        /// Only this pod.
        if_pod: PodUid,
        /// Why.
        cause: Cause,
    },
    /// Delete a claim whose pod is gone.
    DeleteClaim {
        /// Whose.
        identity: Identity,
        /// From which template.
        template: ClaimTemplate,
        /// Only this claim.
        if_claim: ClaimUid,
    },
}

/// Why a pod is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Cause {
    /// There are more than the resource asks for.
    Size,
    /// It ended (evicted, or all of its containers did).
    Ended,
    /// It was unhealthy for too long.
    Unhealthy,
    /// Nothing was heard of its node for too long.
    Stranded,
    /// Its owner gave it up.
    Released,
}

// === impl Step ===

impl Step {
    /// Whom it concerns.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        match self {
            Self::CreatePod { identity, .. }
            | Self::CreateClaim { identity, .. }
            | Self::Update { identity, .. }
            | Self::SetAside { identity, .. }
            | Self::DeletePod { identity, .. }
            | Self::DeleteClaim { identity, .. } => identity,
        }
    }
}
