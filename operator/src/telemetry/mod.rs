//! What the operator says of itself: logs, metrics, and whether it lives.

mod logs;
mod metrics;
mod process;
mod readiness;
mod requests;
mod server;
mod watches;

pub use logs::{LogFormat, begin_logging};
pub use metrics::{Kind, Metrics, Reconciled};
pub use readiness::{Leader, Readiness};
pub use server::serve;
pub use watches::{Missing, Watches};

pub(crate) use requests::CountRequests;
pub(crate) use watches::Watch;
