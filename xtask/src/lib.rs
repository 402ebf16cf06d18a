//! The commands of `cargo xtask` as a library. `main.rs` is its command line. The crate `e2e` calls the library too.
#![expect(clippy::print_stderr, reason = "the commands print progress and warnings on standard error")]

pub mod bench;
pub mod binary;
pub mod cluster;
mod compile;
pub mod counts;
pub mod demo;
pub mod generate;
mod go;
pub mod image;
mod installed;
mod machine;
pub mod own;
pub mod policies;
pub mod progress;
pub mod registry;
mod run;
pub mod simulate;
pub mod soak;
pub mod test;
mod workspace;
