//! Layers: plain tar files in the cache, named by their digest.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::digest::Hashing;
use crate::cluster::layout;

/// A part of an image's file system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Layer {
    pub(super) digest: String,
    pub(super) size: u64,
}

/// Every change of a program or script makes another layer: those of yesterday go.
const UNUSED: Duration = Duration::from_secs(24 * 3600);

/// One thing in a layer, by its path without the leading slash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    path: String,
    mode: u32,
    content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    Folder,
    Bytes(Vec<u8>),
    File(PathBuf),
    Link(String),
}

// === impl Entry ===

impl Entry {
    /// A folder.
    #[must_use]
    pub fn folder(path: &str, mode: u32) -> Self {
        Self { path: path.to_owned(), mode, content: Content::Folder }
    }

    /// A file that holds these bytes.
    #[must_use]
    pub fn bytes(path: &str, mode: u32, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.to_owned(), mode, content: Content::Bytes(bytes.into()) }
    }

    /// A copy of a file, executable if that one is.
    ///
    /// # Errors
    /// If there is no such file.
    pub fn copy(path: &str, of: &Path) -> Result<Self> {
        let of = of.canonicalize().with_context(|| format!("failed to find {}", of.display()))?;
        // Bits beyond these differ with the umask of who checked the file out.
        let mode = if of.metadata()?.permissions().mode() & 0o100 == 0 { 0o644 } else { 0o755 };
        Ok(Self { path: path.to_owned(), mode, content: Content::File(of) })
    }

    /// A copy of a file with a mode of its own.
    #[must_use]
    pub fn file(path: &str, mode: u32, of: &Path) -> Self {
        Self { path: path.to_owned(), mode, content: Content::File(of.to_owned()) }
    }

    /// A symbolic link.
    #[must_use]
    pub fn link(path: &str, target: &str) -> Self {
        Self { path: path.to_owned(), mode: 0o777, content: Content::Link(target.to_owned()) }
    }

    fn append<W: Write>(&self, archive: &mut tar::Builder<W>) -> Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_mode(self.mode);
        header.set_mtime(0);
        header.set_uid(0);
        header.set_gid(0);
        header.set_size(0);
        match &self.content {
            Content::Folder => {
                header.set_entry_type(tar::EntryType::Directory);
                archive.append_data(&mut header, format!("{}/", self.path), std::io::empty())?;
            }
            Content::Bytes(bytes) => {
                header.set_size(bytes.len() as u64);
                archive.append_data(&mut header, &self.path, bytes.as_slice())?;
            }
            Content::File(file) => {
                let file = File::open(file).with_context(|| format!("failed to open {}", file.display()))?;
                header.set_size(file.metadata()?.len());
                archive.append_data(&mut header, &self.path, file)?;
            }
            Content::Link(target) => {
                header.set_entry_type(tar::EntryType::Symlink);
                archive.append_link(&mut header, &self.path, target)?;
            }
        }
        Ok(())
    }
}

// === impl Layer ===

impl Layer {
    /// A layer of these things. The same things give the same layer, whenever and in whatever order.
    ///
    /// # Errors
    /// If a file cannot be read or the cache not be written.
    pub fn of(mut entries: Vec<Entry>) -> Result<Self> {
        entries.sort();
        Self::written(|file| {
            let mut archive = tar::Builder::new(file);
            for entry in &entries {
                entry.append(&mut archive).with_context(|| format!("failed to add {}", entry.path))?;
            }
            archive.finish().map_err(Into::into)
        })
    }

    /// A layer from a tar file that another program wrote; the file is moved.
    pub(super) fn adopt(tar: &Path) -> Result<Self> {
        let layer = Self::written(|to| {
            std::io::copy(&mut File::open(tar)?, to)?;
            Ok(())
        })?;
        fs::remove_file(tar)?;
        Ok(layer)
    }

    /// Where its tar file lies.
    pub(super) fn file(&self) -> Result<PathBuf> {
        Ok(folder()?.join(&self.digest))
    }

    fn written(write: impl FnOnce(&mut Hashing<BufWriter<File>>) -> Result<()>) -> Result<Self> {
        fs::create_dir_all(folder()?)?;
        // Two runs at once must not write one file.
        let unfinished = folder()?.join(format!("new-{}", std::process::id()));
        let mut to = Hashing::new(BufWriter::new(File::create(&unfinished)?));
        write(&mut to)?;
        to.flush()?;
        let (digest, size) = to.finish();
        let layer = Self { digest, size };
        fs::rename(unfinished, layer.file()?)?;
        Ok(layer)
    }
}

/// Remove layers that nobody has made for a day, but for those that are slow to make.
pub(super) fn prune(keep: &[Layer]) -> Result<()> {
    for entry in fs::read_dir(folder()?)? {
        let entry = entry?;
        let kept = keep.iter().any(|layer| entry.file_name() == *layer.digest);
        // Another run may remove the same one first.
        let Ok(made) = entry.metadata().and_then(|metadata| metadata.modified()) else { continue };
        if !kept && made.elapsed().is_ok_and(|age| age > UNUSED) {
            fs::remove_file(entry.path()).ok();
        }
    }
    Ok(())
}

fn folder() -> Result<PathBuf> {
    Ok(layout::cache()?.join("layers"))
}
