//! What is below the errors of a connection, where they wrap each other.

use std::error::Error;
use std::io::{self, ErrorKind};

use thiserror::Error as ThisError;

/// An answer that sends to another address, which is not gone to. No query of it is kept: it may be secret.
#[derive(Debug, ThisError)]
#[error("{code}: it is at {location}")]
pub(super) struct Elsewhere {
    pub(super) code: u16,
    pub(super) location: String,
}

/// Whether a connection took too long; requests have a bound of their own.
pub(super) fn is_late(error: &(dyn Error + 'static)) -> bool {
    chain(error).any(|error| error.downcast_ref().map(io::Error::kind) == Some(ErrorKind::TimedOut))
}

/// An error, and what is below it.
pub(super) fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

// === impl Elsewhere ===

impl Elsewhere {
    pub(super) fn new(code: u16, location: Option<&str>) -> Self {
        let location = location.and_then(|location| location.split('?').next());
        Self { code, location: location.unwrap_or("an address that it does not name").to_owned() }
    }
}
