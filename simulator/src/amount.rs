//! How much a test tries: a sample for each change, everything with `cargo xtask test --full`.

/// The variable that `cargo xtask test --full` sets.
const FULL: &str = "RSS_TEST_FULL";

/// The first value for each change, the second one with `--full`.
#[must_use]
pub fn sampled<T>(sample: T, everything: T) -> T {
    if std::env::var_os(FULL).is_some() { everything } else { sample }
}
