//! `policy pull`: the component of an image, as a file.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

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
        whole(&file, |new| new.write_all(&candidate.bytes))
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

/// Makes a file that is whole from its first moment on; what fails leaves none.
fn whole(file: &Path, write: impl FnOnce(&mut fs::File) -> io::Result<()>) -> io::Result<()> {
    let mut beside = file.to_owned().into_os_string();
    beside.push(format!(".{}.partial", std::process::id()));
    let done = fs::File::create_new(&beside)
        .and_then(|mut new| write(&mut new).and_then(|()| new.sync_all()))
        .and_then(|()| fs::rename(&beside, file));
    if done.is_err() {
        // Why it failed says more than that something of it is left, too.
        let _ = fs::remove_file(&beside);
    }
    done
}

// === impl Pulled ===

impl fmt::Display for Pulled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.display().fmt(f)
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn what_could_not_be_written_whole_is_not_there_at_all() {
        let folder = std::env::temp_dir().join(format!("pull-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("p.wasm");
        let full = |new: &mut fs::File| {
            new.write_all(b"half")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        };
        assert_eq!(whole(&file, full).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "nothing is left");
        whole(&file, |new| new.write_all(b"all")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"all");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
