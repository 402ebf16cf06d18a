//! Results, one JSON object on a line, kept below `target` as they come.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::counts::Counts;
use crate::workspace;

/// One stage of the test, or one round of a part of the soak, that ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The commit that was tried, and nothing else was in the tree.
    pub(crate) commit: String,
    /// Such as `test unit` or `soak simulate`.
    pub(crate) part: String,
    /// Which round of it, by what it is of. Run again, its counts take the place of those before; a failure stays.
    pub(crate) round: String,
    /// Whether it found nothing wrong.
    pub(crate) ok: bool,
    /// What it counted.
    pub(crate) counts: Counts,
}

/// Where all of them are.
pub(crate) fn file() -> PathBuf {
    workspace::target().join("evidence").join("results.jsonl")
}

/// Adds one.
pub(crate) fn append(file: &Path, entry: &Entry) -> Result<()> {
    let failed = || format!("failed to write {}", file.display());
    fs::create_dir_all(file.parent().unwrap_or(file)).with_context(failed)?;
    let mut out = OpenOptions::new().create(true).append(true).open(file).with_context(failed)?;
    out.write_all(format!("{}\n", serde_json::to_string(entry)?).as_bytes()).with_context(failed)
}

/// All, the oldest first.
pub(crate) fn read(file: &Path) -> Result<Vec<Entry>> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("failed to read {}", file.display())),
    };
    let parse = |(number, line)| {
        serde_json::from_str(line).with_context(|| format!("{}, line {number}", file.display()))
    };
    (1..).zip(text.lines()).map(parse).collect()
}
