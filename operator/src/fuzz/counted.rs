//! What is told of how much was tried: a soak asks for its inputs, and few others are none of it.

use std::process::{self, Command};
use std::{env, fs};

/// The test of one target.
const TEST: &str = "target::fuzzed::a_resource_becomes_a_target_within_its_bounds_or_none";

/// What that test tells, in a process of its own: variables say how many inputs are asked for, if any.
fn told(asked: Option<&str>) -> Option<String> {
    let name = format!("rss-inputs-{}-{}", process::id(), asked.unwrap_or("few"));
    let file = env::temp_dir().join(name);
    let mut test = Command::new(env::current_exe().expect("a test runs"));
    test.args(["--exact", TEST]).env("RSS_EVIDENCE", &file);
    test.env_remove("RSS_FUZZ_FROM").env_remove("RSS_FUZZ_COUNT");
    if let Some(count) = asked {
        test.env("RSS_FUZZ_FROM", "1").env("RSS_FUZZ_COUNT", count);
    }
    let output = test.output().expect("this very program");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    let told = fs::read_to_string(&file).ok();
    if told.is_some() {
        fs::remove_file(&file).expect("it was written here");
    }
    told
}

#[test]
fn inputs_that_were_asked_for_are_told_and_where_nobody_asked_nothing_is() {
    assert_eq!(told(Some("3")).as_deref(), Some("inputs 3\n"));
    assert_eq!(told(None), None, "nothing is not zero");
}
