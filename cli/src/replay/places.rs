//! Where the component of a record may lie on this machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use operator::policy::record::Record;
use operator::policy::{Component, Digest, limits};

use crate::candidate::Candidate;

/// Folders that are looked into, and what was found.
pub(super) struct Places {
    folders: Vec<PathBuf>,
    loaded: BTreeMap<Digest, Component>,
}

// === impl Places ===

impl Places {
    /// Where the file of the records lies, here, and where `policy build` writes to.
    pub(super) fn around(file: &Path) -> Self {
        let beside = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut folders = vec![PathBuf::from("."), PathBuf::from("target/policies")];
        folders.extend(beside.map(Path::to_owned));
        Self { folders, loaded: BTreeMap::new() }
    }

    /// The very component that was asked then.
    ///
    /// # Errors
    /// If it is nowhere, or was none.
    pub(super) fn find(&mut self, record: &Record) -> Result<&Component> {
        let digest = record.policy.as_ref().and_then(|by| by.digest);
        let digest = digest.context("it names no component by policy.digest; name one by --with")?;
        if !self.loaded.contains_key(&digest) {
            let component = self.candidate(digest)?.load()?;
            self.loaded.insert(digest, component);
        }
        self.loaded.get(&digest).context("it was put there")
    }

    fn candidate(&self, digest: Digest) -> Result<Candidate> {
        for folder in &self.folders {
            // A folder that is not there holds nothing.
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let is_wasm = path.extension().is_some_and(|extension| extension == "wasm");
                let is_small = entry.metadata().is_ok_and(|meta| meta.len() <= limits::COMPONENT as u64);
                if is_wasm && is_small {
                    let candidate = Candidate::read(&path)?;
                    if candidate.digest() == digest {
                        return Ok(candidate);
                    }
                }
            }
        }
        let folders = self.folders.iter().map(|folder| folder.display().to_string());
        bail!(
            "no file *.wasm in {} is the component that decided, {digest}; put it there, or name another build by --with",
            folders.collect::<Vec<_>>().join(", ")
        )
    }
}
