//! `policy pull`: the component of an image, as a file.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use operator::policy::Digest;
use operator::policy::fetch::Image;
use serde::Serialize;

use crate::access::Access;
use crate::candidate::{Candidate, Origin};
use crate::{file, image, output};

/// What was pulled.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pulled {
    #[serde(flatten)]
    origin: Origin,
    /// The file that has it now.
    #[serde(serialize_with = "output::path")]
    file: PathBuf,
    /// Of the component.
    digest: Digest,
    /// Of the component, in bytes.
    size: usize,
}

/// Writes the component of an image into a file; by default one that is called as its repository.
///
/// # Errors
/// If it is not to be had, is no policy, the file holds something else already, or its folder is not there.
pub(crate) fn pull(image: &str, file: Option<PathBuf>, access: &Access) -> Result<Pulled> {
    let image = image::named(image)?;
    let file = file.unwrap_or_else(|| called(&image));
    if file.is_dir() {
        bail!(
            "{} is a folder; name a file in it, such as {}",
            file.display(),
            file.join(called(&image)).display()
        );
    }
    file::refuse_to_make_folders(&file)?;
    let candidate = Candidate::fetch(&image, access)?;
    candidate.load()?;
    // To pull it again changes nothing.
    if !file::read(&file, candidate.bytes.len()).is_ok_and(|bytes| bytes == candidate.bytes) {
        if file.symlink_metadata().is_ok() {
            bail!("{} is there and holds something else; name another file, or remove it", file.display())
        }
        file::write(&file, &candidate.bytes)
            .with_context(|| format!("failed to write {}", file.display()))?;
    }
    let (digest, size) = (candidate.digest(), candidate.bytes.len());
    Ok(Pulled { origin: candidate.origin, file, digest, size })
}

/// A name may have dots, and what follows one is no extension.
fn called(image: &Image) -> PathBuf {
    let repository = image.repository();
    PathBuf::from(format!("{}.wasm", repository.rsplit('/').next().unwrap_or("policy")))
}

// === impl Pulled ===

impl fmt::Display for Pulled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.display().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_file_is_called_as_its_repository_with_all_its_dots() {
        for (image, file) in [
            ("registry.example.com/team/galera:1.2", "galera.wasm"),
            ("registry.example.com/team/galera-1.2.3:7", "galera-1.2.3.wasm"),
            ("localhost/p.q:1", "p.q.wasm"),
        ] {
            assert_eq!(called(&image.parse().unwrap()), Path::new(file));
        }
    }
}
