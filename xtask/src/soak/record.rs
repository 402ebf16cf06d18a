//! How far a part of the soak has come, kept between calls.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::cluster::layout;

/// What a part remembers.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Record {
    /// Where the next round begins: a seed, or the number of a run.
    pub(super) next: u64,
    /// Time spent so far.
    pub(super) seconds: u64,
}

// === impl Record ===

impl Record {
    /// What was kept; a part that never ran begins anew.
    pub(super) fn read(part: &str) -> Result<Self> {
        let file = file(part)?;
        match fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text)
                .with_context(|| format!("{} is malformed: remove it to begin anew", file.display())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| format!("failed to read {}", file.display())),
        }
    }

    /// Keep it: whole, or as it was.
    pub(super) fn write(&self, part: &str) -> Result<()> {
        let file = file(part)?;
        let unfinished = file.with_extension("new");
        let failed = || format!("failed to write {}", file.display());
        fs::create_dir_all(layout::cache()?.join("soak")).with_context(failed)?;
        fs::write(&unfinished, serde_json::to_vec(self)?).with_context(failed)?;
        fs::rename(unfinished, &file).with_context(failed)
    }
}

fn file(part: &str) -> Result<PathBuf> {
    Ok(layout::cache()?.join("soak").join(format!("{part}.json")))
}
