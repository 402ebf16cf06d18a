//! Who was asked, then and here, and whether that makes their fuel comparable.

use operator::policy::Digest;
use operator::policy::record::{By, Record, Replay};
use serde::Serialize;

/// Who was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Asked {
    Component {
        digest: Digest,
    },
    /// The policy that is part of the operator.
    Builtin {
        builtin: &'static str,
    },
    /// The record does not say.
    Unknown {},
}

/// As `spec.policy.builtin` has it.
pub(super) const BUILTIN: Asked = Asked::Builtin { builtin: "largest-integer" };

/// Whether the fuel is the same, or why that means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Compared {
    Same,
    Different,
    NotCounted,
    OtherComponent,
    OtherBuild,
    /// The record does not name its component.
    UnknownComponent,
    /// The record does not say what ran it.
    UnknownBuild,
}

// === impl Asked ===

impl Asked {
    /// Who was asked then.
    pub(super) fn of(record: &Record) -> Self {
        match &record.policy {
            Some(By { digest: Some(digest), .. }) => Self::Component { digest: *digest },
            // Only a component has a name.
            Some(By { digest: None, name: None, version: None }) => BUILTIN,
            Some(By { digest: None, .. }) | None => Self::Unknown {},
        }
    }
}

// === impl Compared ===

impl Compared {
    pub(super) fn of(record: &Record, again: &Replay) -> Self {
        match again.is_same_fuel {
            Some(true) => Self::Same,
            Some(false) => Self::Different,
            None if record.fuel.is_none() || again.fuel.is_none() => Self::NotCounted,
            None if Asked::of(record) == (Asked::Unknown {}) => Self::UnknownComponent,
            None if !again.is_same_component => Self::OtherComponent,
            None if record.host.is_none() => Self::UnknownBuild,
            None => Self::OtherBuild,
        }
    }
}
