//! What `examples/NAME/image.json` says.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::base::Base;
use super::{Entry, compile};
use crate::progress::Step;

/// An image of an example: a base, and files of the folder on it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Example {
    pub(super) base: Base,
    files: Vec<Placed>,
    /// What is run, whatever a manifest gives as arguments.
    #[serde(default)]
    pub(super) entrypoint: Vec<String>,
    /// What is run, or the arguments, unless a manifest names others.
    #[serde(default)]
    pub(super) command: Vec<String>,
    #[serde(skip)]
    folder: PathBuf,
}

/// A file of the folder and its place in the image.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Placed {
    from: PathBuf,
    to: String,
    /// As chmod takes it: four octal digits. What a checkout makes of modes differs by its umask.
    mode: String,
    compile: Option<Compile>,
}

/// What is done with a source before it is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum Compile {
    /// `cc -static -Os -o TO FROM`
    #[serde(rename = "c-static")]
    CStatic,
}

/// The file's name in the folder of an example.
pub(super) const FILE: &str = "image.json";

// === impl Example ===

impl Example {
    /// Read it, and see that every file it names is there.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let file = folder.join(FILE);
        let text = fs::read(&file).with_context(|| format!("failed to read {}", file.display()))?;
        let example: Self =
            serde_json::from_slice(&text).with_context(|| format!("{} is malformed", file.display()))?;
        for placed in &example.files {
            let from = folder.join(&placed.from);
            ensure!(from.is_file(), "{} names {}, which is not there", file.display(), from.display());
            ensure!(placed.to.starts_with('/'), "{}: `to` begins with /: {}", file.display(), placed.to);
            placed.mode().with_context(|| format!("{}: {}", file.display(), placed.to))?;
        }
        Ok(Self { folder: folder.to_owned(), ..example })
    }

    /// What lies on the base.
    pub(super) fn entries(&self, step: &mut Step) -> Result<Vec<Entry>> {
        self.files.iter().map(|placed| placed.entry(&self.folder, step)).collect()
    }
}

// === impl Placed ===

impl Placed {
    fn entry(&self, folder: &Path, step: &mut Step) -> Result<Entry> {
        let from = folder.join(&self.from);
        let file = match self.compile {
            Some(Compile::CStatic) => compile::c_static(&fs::read_to_string(from)?, step)?,
            None => from,
        };
        Ok(Entry::file(self.to.trim_start_matches('/'), self.mode()?, &file))
    }

    fn mode(&self) -> Result<u32> {
        u32::from_str_radix(&self.mode, 8).with_context(|| format!("mode {} is not octal", self.mode))
    }
}
