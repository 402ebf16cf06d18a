//! What hostile policies do, as text in files: what a guest does before it answers, or a component whole.

use std::fs;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/policy/guests/hostile")
}

/// The text of a file.
pub(super) fn kept(name: &str) -> String {
    let file = folder().join(format!("{name}.wat"));
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
fn each_file_is_named_by_a_test() {
    let tests = [include_str!("../hostile.rs"), include_str!("turncoats.rs")].concat();
    let files: Vec<_> = fs::read_dir(folder()).expect("the folder").collect();
    assert!(files.len() > 10, "{files:?}");
    for file in files {
        let path = file.expect("a file").path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        assert!(tests.contains(&format!("kept(\"{name}\")")), "{}: no test names it", path.display());
    }
}
