//! A released interface never changes: the contract is compared with each of its frozen versions.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod kept;

use std::fs;
use std::path::PathBuf;

use wit_component::semver_check;
use wit_parser::{Resolve, WorldId};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../wit")
}

/// The frozen versions, by their numbers.
fn frozen() -> Vec<(String, String)> {
    let files = fs::read_dir(folder().join("frozen")).unwrap().map(|entry| entry.unwrap().path());
    let contracts = files.filter(|path| path.extension().is_some_and(|extension| extension == "wit"));
    let read = |path: PathBuf| {
        let version = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (version, fs::read_to_string(path).unwrap())
    };
    contracts.map(read).collect()
}

/// What differs between a frozen contract and one that should keep it, by world.
fn broken(version: &str, frozen: &str, present: &str) -> Vec<String> {
    let package = format!("clusterlabs:policy@{version}");
    assert!(frozen.contains(&format!("package {package};")), "{version}.wit is not of its version");
    // One set of packages takes a name and version once; versions are not compared.
    let frozen = frozen.replace(&package, "clusterlabs:policy@0.0.0-frozen");
    let mut resolve = Resolve::default();
    let old = resolve.push_str("frozen.wit", &frozen).unwrap();
    let new = resolve.push_str("policy.wit", present).unwrap();
    let worlds = resolve.packages[old].worlds.clone();
    let differs = |(name, old): (String, WorldId)| {
        let Some(&new) = resolve.packages[new].worlds.get(&name) else {
            return Some(format!("{name} is gone"));
        };
        // One direction lets functions go, the other lets them come.
        let both =
            semver_check(resolve.clone(), old, new).and_then(|()| semver_check(resolve.clone(), new, old));
        both.err().map(|why| format!("{name}: {why:#}"))
    };
    worlds.into_iter().filter_map(differs).collect()
}

#[test]
fn every_frozen_interface_is_as_it_was() {
    let present = fs::read_to_string(folder().join("policy.wit")).unwrap();
    let frozen = frozen();
    assert!(!frozen.is_empty(), "there is nothing to compare with");
    for (version, text) in frozen {
        // A later package may leave an interface out; as long as the version is the same, it may not.
        if present.contains(&format!("package clusterlabs:policy@{version};")) {
            assert_eq!(broken(&version, &text, &present), Vec::<String>::new(), "{version}");
        }
    }
}

#[test]
fn any_change_of_an_interface_is_seen() {
    let (version, text) = frozen().pop().unwrap();
    assert_eq!(broken(&version, &text, &text), Vec::<String>::new());
    let changes = [
        ("a field more", "exit-code: s32,", "exit-code: s32, signal: s32,"),
        ("a field less", "        truncated: bool,\n", ""),
        ("another type", "exit-code: s32,", "exit-code: u32,"),
        ("a case more", "        empty,\n", "        empty, partial,\n"),
        ("another order of cases", "        leave-stopped,\n", "        leave-stopped, other,\n"),
        ("another name of a parameter", "read: func(settings: string", "read: func(options: string"),
        (
            "a function more",
            "describe: func() -> description;",
            "describe: func() -> description; more: func();",
        ),
        ("a function less", "describe: func() -> description;", ""),
        ("an interface less", "    export seed;\n    export primaries;", "    export primaries;"),
        ("a world less", "world seed-policy {\n    export seed;\n}", ""),
    ];
    for (sentence, from, to) in changes {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{sentence}");
        assert!(!broken(&version, &text, &changed).is_empty(), "{sentence}");
    }
}
