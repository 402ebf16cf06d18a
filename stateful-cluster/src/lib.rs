//! The heart of a StatefulCluster: which identities are made, kept and replaced.
//!
//! A StatefulSet gives the identity of a pod that is gone, with its claims, to the next one. Here
//! an identity is given once: a pod that cannot come back is replaced by another, with claims of its own.
//! `decide` makes the plan; `audit`, which knows none of the rules, checks it. Nothing here waits,
//! reads a clock, draws a random number, logs, or fails.

pub mod audit;
pub mod decide;
mod draft;
#[cfg(test)]
mod fixture;
pub mod hold;
mod look;
pub mod memory;
pub mod names;
pub mod observation;
mod pairs;
pub mod plan;
mod rules;
pub mod target;
pub mod timer;
mod timers;

pub use audit::{Breach, audit};
pub use decide::decide;
pub use hold::Hold;
pub use look::missing;
pub use memory::Memory;
pub use observation::Observation;
pub use plan::{Plan, Step};
pub use target::Target;
pub use timers::{timers, until_next};
