//! The project's own commands as a library: a local cluster, the images it runs, the stages of the
//! test, and the progress they show. `main.rs` gives them a command line; tests call them directly.
#![expect(clippy::print_stderr, reason = "progress and warnings are what these commands say")]

pub mod bench;
pub mod cluster;
pub mod demo;
pub mod evidence;
pub mod generate;
mod go;
pub mod image;
mod installed;
pub mod operator;
pub mod own;
pub mod policies;
pub mod progress;
pub mod registry;
mod run;
pub mod simulate;
pub mod soak;
pub mod test;
mod workspace;
