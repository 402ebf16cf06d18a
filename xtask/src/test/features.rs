//! Libraries that tests use with other features than programs: cargo would compile them twice.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::{run, workspace};

/// Every such library.
pub(super) fn find() -> Result<Vec<String>> {
    Ok(differing(&tree("normal,build")?, &tree("normal,build,dev")?))
}

/// The libraries of the workspace with their features, a line each.
fn tree(edges: &str) -> Result<String> {
    let words =
        ["tree", "--locked", "--workspace", "--no-dedupe", "--prefix", "none", "--format", "{p} [{f}]"];
    run::output(workspace::cargo(&words).args(["--edges", edges]))
}

fn differing(programs: &str, tests: &str) -> Vec<String> {
    let (programs, tests) = (features(programs), features(tests));
    let differs = |(name, of_programs): (&&str, &Vec<&str>)| {
        let of_tests = tests.get(name).filter(|of_tests| *of_tests != of_programs)?;
        Some(format!(
            "{name} has the features {of_tests:?} in tests and {of_programs:?} in programs, so it is compiled twice"
        ))
    };
    programs.iter().filter_map(differs).collect()
}

/// The feature sets of each library. A library for the host of the build may have another set than one for programs.
fn features(tree: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut features: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in tree.lines() {
        let Some((name, set)) = line.trim_end_matches(" (*)").split_once(" [") else { continue };
        let sets = features.entry(name).or_default();
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    features.values_mut().for_each(|sets| sets.sort_unstable());
    features
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_with_other_features_in_tests_is_found_and_one_that_only_tests_use_is_not() {
        let programs = "serde v1.0.0 [std]\nwat v1.0.0 []\nserde v1.0.0 [std] (*)\n";
        let tests = "serde v1.0.0 [std]\nwat v1.0.0 [component-model]\nhyper v1.0.0 [server]\n";
        let found = differing(programs, tests);
        assert!(matches!(&found[..], [one] if one.starts_with("wat v1.0.0 has the features")), "{found:?}");
        assert_eq!(differing(programs, programs), Vec::<String>::new());
    }
}
