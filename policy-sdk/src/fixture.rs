//! Fixtures: questions with the answers that are right, run natively.
//!
//! A fixture is a [`Record`] in a file that ends in `.json`; a file may also hold an array of them. Where output of a
//! real program is long, it can stay in a file of its own: `"stdoutFrom": "recover.log"` in the place of `stdout`, or
//! `stderrFrom`, named from the folder of the fixture. An answer with no `why` (a problem with no `message`) is right
//! whatever reason is given.
//!
//! ```no_run
//! # struct MyDb;
//! # impl policy_sdk::Policy for MyDb {
//! #     type Settings = policy_sdk::NoSettings;
//! #     const NAME: &'static str = "mydb";
//! #     const VERSION: &'static str = "0.1.0";
//! #     const SUMMARY: &'static str = "MyDB";
//! #     fn new(_: policy_sdk::NoSettings) -> Self { Self }
//! # }
//! # policy_sdk::export!(MyDb: Metadata);
//! #[test]
//! fn every_fixture_is_answered_as_it_says() {
//!     policy_sdk::fixture::run::<MyDb>("fixtures");
//! }
//! ```

mod load;

pub use load::load;

use crate::record::{Decision, Record};
use serde_json::Value;
use std::fmt;
use std::path::{Path, PathBuf};

/// A policy with the interfaces that it exports; [`export!`](crate::export) implements it.
pub trait Exported {
    /// The decision with the policy's own answer; none if it does not export the interface.
    fn decide(settings: &str, asked: &Decision) -> Option<Decision>;
}

/// A fixture, and where it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixture {
    /// Its file.
    pub file: PathBuf,
    /// Its place in the file, from 1.
    pub number: usize,
    /// What is asked, and what is right.
    pub record: Record,
}

/// What is wrong with the answer to a fixture.
#[derive(Clone, Debug, PartialEq)]
pub enum Wrong {
    /// There is none: the interface with this name is not exported.
    NotExported(&'static str),
    /// It is another one.
    Differs {
        /// The decision that is right.
        right: Value,
        /// The one that was given.
        given: Value,
    },
}

/// Runs every fixture of a folder natively; a relative path is one from the folder of the crate.
///
/// # Panics
/// If one is not answered as it says, cannot be read or asks for what is not exported, with all of them; or if there
/// is none.
pub fn run<P: Exported>(folder: impl AsRef<Path>) {
    let wrong = match load(folder.as_ref()) {
        Ok(fixtures) => fixtures.iter().filter_map(|fixture| fixture.judge(P::decide)).collect(),
        Err(why) => vec![why],
    };
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

impl Fixture {
    /// What is wrong with the answer to this fixture, if anything, and which one it is.
    pub fn judge(&self, decide: impl FnOnce(&str, &Decision) -> Option<Decision>) -> Option<String> {
        let name = self.record.name.as_deref().unwrap_or("(no name)");
        let wrong = self.compare(decide)?;
        Some(format!("{}, fixture {}, {name}: {wrong}", self.file.display(), self.number))
    }

    /// What is wrong with the answer to this fixture, if anything.
    pub fn compare(&self, decide: impl FnOnce(&str, &Decision) -> Option<Decision>) -> Option<Wrong> {
        let right = &self.record.decision;
        let Some(given) = decide(&self.record.settings_text(), right) else {
            return Some(Wrong::NotExported(right.interface()));
        };
        let right = json(right);
        let given = without_reasons_left_open(json(&given), &right);
        (given != right).then_some(Wrong::Differs { right, given })
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotExported(interface) => write!(f, "{interface} is not exported"),
            Self::Differs { right, given } => write!(f, "\n  right: {right}\n  given: {given}"),
        }
    }
}

fn json(decision: &Decision) -> Value {
    serde_json::to_value(decision).expect("names are strings and numbers are integers")
}

/// The decision without the reasons that the right one leaves open.
fn without_reasons_left_open(mut given: Value, right: &Value) -> Value {
    let problems = right.pointer("/answer/problems").and_then(Value::as_array).map_or(0, Vec::len);
    let reasons = (0..problems).map(|index| format!("/answer/problems/{index}/message"));
    for reason in reasons.chain(["/answer/why".to_owned()]) {
        let is_open = right.pointer(&reason).is_none_or(|why| why == "");
        if let Some(why) = given.pointer_mut(&reason).filter(|_| is_open) {
            *why = "".into();
        }
    }
    given
}

#[cfg(test)]
mod tests;
