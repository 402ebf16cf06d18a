//! What the operator says of itself: logs, metrics, and whether it lives.

mod logs;
mod metrics;
mod server;

pub use logs::{LogFormat, begin_logging};
pub use metrics::{Metrics, Reconciled};
pub use server::{Readiness, serve};
