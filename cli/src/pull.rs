//! `policy pull`: the component of an image, as a file.

use std::io::Write;
use std::path::PathBuf;
use std::{fmt, fs};

use anyhow::{Context, Result, bail};
use operator::policy::Digest;
use operator::policy::fetch::Image;
use serde::Serialize;

use crate::access::Access;
use crate::candidate::{Candidate, Origin};

/// What was pulled.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pulled {
    #[serde(flatten)]
    origin: Origin,
    /// The file that has it now.
    file: PathBuf,
    /// Of the component.
    digest: Digest,
    /// Of the component, in bytes.
    size: usize,
}

/// Writes the component of an image into a file; by default one that is called as its repository.
///
/// # Errors
/// If it is not to be had, is no policy, or the file holds something else already.
pub(crate) fn pull(image: &str, file: Option<PathBuf>, access: &Access) -> Result<Pulled> {
    let image: Image = image.parse()?;
    let candidate = Candidate::fetch(&image, access)?;
    candidate.load()?;
    let file = file.unwrap_or_else(|| called(&image));
    match fs::File::create_new(&file) {
        Ok(mut new) => new.write_all(&candidate.bytes),
        // To pull it again changes nothing.
        Err(_) if fs::read(&file).is_ok_and(|bytes| bytes == candidate.bytes) => Ok(()),
        Err(_) if file.exists() => {
            bail!("{} is there and holds something else; name another file, or remove it", file.display())
        }
        Err(error) => Err(error),
    }
    .with_context(|| format!("failed to write {}", file.display()))?;
    let (digest, size) = (candidate.digest(), candidate.bytes.len());
    Ok(Pulled { origin: candidate.origin, file, digest, size })
}

fn called(image: &Image) -> PathBuf {
    let repository = image.repository();
    PathBuf::from(repository.rsplit('/').next().unwrap_or("policy")).with_extension("wasm")
}

// === impl Pulled ===

impl fmt::Display for Pulled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.display().fmt(f)
    }
}
