//! Running other programs to their end.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Run a program and return what it printed; its complaint becomes the error.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let name = described(command);
    let done = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("failed to start {name}: is the program installed?"))?;
    if !done.status.success() {
        bail!("{name}: {}: {}", done.status, String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// Run a program that speaks for itself: what it prints is shown as it comes.
pub(crate) fn shown(command: &mut Command) -> Result<()> {
    let name = described(command);
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("failed to start {name}: is the program installed?"))?;
    if !status.success() {
        bail!("{name}: {status}");
    }
    Ok(())
}

/// `output` for a program given by its words.
pub(crate) fn words(words: &[&str]) -> Result<String> {
    let (program, arguments) = words.split_first().context("no program to run")?;
    output(Command::new(program).args(arguments))
}

/// The command line as an error shows it, cut where it grows long.
pub(crate) fn described(command: &Command) -> String {
    let line: Vec<_> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect();
    let line = line.join(" ");
    match line.char_indices().nth(200) {
        Some((cut, _)) => format!("{} ...", &line[..cut]),
        None => line,
    }
}

/// The first of the usual folders that holds a program of this name.
pub(crate) fn find(program: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // The administrator's folders are missing from many an ordinary PATH.
    let beyond = ["/usr/sbin", "/sbin", "/usr/local/go/bin"].map(Into::into);
    std::env::split_paths(&path).chain(beyond).map(|folder| folder.join(program)).find(|p| p.is_file())
}
