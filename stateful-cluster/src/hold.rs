//! Why waiting is right, and what blocks it.

use crate::names::Identity;
use crate::target::Revision;
use serde::{Deserialize, Serialize};

/// A reason to wait, with what it waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Hold {
    /// The resource says that nothing is to be done.
    Paused,
    /// This pod is made, or starts.
    Starting(Identity),
    /// This pod is not healthy; it is replaced if that lasts.
    Unhealthy(Identity),
    /// Nothing is heard of this pod's node; it is replaced if that lasts.
    Unheard(Identity),
    /// Nothing is heard of any node: whoever asks is cut off, or everything is dark. Nobody is given up for silence.
    NoNodeHeard,
    /// A claim of this pod was refused. Another pod's would be too, so it is not replaced; it is asked for again.
    ClaimRefused(Identity),
    /// The API server refuses pods of this template. They are asked for again; it is taken back if that lasts and there
    /// is one before it.
    PodRefused(Revision),
    /// This pod ends, and until it has there is no room for another one.
    Leaving(Identity),
    /// This pod ended, a moment ago: the next one of the identity is made after a pause.
    Ended(Identity),
    /// Of this creation nothing is known: until it is given up there is no room for another one.
    Unknown(Identity),
    /// This one is gone or cannot stay, and keeps its place until its owner gives it up.
    Unreleased(Identity),
    /// It is missing, and a pod that is none of ours has its name: until that one is gone it cannot be made again.
    NameTaken(Identity),
    /// As many more than are wanted stand, and none of them was given up by its owner.
    Surplus(u32),
    /// As many were replaced in this window as may be.
    BudgetSpent {
        /// Replaced in this window.
        spent: u32,
        /// As many may be.
        budget: u32,
    },
    /// Pods have another template, and a person brings them to the wanted one.
    OnDelete(Vec<Identity>),
    /// Pods have another template, and the owner that decides who goes brings them to the wanted one.
    OwnerRollsOut(Vec<Identity>),
    /// The template did not become available, and was taken back: it waits for another one.
    TakenBack {
        /// Which one.
        revision: Revision,
        /// Who did not become available with it: known in the look in which it is taken back, and in no later one.
        by: Vec<Identity>,
    },
}
