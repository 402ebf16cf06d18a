//! The column of places: each file that is named there exists, and what is named in it.

use super::{Cell, Tracked, cells};

/// The heading of such a column.
const COLUMN: &str = "Place";
/// Where a file is looked for that is not at its path from the root.
const HEART: &str = "planner/src";
/// What gives a name its meaning. A module is a file, and named as one.
const KEYWORDS: [&str; 7] = ["fn", "const", "static", "struct", "enum", "trait", "type"];

/// Every place that is none, with its file and line.
pub(in crate::test) fn find(files: &[Tracked]) -> Vec<String> {
    let documents = files.iter().filter(|file| file.path.extension().is_some_and(|e| e == "md"));
    let wrong = |cell: Cell<'_>| {
        let what = wrong(cell.text, files);
        what.into_iter().map(|what| format!("{}: {what}", cell.place)).collect::<Vec<_>>()
    };
    documents.flat_map(|document| cells(document, COLUMN)).flat_map(wrong).collect()
}

/// A name that begins with `::` is in the file before it; what names no file says how, and is for people.
fn wrong(cell: &str, files: &[Tracked]) -> Vec<String> {
    let (mut before, mut wrong) = ("", Vec::new());
    for name in cell.split('`').skip(1).step_by(2) {
        let (file, item) = name.split_once("::").unwrap_or((name, ""));
        let file = if file.is_empty() { before } else { file };
        if !file.ends_with(".rs") {
            continue;
        }
        before = file;
        match files.iter().find(|tracked| is_at(tracked, file)) {
            None => wrong.push(format!("there is no file {file}")),
            Some(tracked) if !item.split("::").all(|name| is_named(&tracked.text, name)) => {
                wrong.push(format!("there is no {item} in {file}"));
            }
            Some(_) => {}
        }
    }
    wrong
}

fn is_at(tracked: &Tracked, file: &str) -> bool {
    tracked.path == std::path::Path::new(file) || tracked.path == std::path::Path::new(HEART).join(file)
}

/// Whether a text gives a meaning to this name. No name at all is in every text.
fn is_named(text: &str, name: &str) -> bool {
    let words: Vec<&str> =
        text.split(|c: char| !super::is_of_a_name(c)).filter(|word| !word.is_empty()).collect();
    let is_given = |two: &[&str]| KEYWORDS.contains(&two[0]) && two[1] == name;
    name.is_empty() || words.windows(2).any(is_given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::tables::tests::tree;

    fn found(cell: &str) -> Vec<String> {
        let table = format!("| What | Place | Test |\n|---|---|---|\n| it holds | {cell} | `a` |");
        find(&tree(&[
            (
                "planner/src/rules/seed.rs",
                "pub(crate) fn seed(draft: &mut Draft<'_>) -> Flow {\n    start();",
            ),
            ("shell/src/clients.rs", "pub struct Clients;\nimpl Clients {\n    pub async fn new<T>() {}"),
            ("shell/src/guard.rs", "const SCRIPT: &str = \"\";"),
            ("docs/a.md", &table),
        ]))
    }

    #[test]
    fn a_place_is_found_by_its_file_and_what_is_named_there() {
        for cell in [
            "`rules/seed.rs::seed` (`is_dark`)",
            "`shell/src/clients.rs::Clients::new`, `shell/src/guard.rs::SCRIPT` (exit 3)",
            "`shell/src/clients.rs::Clients`, `::new`; each rule",
            "`rules/seed.rs`: either is enough",
            "4.1, 4.2",
        ] {
            assert_eq!(found(cell), Vec::<String>::new(), "{cell}");
        }
    }

    #[test]
    fn what_is_no_place_is_told_with_its_line() {
        for (cell, what) in [
            ("`rules/join.rs::seed`", "there is no file rules/join.rs"),
            ("`rules/seed.rs::start`", "there is no start in rules/seed.rs"),
            ("`shell/src/guard.rs`, `::script`", "there is no script in shell/src/guard.rs"),
            ("`shell/src/clients.rs::Client::new`", "there is no Client::new in shell/src/clients.rs"),
        ] {
            assert_eq!(found(cell), [format!("docs/a.md:3: {what}")]);
        }
    }
}
