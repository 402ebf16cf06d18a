//! Only the soak counts the inputs of a target: `RSS_COUNTS` names the file for the counts.

use std::process::{self, Command};
use std::{env, fs};

/// The test of one target.
const TEST: &str = "target::fuzzed::a_resource_becomes_a_target_within_its_bounds_or_none";

/// Runs that test in a process of its own, and returns the counts that it wrote. `inputs` is the number of inputs that a
/// round of the soak asks for.
fn counts(inputs: Option<&str>) -> Option<String> {
    let name = format!("rss-inputs-{}-{}", process::id(), inputs.unwrap_or("default"));
    let file = env::temp_dir().join(name);
    let mut test = Command::new(env::current_exe().expect("a test has a program"));
    test.args(["--exact", TEST]).env("RSS_COUNTS", &file);
    test.env_remove("RSS_FUZZ_FROM").env_remove("RSS_FUZZ_COUNT");
    if let Some(count) = inputs {
        test.env("RSS_FUZZ_FROM", "1").env("RSS_FUZZ_COUNT", count);
    }
    let output = test.output().expect("the program of this test exists");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    let counts = fs::read_to_string(&file).ok();
    if counts.is_some() {
        fs::remove_file(&file).expect("the test wrote the file");
    }
    counts
}

#[test]
fn only_inputs_that_a_soak_asks_for_are_counted() {
    assert_eq!(counts(Some("3")).as_deref(), Some("3 inputs\n"));
    assert_eq!(counts(None), None);
}
