//! What was promised: written into status before anything is done on it.

use crate::names::Identity;
use crate::target::Revision;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What is remembered from look to look. Without it nothing unsafe is done: only a budget begins anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Memory {
    /// Identities that were given and whose pods were not yet seen. Nobody makes a pod of one a second time.
    pub given: BTreeMap<Identity, Why>,
    /// Pods that the resource's size has called for: as many as were made for it are no replacements.
    pub grown: u32,
    /// Identities that replaced others within the window.
    pub spent: BTreeSet<Identity>,
    /// The template that all pods were available with.
    pub proven: Option<Revision>,
    /// The template that did not become available, and was taken back.
    pub failed: Option<Revision>,
    /// Pods that did not work before another template was written into them, while others did, and do not since: no
    /// template is judged by them.
    pub excused: BTreeSet<Identity>,
}

/// What an identity was given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Why {
    /// The resource asks for more.
    Growth,
    /// Another one cannot come back.
    Replacement,
    /// Another one has an older template.
    Update,
    /// Its pod ended or is gone, and its owner has not given it up: the same one is made again, with its own claims.
    Return,
}
