//! The interfaces of the contract, by name and version.

use std::fmt;

/// The package of the contract.
const PACKAGE: &str = "clusterlabs:policy";

/// The version of its interfaces.
const VERSION: &str = "0.1.0";

/// One interface of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Interface {
    /// What an output says.
    Sequence,
    /// Who starts first.
    Seed,
    /// Who becomes primary, in which order.
    Primaries,
    /// What becomes of the others.
    Replicas,
    /// What the policy is.
    Metadata,
}

/// What the name of an export says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// An interface of the contract.
    Known(Interface),
    /// One of the contract in a version that this host does not know.
    OtherVersion(Interface),
    /// Nothing that this host knows.
    Unknown,
}

impl Interface {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Sequence, Self::Seed, Self::Primaries, Self::Replicas, Self::Metadata];

    /// The name without its package, as metrics have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sequence => "sequence",
            Self::Seed => "seed",
            Self::Primaries => "primaries",
            Self::Replicas => "replicas",
            Self::Metadata => "metadata",
        }
    }

    /// Whether something is decided through it.
    #[must_use]
    pub fn decides(self) -> bool {
        self != Self::Metadata
    }

    /// The name with its version, as records have it: `seed@0.1.0`.
    #[must_use]
    pub fn versioned(self) -> String {
        format!("{}@{VERSION}", self.name())
    }

    /// The name under which a component exports it.
    #[must_use]
    pub fn export(self) -> String {
        format!("{PACKAGE}/{}", self.versioned())
    }

    pub(super) fn of(export: &str) -> Named {
        let (path, version) = export.split_once('@').unwrap_or((export, ""));
        let known = Self::ALL.into_iter().find(|one| path == format!("{PACKAGE}/{}", one.name()));
        match known {
            Some(interface) if version == VERSION => Named::Known(interface),
            Some(interface) => Named::OtherVersion(interface),
            None => Named::Unknown,
        }
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.export())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_is_known_by_name_and_version_and_by_nothing_less() {
        let cases = [
            ("clusterlabs:policy/seed@0.1.0", Named::Known(Interface::Seed)),
            ("clusterlabs:policy/metadata@0.1.0", Named::Known(Interface::Metadata)),
            ("clusterlabs:policy/seed@0.1.1", Named::OtherVersion(Interface::Seed)),
            ("clusterlabs:policy/seed", Named::OtherVersion(Interface::Seed)),
            ("clusterlabs:policy/seeds@0.1.0", Named::Unknown),
            ("clusterlab:policy/seed@0.1.0", Named::Unknown),
            ("seed", Named::Unknown),
            ("", Named::Unknown),
        ];
        for (export, expected) in cases {
            assert_eq!(Interface::of(export), expected, "{export:?}");
        }
    }
}
