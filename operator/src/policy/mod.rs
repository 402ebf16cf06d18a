//! Policies: where they come from, and where they are kept.

mod digest;
pub mod fetch;
pub mod keep;
pub mod limits;

pub use digest::{Digest, NotADigest};
