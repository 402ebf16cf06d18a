//! A position for programs and people.

use std::fmt::{self, Display, Formatter};

use serde::Serialize;

use super::known::{Known, Read};
use super::text::short;

/// A position, with how it is known.
#[derive(Debug, Serialize)]
pub(super) struct At {
    pub(super) position: String,
    pub(super) read: Read,
}

impl At {
    pub(super) fn of(known: &Known) -> Self {
        Self { position: known.position.to_string(), read: known.read }
    }
}

impl Display for At {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "last known at {} ({})", short(&self.position), self.read)
    }
}
