//! Counts of what a round of the soak tried. The programs of a round add them to the file that `RSS_COUNTS` names.
//!
//! The file has a number and a name on each line, such as `5000 stories of the planner`. The crate `simulator` writes the
//! same lines.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

/// The variable with the path of the file. A program counts nothing without it.
pub(crate) const VARIABLE: &str = "RSS_COUNTS";

/// A number for each name. A name that no program counted is absent.
pub(crate) type Counts = BTreeMap<String, u64>;

/// Adds a number to a count of the round that runs this program.
///
/// # Errors
/// The variable `RSS_COUNTS` is set, and its file cannot be written.
pub fn count(name: &str, number: u64) -> Result<()> {
    std::env::var_os(VARIABLE).map_or(Ok(()), |file| add(Path::new(&file), name, number))
}

/// Adds a line. One write for the whole line keeps the lines of concurrent programs apart.
pub(crate) fn add(file: &Path, name: &str, number: u64) -> Result<()> {
    let failed = || format!("failed to write {}", file.display());
    let mut out = OpenOptions::new().create(true).append(true).open(file).with_context(failed)?;
    out.write_all(format!("{number} {name}\n").as_bytes()).with_context(failed)
}

/// The sum for each name in a file.
pub(crate) fn read(file: &Path) -> Result<Counts> {
    let text = fs::read_to_string(file).with_context(|| format!("failed to read {}", file.display()))?;
    sums(&text).with_context(|| format!("{} has a malformed line", file.display()))
}

fn sums(text: &str) -> Result<Counts> {
    let mut counts = Counts::new();
    for line in text.lines() {
        let malformed = || format!("\"{line}\" is not a number and a name");
        let (number, name) = line.split_once(' ').with_context(malformed)?;
        *counts.entry(name.to_owned()).or_default() += number.parse::<u64>().with_context(malformed)?;
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_the_same_name_are_added_up() {
        let file = std::env::temp_dir().join(format!("rss-counts-{}", std::process::id()));
        for (name, number) in [("rows lost", 0), ("states explored", 20), ("states explored", 3)] {
            add(&file, name, number).expect("the folder for temporary files is writable");
        }
        let sums = read(&file).expect("the file was written above");
        fs::remove_file(&file).expect("the file was written above");
        assert_eq!(sums, [("rows lost".to_owned(), 0), ("states explored".to_owned(), 23)].into());
    }

    #[test]
    fn a_line_without_a_number_is_an_error() {
        for text in ["3", "states explored", "-1 states explored"] {
            assert!(sums(text).is_err(), "{text}");
        }
    }
}
