//! How a registry is reached.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::file;

#[derive(Args)]
pub(crate) struct Access {
    /// Also trust the authorities whose certificates are in this file, in PEM.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Speak to the registry without TLS. Everybody on the way can then read the login and change the policy.
    #[arg(long, conflicts_with = "ca")]
    pub(crate) plain_http: bool,
}

// === impl Access ===

impl Access {
    /// The certificates in PEM, if there are any.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn authorities(&self) -> Result<Option<Vec<u8>>> {
        let read = |path: &PathBuf| {
            file::read(path, file::KEYS).with_context(|| format!("failed to read {} (--ca)", path.display()))
        };
        self.ca.as_ref().map(read).transpose()
    }
}
