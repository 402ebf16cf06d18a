//! Tables of documents that end with a column of tests: each test that is named there exists.

pub(super) mod places;

use std::collections::BTreeMap;
use std::path::Path;

use super::tree::Tracked;

/// The heading of such a column.
const COLUMN: &str = "Test";
/// What a table says once for a test of chance worlds.
const FLOWS: (&str, &str) = ("flows", "audit::flows::whatever_happens");
/// A cell that names what stands above it.
const SAME: &str = "the same";

/// Where each test is: the files that have one of this name.
type Tests<'a> = BTreeMap<&'a str, Vec<&'a Path>>;

/// Every name that is no test's, with its file and line.
pub(super) fn find(files: &[Tracked]) -> Vec<String> {
    let tests = tests(files);
    let documents = files.iter().filter(|file| file.path.extension().is_some_and(|e| e == "md"));
    let wrong = |cell: Cell<'_>| {
        let what = if cell.is_last { wrong(cell.text, &tests) } else { Vec::new() };
        what.into_iter().map(|what| format!("{}: {what}", cell.place)).collect::<Vec<_>>()
    };
    documents.flat_map(|document| cells(document, COLUMN)).flat_map(wrong).collect()
}

fn tests(files: &[Tracked]) -> Tests<'_> {
    let mut tests = Tests::new();
    for file in files.iter().filter(|file| file.path.extension().is_some_and(|e| e == "rs")) {
        for name in tests_in(&file.text) {
            tests.entry(name).or_default().push(&file.path);
        }
    }
    tests
}

/// Functions with the attribute of a test that is not left out when all are run, and the names that the macro of the stories is given.
pub(crate) fn tests_in(text: &str) -> Vec<&str> {
    let (mut found, mut is_test, mut is_ignored, mut is_told) = (Vec::new(), false, false, false);
    for line in text.lines().map(str::trim) {
        is_test |= line == "#[test]" || line.starts_with("#[tokio::test");
        is_ignored |= line.starts_with("#[") && line.contains("ignore");
        is_told = (is_told || line == "told! {") && line != "}";
        let named = line.split_once("fn ").and_then(|(_, after)| after.split_once('('));
        if let Some((name, _)) = named {
            found.extend((is_test && !is_ignored).then_some(name));
            (is_test, is_ignored) = (false, false);
        } else if is_told && line.chars().all(is_of_a_name) {
            found.push(line);
        }
    }
    found
}

fn is_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A cell of a column.
struct Cell<'a> {
    /// Its file and line.
    place: String,
    text: &'a str,
    /// It ends its row.
    is_last: bool,
}

/// The cells below each heading of this name.
fn cells<'a>(document: &'a Tracked, heading: &str) -> Vec<Cell<'a>> {
    let (mut found, mut column) = (Vec::new(), None);
    for (number, line) in (1..).zip(document.text.lines()) {
        let Some(row) = row(line) else {
            column = None;
            continue;
        };
        match column {
            None => column = row.iter().position(|cell| *cell == heading),
            Some(at) => found.extend(row.get(at).filter(|cell| !cell.starts_with("---")).map(|text| Cell {
                place: format!("{}:{number}", document.path.display()),
                text,
                is_last: at + 1 == row.len(),
            })),
        }
    }
    found
}

/// The cells of a row.
fn row(line: &str) -> Option<Vec<&str>> {
    let row = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(row.split('|').map(str::trim).collect())
}

/// A file or a crate stands before its tests, up to the next semicolon.
fn wrong(cell: &str, tests: &Tests<'_>) -> Vec<String> {
    let mut wrong: Vec<String> = cell.split(';').flat_map(|part| wrong_in(part, tests)).collect();
    if cell != SAME && names(cell).all(|name| is_place(name, tests)) {
        wrong.push(format!("no test is named: {cell}"));
    }
    wrong
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).map(|name| if name == FLOWS.0 { FLOWS.1 } else { name })
}

fn is_place(name: &str, tests: &Tests<'_>) -> bool {
    let is_like_one = name.contains('/') || !name.contains('_') && !name.contains("::");
    is_like_one && !tests.contains_key(name)
}

fn wrong_in(part: &str, tests: &Tests<'_>) -> Vec<String> {
    let (mut within, mut wrong) = ("", Vec::new());
    for name in names(part) {
        if is_place(name, tests) {
            within = name;
            if !tests.values().flatten().any(|path| path.starts_with(name)) {
                wrong.push(format!("there is no test in {name}"));
            }
        } else if !is_there(name, within, tests) {
            let of = if within.is_empty() { String::new() } else { format!(" in {within}") };
            wrong.push(format!("there is no test {name}{of}"));
        }
    }
    wrong
}

/// `MODULE::T::NAME`, or a name alone behind its file or crate.
fn is_there(name: &str, within: &str, tests: &Tests<'_>) -> bool {
    let mut modules: Vec<&str> = name.split("::").filter(|part| !is_of_tests(part)).collect();
    let Some(found) = modules.pop().and_then(|function| tests.get(function)) else { return false };
    let is_it = |path: &&Path| {
        let of_place = path.starts_with(within);
        of_place && (modules == modules_of(path) || modules.is_empty() && !within.is_empty())
    };
    found.iter().any(is_it)
}

fn is_of_tests(part: &str) -> bool {
    ["T", "tests"].contains(&part)
}

/// The modules of a file in its crate, without those that are there for tests alone.
fn modules_of(path: &Path) -> Vec<&str> {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let root = parts.iter().position(|part| ["src", "tests"].contains(part)).map_or(0, |at| at + 1);
    let modules = parts[root.min(parts.len())..].iter().map(|part| part.trim_end_matches(".rs"));
    modules.filter(|part| !is_of_tests(part) && !["mod", "lib", "main"].contains(part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn tree(files: &[(&str, &str)]) -> Vec<Tracked> {
        let file = |(path, text): &(&str, &str)| Tracked { path: path.into(), text: (*text).to_owned() };
        files.iter().map(file).collect()
    }

    const SOURCES: [(&str, &str); 5] = [
        ("heart/src/rules/seed/tests.rs", "#[test]\nfn one_seeds() {}\nfn no_test() {}"),
        (
            "heart/src/audit/flows.rs",
            "#[test]\n#[ignore]\nfn left_out() {}\n#[test]\nfn whatever_happens() {}",
        ),
        ("shell/tests/server/rounds.rs", "#[tokio::test]\nasync fn it_is_written() {}"),
        ("world/tests/stories.rs", "#[test]\nfn $name() {\n}\ntold! {\n    a_power_cut\n}\nnot_told"),
        ("shell/src/guard.rs", "mod tests {\n    #[test]\n    fn it_begins() {}\n}"),
    ];

    fn found(cell: &str) -> Vec<String> {
        let table = format!(
            "text\n\n| What | Test |\n|---|---|\n| it holds | {cell} |\n\n| Test | What |\n| x | y |"
        );
        let mut files = tree(&SOURCES);
        files.extend(tree(&[("docs/a.md", &table)]));
        find(&files)
    }

    #[test]
    fn a_test_is_found_by_its_module_its_file_or_its_crate() {
        for cell in [
            "`rules::seed::T::one_seeds`",
            "`flows`; `guard::tests::it_begins`",
            "`server::rounds::it_is_written` and those beside it",
            "`shell/tests/server/rounds.rs`: `it_is_written`",
            "`world`: `a_power_cut`, `heart`: `rules::seed::T::one_seeds`; `guard::tests::it_begins`",
            "the same",
        ] {
            assert_eq!(found(cell), Vec::<String>::new(), "{cell}");
        }
    }

    #[test]
    fn what_is_no_test_or_somewhere_else_is_told_with_its_line() {
        for (cell, what) in [
            ("`rules::seed::T::two_seed`", "there is no test rules::seed::T::two_seed"),
            ("`rules::seed::T::no_test`", "there is no test rules::seed::T::no_test"),
            ("`rules::join::T::one_seeds`", "there is no test rules::join::T::one_seeds"),
            ("`audit::flows::left_out`", "there is no test audit::flows::left_out"),
            ("`one_seeds`", "there is no test one_seeds"),
            ("`heart`: `a_power_cut`", "there is no test a_power_cut in heart"),
            ("`world`: `not_told`", "there is no test not_told in world"),
            ("a person looks", "no test is named: a person looks"),
            (
                "the five of `world/tests/stories.rs`",
                "no test is named: the five of `world/tests/stories.rs`",
            ),
            ("`guard::tests::it_begins`, `world/tests/other.rs`", "there is no test in world/tests/other.rs"),
        ] {
            assert_eq!(found(cell), [format!("docs/a.md:5: {what}")]);
        }
    }
}
