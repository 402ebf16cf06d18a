//! A file that may be a policy.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use operator::policy::{Component, Digest, Host, Refusal, Settings};
use serde_json::{Map, Value};

use crate::progress;

/// A file that may be a policy.
pub(crate) struct Candidate {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

// === impl Candidate ===

impl Candidate {
    /// Reads it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).with_context(|| {
            format!(
                "failed to read {}; kubectl rss policy build prints where it writes a component",
                path.display()
            )
        })?;
        Ok(Self { path: path.to_owned(), bytes })
    }

    pub(crate) fn digest(&self) -> Digest {
        Digest::of(&self.bytes)
    }

    /// Takes it as the operator does, within the operator's bounds.
    ///
    /// # Errors
    /// If this machine runs no policies; within, why the operator would not take it.
    pub(crate) fn try_load(&self) -> Result<Result<Component, Refusal>> {
        let host = Host::new()?;
        Ok(progress::told("compiling", || Component::load(&host, &self.bytes)))
    }

    /// The same, for what needs a policy.
    ///
    /// # Errors
    /// If it is none.
    pub(crate) fn load(&self) -> Result<Component> {
        self.try_load()?.map_err(|refusal| anyhow!("{} is no policy: {refusal}", self.path.display()))
    }
}

/// Settings that a policy accepts, from JSON.
///
/// # Errors
/// If they are no object, or the policy refuses them.
pub(crate) fn settings(component: &Component, text: &str) -> Result<Settings> {
    let map: Map<String, Value> = serde_json::from_str(text).context("the settings are no JSON object")?;
    let settings = Settings::new(map)?;
    component.accepts(&settings).context("the policy does not accept these settings (--settings)")?;
    Ok(settings)
}
