//! What may be a policy.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use operator::policy::fetch::Image;
use operator::policy::{Component, Digest, Host, Refusal, Settings};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::access::Access;
use crate::{fetch, file, image, progress};

/// Bytes that may be a policy.
pub(crate) struct Candidate {
    pub(crate) origin: Origin,
    pub(crate) bytes: Vec<u8>,
}

/// Where they come from.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Origin {
    Path(PathBuf),
    /// By its digest.
    Image(String),
}

// === impl Candidate ===

impl Candidate {
    /// Reads it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = file::read(path, file::WASM).with_context(|| {
            format!(
                "failed to read {}; kubectl rss policy build prints where it writes a component",
                path.display()
            )
        })?;
        Ok(Self { origin: Origin::Path(path.to_owned()), bytes })
    }

    /// Reads a file, or, if there is none of that name, fetches the image that is called so.
    ///
    /// # Errors
    /// If there is neither.
    pub(crate) fn find(name: &str, access: &Access) -> Result<Self> {
        let path = Path::new(name);
        match image::with_host(name).filter(|_| !path.exists()) {
            Some(image) => Self::fetch(&image, access),
            None => Self::read(path),
        }
    }

    /// Fetches an image.
    ///
    /// # Errors
    /// If the registry does not give it, or it is no policy.
    pub(crate) fn fetch(image: &Image, access: &Access) -> Result<Self> {
        let artifact = fetch::fetch(image, access)?;
        let origin = Origin::Image(format!("{}@{}", image.repository(), artifact.image));
        Ok(Self { origin, bytes: artifact.bytes.into() })
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
        self.try_load()?.map_err(|refusal| anyhow!("{} is no policy: {refusal}", self.origin))
    }
}

// === impl Origin ===

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(f),
            Self::Image(image) => f.write_str(image),
        }
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
