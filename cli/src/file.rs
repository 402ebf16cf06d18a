//! Files that a person names. What grows without end, or is no such file by far, is not read to its end.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// What a component or module may have here, in bytes. The operator takes far less; what it refuses is still shown.
pub(crate) const WASM: usize = 64 << 20;

/// What records may have, in bytes: those of many sets in one file.
pub(crate) const RECORDS: usize = 64 << 20;

/// What keys, certificates and logins may have, in bytes.
pub(crate) const KEYS: usize = 1 << 20;

/// Reads a file of at most so many bytes.
///
/// # Errors
/// If it cannot be read, or has more, or is a named pipe: that nobody writes to it shows by nothing but waiting.
pub(crate) fn read(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    // That of a shell, `<(COMMAND)`, has a writer, and no name that leads to it.
    if is_pipe(path) && path.canonicalize().is_ok() {
        let why = "it is a named pipe, which only ends when somebody has written to it; give a file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    read_from(File::open(path)?, most)
}

/// Whether bytes come from another process.
pub(crate) fn is_pipe(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.file_type().is_fifo())
}

/// A file to write. What other tools write to standard output by `-` this would put into a file of that name.
///
/// # Errors
/// If it is `-`.
pub(crate) fn to_write(path: PathBuf) -> Result<PathBuf, &'static str> {
    match path.to_str() {
        Some("-") => {
            Err("a file is written, and nothing to standard output; name a file (./- is one of that name)")
        }
        _ => Ok(path),
    }
}

/// Refuses to write where there is no folder, which is a slip of the pen more often than a wish.
///
/// # Errors
/// If there is none.
pub(crate) fn refuse_to_make_folders(out: &Path) -> Result<()> {
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => bail!("there is no folder {}; make it, or name another file", folder.display()),
        None => Ok(()),
    }
}

/// Reads at most so many bytes.
///
/// # Errors
/// If they cannot be read, or are more.
pub(crate) fn read_from(from: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        let why = format!("it has more than {most} bytes, which is more than such a file has");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

/// Writes a file that is whole from its first moment on: another that reads it meanwhile has what was before. What fails
/// changes nothing.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match path.canonicalize() {
        // A device or a pipe is written to, and stays what it is.
        Ok(found) if !found.is_file() => fs::write(found, bytes),
        Ok(found) => whole(&found, |new| new.write_all(bytes)),
        Err(_) => whole(path, |new| new.write_all(bytes)),
    }
}

fn whole(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut beside = path.to_owned().into_os_string();
    beside.push(format!(".{}.partial", std::process::id()));
    let done = File::create_new(&beside)
        .and_then(|mut new| write(&mut new).and_then(|()| new.sync_all()))
        .and_then(|()| fs::rename(&beside, path));
    if done.is_err() {
        // Why it failed says more than that something of it is left, too.
        let _ = fs::remove_file(&beside);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_not_read_to_its_end() {
        let error = read(Path::new("/dev/zero"), 7).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().contains("more than 7 bytes"), "{error}");
    }

    #[test]
    fn the_pipe_of_a_shell_is_read_like_a_file() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"1234567").unwrap();
        drop(writer);
        let path = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
        assert_eq!(read(Path::new(&path), 7).unwrap(), b"1234567");
    }

    #[test]
    fn a_file_that_is_as_large_as_it_may_be_is_read_whole() {
        let file = std::env::temp_dir().join(format!("kubectl-rss-file-{}", std::process::id()));
        fs::write(&file, b"1234567").unwrap();
        let (whole, more) = (read(&file, 7), read(&file, 6));
        fs::remove_file(&file).unwrap();
        assert_eq!(whole.unwrap(), b"1234567");
        assert!(more.is_err());
    }

    #[test]
    fn what_could_not_be_written_whole_is_not_there_at_all() {
        let folder = std::env::temp_dir().join(format!("kubectl-rss-whole-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("p.wasm");
        let full = |new: &mut File| {
            new.write_all(b"half")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        };
        assert_eq!(whole(&file, full).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "nothing is left");
        write(&file, b"all").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"all");
        assert_eq!(whole(&file, full).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&file).unwrap(), b"all", "what was before is kept");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn who_reads_a_file_while_it_is_replaced_has_one_or_the_other() {
        let file = std::env::temp_dir().join(format!("kubectl-rss-replaced-{}", std::process::id()));
        write(&file, b"before").unwrap();
        let mut open = File::open(&file).unwrap();
        write(&file, b"after, and longer").unwrap();
        assert_eq!(read_from(&mut open, 99).unwrap(), b"before");
        assert_eq!(fs::read(&file).unwrap(), b"after, and longer");
        fs::remove_file(&file).unwrap();
    }

    #[test]
    fn what_is_no_file_is_written_to_and_stays_what_it_is() {
        let (folder, null) = (std::env::temp_dir(), Path::new("/dev/null"));
        let link = folder.join(format!("kubectl-rss-link-{}", std::process::id()));
        std::os::unix::fs::symlink(null, &link).unwrap();
        write(&link, b"all").unwrap();
        assert_eq!(fs::read_link(&link).unwrap(), null);
        assert!(!null.metadata().unwrap().is_file());
        fs::remove_file(&link).unwrap();
    }
}
