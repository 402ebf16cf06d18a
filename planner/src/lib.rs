//! The heart: what was seen and what was promised become one plan.
//!
//! `recall` brings Memory up to date with a look, `questions` says what the policy is to be asked,
//! `decide` makes the plan, and `audit`, which knows none of the rules, checks it on the raw
//! evidence. Nothing here waits, reads a clock, draws a random number, logs, or fails.

pub mod app_state;
pub mod audit;
pub mod decide;
pub mod decision;
mod draft;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod guarantees;
mod guarding;
pub mod hold;
pub mod key;
mod look;
pub mod measure;
pub mod memory;
pub mod names;
pub mod observation;
mod offer;
mod ordering;
mod pairs;
mod places;
pub mod plan;
mod planned;
pub mod position;
mod questions;
mod readiness;
mod recall;
pub mod record;
pub mod rehearsal;
mod rules;
mod seeding;
pub mod start;
mod succession;
pub mod target;
pub mod timer;
mod timers;
mod veto;
mod went_back;

pub use app_state::AppState;
pub use audit::{Breach, audit};
pub use decide::decide;
pub use decision::{Decisions, Questions, Verdict, Verdicts, judge};
pub use look::holder_of;
pub use memory::Memory;
pub use observation::Observation;
pub use plan::{Hold, Plan, Step};
pub use position::Position;
pub use questions::questions;
pub use readiness::{Doubt, Readiness, ready};
pub use record::{HolderId, Reading, Record};
pub use rehearsal::Rehearsal;
pub use succession::to_be_replaced;
pub use target::Target;
pub use timers::timers;
