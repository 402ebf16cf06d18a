//! One change at a time.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::{Context, Result};

/// Held while a command changes the cluster; the kernel lets go of it when we end, however that is.
pub(crate) struct Lock {
    file: File,
}

/// Outside the state folder, which comes and goes.
const PATH: &str = "/run/lock/rss-cluster.lock";

/// Wait for the lock and take it.
pub(crate) fn take() -> Result<Lock> {
    let path = Path::new(PATH);
    fs::create_dir_all(path.parent().context("the lock has a folder")?)?;
    loop {
        let file = File::options().create(true).truncate(false).write(true).open(path);
        let file = file.with_context(|| format!("failed to open {PATH}"))?;
        if file.try_lock().is_err() {
            eprintln!("waiting for another command that changes the local cluster");
            file.lock().with_context(|| format!("failed to lock {PATH}"))?;
        }
        // Who held it before has removed the file: then ours is the lock of nothing.
        if fs::metadata(path)
            .is_ok_and(|on_disk| file.metadata().is_ok_and(|held| held.ino() == on_disk.ino()))
        {
            return Ok(Lock { file });
        }
    }
}

// === impl Lock ===

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed before it is let go, so that nobody can take it in between; both may fail only if it is gone.
        fs::remove_file(PATH).and_then(|()| self.file.unlock()).ok();
    }
}
