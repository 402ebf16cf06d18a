//! What was accepted and does nothing, so that nobody waits for it.

use std::fmt;

use crate::api::Reason;

/// Something in the resource that has no effect, for a warning event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A field does nothing.
    FieldIgnored {
        /// The field, from the root of the resource.
        path: &'static str,
        /// Why it does nothing.
        why: &'static str,
    },
    /// A command that the operator never runs; perhaps a misspelt one.
    UnknownCommand {
        /// Its name under `spec.pod.commands`.
        name: String,
    },
}

impl Notice {
    /// The reason of the event.
    #[must_use]
    pub fn reason(&self) -> Reason {
        match self {
            Self::FieldIgnored { .. } => Reason::FieldIgnored,
            Self::UnknownCommand { .. } => Reason::UnknownCommand,
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FieldIgnored { path, why } => write!(f, "{path} has no effect: {why}"),
            Self::UnknownCommand { name } => write!(
                f,
                "spec.pod.commands.{name} is never run: commands are sequence, seed, primary, secondary, status, stop"
            ),
        }
    }
}
