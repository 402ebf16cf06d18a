//! Counts of what a program tried, for `cargo xtask soak`. The module `counts` of xtask reads them.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// The variable with the path of the file for the counts. A program counts nothing without it.
const VARIABLE: &str = "RSS_COUNTS";

/// Adds a number to a count of the round that runs this program.
///
/// # Panics
/// The variable `RSS_COUNTS` is set, and its file cannot be written. The sums of the round would be wrong.
pub fn count(name: &str, number: u64) {
    let Some(file) = std::env::var_os(VARIABLE) else { return };
    let written = add(Path::new(&file), &format!("{number} {name}\n"));
    written.unwrap_or_else(|error| panic!("failed to write {}: {error}", file.display()));
}

/// One write for the whole line keeps the lines of concurrent programs apart.
fn add(file: &Path, line: &str) -> std::io::Result<()> {
    OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes())
}
