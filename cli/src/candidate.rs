//! What may be a policy.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, anyhow};
use operator::policy::fetch::Image;
use operator::policy::{Component, Digest, Host, Refusal, Settings};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::access::Access;
use crate::terminal::in_line;
use crate::{fetch, file, image, output, progress};

/// Where components are.
const BUILT: &str = "kubectl rss policy build prints where it writes a component";

/// What makes one of a core module.
pub(crate) const MODULE: &str = "; `kubectl rss policy component MODULE FILE` makes one of it";

/// Bytes that may be a policy.
pub(crate) struct Candidate {
    pub(crate) origin: Origin,
    pub(crate) bytes: Vec<u8>,
}

/// Where they come from.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Origin {
    Path(#[serde(serialize_with = "output::path")] PathBuf),
    /// By its digest.
    Image(String),
}

/// Settings as a person gives them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Given(pub(crate) Map<String, Value>);

// === impl Candidate ===

impl Candidate {
    /// Reads it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = file::read(path, file::WASM).map_err(|error| unread(path, error))?;
        Ok(Self { origin: Origin::Path(path.to_owned()), bytes })
    }

    /// Reads a file, or, if there is none of that name, fetches the image that is called so.
    ///
    /// # Errors
    /// If there is neither.
    pub(crate) fn find(name: &str, access: &Access) -> Result<Self> {
        let path = Path::new(name);
        if path.symlink_metadata().is_ok() {
            return Self::read(path);
        }
        let image = image::of(name)
            .map_err(|why| anyhow!("there is no file {name:?} ({BUILT}), and as an image: {why}"))?;
        Self::fetch(&image, access)
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
        self.try_load()?.map_err(|refusal| {
            let cure = if refusal == Refusal::CoreModule { MODULE } else { "" };
            anyhow!("{} is no policy: {refusal}{cure}", self.origin)
        })
    }
}

/// What is said of a file that could not be read.
fn unread(path: &Path, error: io::Error) -> anyhow::Error {
    let is_image =
        error.kind() == ErrorKind::NotFound && path.to_str().is_some_and(|name| image::of(name).is_ok());
    let path = path.display();
    match is_image {
        true => anyhow!(
            "there is no file {path}, and this takes a file; of an image, `kubectl rss policy pull {path} FILE` writes it \
             into one"
        ),
        false => anyhow!(error).context(format!("failed to read {path}; {BUILT}")),
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

/// Settings that a policy accepts.
///
/// # Errors
/// If they are too large, or the policy refuses them.
pub(crate) fn settings(component: &Component, given: &Given) -> Result<Settings> {
    let settings = Settings::new(given.0.clone())?;
    // A policy writes its problems, and a line end in one would make a line of its own.
    component
        .accepts(&settings)
        .map_err(|unfit| anyhow!("{}", in_line(&unfit.to_string())))
        .context("the policy does not accept these settings (--settings)")?;
    Ok(settings)
}

// === impl Given ===

impl FromStr for Given {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match serde_json::from_str(text) {
            Ok(Value::Object(settings)) => Ok(Self(settings)),
            Ok(_) => Err("a JSON object, such as {\"monotonic\": true}".to_owned()),
            Err(error) => Err(format!("a JSON object, such as {{\"monotonic\": true}}: {error}")),
        }
    }
}
