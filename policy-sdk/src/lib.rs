//! What the author of a policy uses.
//!
//! A policy tells the operator what it cannot know of an application: how much history a member's data holds, which
//! of equal members starts first, in which order members become primary, and what of the others. It is compiled to
//! a WebAssembly component without imports. It has no clock, no files and no network: what it is given is all it
//! knows, and the same question always has the same answer.
//!
//! # A whole policy
//!
//! A policy is a type that implements [`Policy`] and one trait for each decision that it takes: [`Sequence`],
//! [`Seed`], [`Primaries`], [`Replicas`]. The operator's own policy decides the rest.
//!
//! ```
//! use policy_sdk::position::History;
//! use policy_sdk::{NoSettings, Policy, Sequence, sequence};
//!
//! /// Reads what `mydb --position` prints: a lineage and the number of the last transaction, `4f2c7d/1234`.
//! pub struct MyDb;
//!
//! impl Policy for MyDb {
//!     type Settings = NoSettings;
//!     const NAME: &'static str = "mydb";
//!     const VERSION: &'static str = "0.1.0";
//!     const SUMMARY: &'static str = "MyDB, by what `mydb --position` prints.";
//!
//!     fn new(_: NoSettings) -> Self {
//!         Self
//!     }
//! }
//!
//! impl Sequence for MyDb {
//!     fn read(&self, output: &sequence::Output) -> sequence::Answer {
//!         let text = match output.text() {
//!             Ok("") => return sequence::Answer::empty(),
//!             Ok(text) => text,
//!             Err(why) => return sequence::Answer::unreadable(why),
//!         };
//!         let position = text.split_once('/').and_then(|(line, last)| Some((line, last.parse().ok()?)));
//!         match position {
//!             Some((lineage, last)) => sequence::Answer::at(History::up_to(lineage, last)),
//!             None => sequence::Answer::unreadable("not LINEAGE/NUMBER"),
//!         }
//!     }
//! }
//!
//! policy_sdk::export!(MyDb: Sequence, Metadata);
//! ```
//!
//! `kubectl rss policy new NAME` writes a crate like this, `kubectl rss policy build` makes the component: of a library with
//! `crate-type = ["cdylib", "rlib"]`, compiled for `wasm32-unknown-unknown`. `wasm-tools component new` makes the same of
//! that module. Beside this crate it needs `serde` 1 (with `derive`) and `schemars` 1 if it has settings.
//!
//! # What to get right
//!
//! - **A position is taken for true.** The host checks all else: it never lets two members start a history of their
//!   own, nor a member whose data was not read. But if `read` says 7 where the data holds 5, the data that holds 6 is
//!   lost. What you cannot read without doubt is [`sequence::Answer::unreadable`]: the member is then waited for.
//! - **A history is better than a number.** Two lineages that parted are seen to have parted, across outages. A bare
//!   number ([`Position::Ordinal`]) says nothing of its lineage and is compared within one outage only.
//!   See [`position`] for ready-made readers: integers, `uuid:seqno`, the GTID sets of MySQL and MariaDB.
//! - **[`sequence::Answer::empty`] means: there is no data.** Not: I found no number.
//! - **`why` is read by people** at the worst of times. Name what you saw.
//!
//! # Settings
//!
//! [`Policy::Settings`] is any type with `serde::Deserialize` and `schemars::JsonSchema`. It is given as
//! `spec.policy.settings`, checked by the host against the schema and then by [`Policy::check`], before it is used.
//! Refuse names that you do not know (`#[serde(deny_unknown_fields)]`): a typing error is then told, not ignored.
//!
//! # Size
//!
//! A host compiles all of a component before it asks anything, and that takes time in proportion to its bytes. What is
//! derived of settings is the largest part of a small policy; one with a single switch can implement [`Settings`] by hand
//! and compare that with what is derived, in a test. A component has the allocator of this crate, which is small: it
//! gives out powers of two, aligned to 16 at most.
//!
//! # Tests
//!
//! A fixture is a question with the answer that is right, as JSON; a record of a real decision is one as it is. See
//! [`record`] for the form and [`fixture`] to run them, natively in `cargo test`. `kubectl rss policy build` makes of
//! the same crate the component, so what was tested is what runs.
//!
//! # Natively
//!
//! Everything but [`export!`] is plain Rust for every target. A policy can be linked into a program and asked by
//! calling its traits.

// The generated bindings name this crate as an author's crate does.
#[cfg(target_arch = "wasm32")]
extern crate self as policy_sdk;

mod call;
#[cfg(any(target_arch = "wasm32", test))]
mod memory;
mod pairs;
mod policy;
mod settings;

#[cfg(not(target_arch = "wasm32"))]
pub mod fixture;
pub mod position;
pub mod primaries;
pub mod record;
pub mod replicas;
pub mod seed;
pub mod sequence;

mod candidate;
mod export;
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod glue;

#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
pub use call::native;
pub use candidate::Candidate;
pub use pairs::{Named, Pairs};
pub use policy::{Policy, Problem};
pub use position::Position;
pub use primaries::Primaries;
pub use replicas::Replicas;
pub use seed::Seed;
pub use sequence::Sequence;
pub use settings::{NoSettings, Settings};

/// The first 80 bytes of a text in quotation marks, cut between characters: for what could not be read.
#[must_use]
pub fn quoted(text: &str) -> String {
    const QUOTE: usize = 80;
    let text = text.trim();
    let end = text.floor_char_boundary(QUOTE);
    format!("{:?}{}", &text[..end], if end < text.len() { " (cut)" } else { "" })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_quote_is_short_and_never_cuts_a_character() {
        assert_eq!(super::quoted(" one\n"), "\"one\"");
        let quote = super::quoted(&"\u{20ac}".repeat(100));
        assert_eq!(quote, format!("\"{}\" (cut)", "\u{20ac}".repeat(26)));
    }
}
