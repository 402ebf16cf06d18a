//! How long each test took, where a person asks for it.

use std::process::Command;
use std::time::Duration;

/// The durations of tests that ended.
#[derive(Debug, Default)]
pub(crate) struct Durations {
    are_wanted: bool,
    of_tests: Vec<(String, Duration)>,
}

/// As many tests are listed.
const SLOWEST: usize = 30;

// === impl Durations ===

impl Durations {
    /// None yet; tests are asked for them if they are wanted.
    pub(crate) fn new(are_wanted: bool) -> Self {
        Self { are_wanted, of_tests: Vec::new() }
    }

    pub(crate) fn are_wanted(&self) -> bool {
        self.are_wanted
    }

    /// Have a test program print the duration of each test. The stable harness does so only with this variable. It is set for
    /// the test program alone, so that nothing is compiled in another way.
    pub(crate) fn ask(command: &mut Command) -> &mut Command {
        command.env("RUSTC_BOOTSTRAP", "1").args(["-Z", "unstable-options", "--report-time"])
    }

    /// Take the duration from a line such as `test a::b ... ok <1.234s>`.
    pub(crate) fn note(&mut self, target: &str, line: &str) {
        let Some((name, result)) = line.strip_prefix("test ").and_then(|line| line.split_once(" ... "))
        else {
            return;
        };
        let seconds = result.rsplit_once('<').and_then(|(_, seconds)| seconds.strip_suffix("s>"));
        if let Some(seconds) = seconds.and_then(|seconds| seconds.parse().ok()) {
            self.of_tests.push((format!("{target} {name}"), Duration::from_secs_f32(seconds)));
        }
    }

    /// The slowest tests, a line each, the slowest first.
    pub(crate) fn slowest(&mut self) -> String {
        self.of_tests.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
        let lines = self.of_tests.iter().take(SLOWEST);
        lines.map(|(name, took)| format!("{:>8.1} s  {name}\n", took.as_secs_f32())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_tests_come_first_and_other_lines_are_no_tests() {
        let mut durations = Durations::new(true);
        for line in [
            "running 3 tests",
            "test a::quick ... ok <0.012s>",
            "test b::slow ... FAILED <31.500s>",
            "test c::without ... ok",
            "test result: ok. 3 passed; 0 failed; finished in 31.51s",
        ] {
            durations.note("e2e", line);
        }
        assert_eq!(durations.slowest(), "    31.5 s  e2e b::slow\n     0.0 s  e2e a::quick\n");
    }
}
