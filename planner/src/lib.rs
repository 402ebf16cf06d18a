//! The heart: what was seen and what was promised become one plan.
//!
//! `recall` brings Memory up to date with a look, `questions` says what the policy is to be asked,
//! `decide` makes the plan, and `audit`, which knows none of the rules, checks it on the raw
//! evidence. Nothing here waits, reads a clock, draws a random number, logs, or fails.

pub mod app_state;
pub mod decision;
pub mod hold;
pub mod key;
pub mod memory;
pub mod names;
pub mod observation;
mod pairs;
pub mod plan;
pub mod position;
pub mod record;
pub mod start;
pub mod target;
pub mod timer;

pub use app_state::AppState;
pub use decision::{Decisions, Questions, Verdict, Verdicts, judge};
pub use memory::Memory;
pub use observation::Observation;
pub use plan::{Hold, Plan, Step};
pub use position::Position;
pub use record::{HolderId, Reading, Record};
pub use target::Target;
