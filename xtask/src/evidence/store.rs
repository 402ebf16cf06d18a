//! Results, one JSON object on a line: kept below `target` as they come, and in the tree once somebody asks for it.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::counts::Counts;
use crate::workspace;

/// One stage of the test, or one round of a part of the soak, that ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// What was tried, and nothing else was in the tree: [`Commit::source`](super::commit::Commit::source).
    pub(crate) source: String,
    /// Such as `test unit` or `soak simulate`.
    pub(crate) part: String,
    /// Which round of it, by what it is of. Run again, its counts take the place of those before; a failure stays.
    pub(crate) round: String,
    /// Whether it found nothing wrong.
    pub(crate) ok: bool,
    /// What it counted.
    pub(crate) counts: Counts,
}

/// The folder of the tree that has them, and nothing that is tried.
pub(super) const FOLDER: &str = "evidence";

const NAME: &str = "rounds.jsonl";

/// Where they are as they come.
fn fresh() -> PathBuf {
    workspace::target().join("evidence").join(NAME)
}

/// Where they are for whoever clones the repository.
fn kept() -> PathBuf {
    workspace::root().join(FOLDER).join(NAME)
}

/// Adds one, below `target`.
pub(super) fn append(entry: &Entry) -> Result<()> {
    let file = fresh();
    let failed = || format!("failed to write {}", file.display());
    fs::create_dir_all(file.parent().unwrap_or(&file)).with_context(failed)?;
    let mut out = OpenOptions::new().create(true).append(true).open(&file).with_context(failed)?;
    out.write_all(format!("{}\n", serde_json::to_string(entry)?).as_bytes()).with_context(failed)
}

/// All: those in the tree, and after them those below `target`, the oldest first.
pub(super) fn all() -> Result<Vec<Entry>> {
    Ok([read(&kept())?, read(&fresh())?].concat())
}

/// Writes those of one source into the tree, and nothing else is there afterwards: where, and how many. None is an error.
pub(super) fn keep(source: &str) -> Result<(PathBuf, usize)> {
    let file = kept();
    let failed = || format!("failed to write {}", file.display());
    let lines = lines_of(source, &all()?)?;
    ensure!(!lines.is_empty(), "nothing was found of this source: cargo xtask evidence says what is missing");
    fs::create_dir_all(file.parent().unwrap_or(&file)).with_context(failed)?;
    fs::write(&file, lines.iter().map(|line| format!("{line}\n")).collect::<String>())
        .with_context(failed)?;
    Ok((file, lines.len()))
}

/// Of one source, each line once, as it came last.
fn lines_of(source: &str, entries: &[Entry]) -> Result<Vec<String>> {
    let of_it = entries.iter().filter(|entry| entry.source == source);
    let lines: Vec<String> = of_it.map(serde_json::to_string).collect::<Result<_, _>>()?;
    let comes_again = |at: usize| lines[at + 1..].contains(&lines[at]);
    Ok((0..lines.len()).filter(|at| !comes_again(*at)).map(|at| lines[at].clone()).collect())
}

fn read(file: &Path) -> Result<Vec<Entry>> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("failed to read {}", file.display())),
    };
    let parse = |(number, line)| {
        serde_json::from_str(line).with_context(|| format!("{}, line {number}", file.display()))
    };
    (1..).zip(text.lines()).map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_of_one_source_and_each_result_stands_there_once() {
        let entry = |source: &str, round: &str, ok| {
            let (source, part, round) = (source.to_owned(), "soak walk".to_owned(), round.to_owned());
            Entry { source, part, round, ok, counts: Counts::new() }
        };
        let (one, failed, other) = (entry("a", "1", true), entry("a", "1", false), entry("b", "2", true));
        let all = [one.clone(), failed.clone(), other, one.clone()];
        let kept: Vec<Entry> = lines_of("a", &all)
            .and_then(|lines| lines.iter().map(|line| Ok(serde_json::from_str(line)?)).collect())
            .expect("lines of our own");
        assert_eq!(kept, [failed, one], "a failure stays, and what came last is last");
    }
}
