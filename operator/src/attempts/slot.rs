//! One `status` under way, or its answer until it is fetched.

use planner::names::ContainerId;
use planner::observation::Status;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// One `status`, until its answer is fetched.
pub(super) struct Slot {
    pub(super) container: ContainerId,
    pub(super) asked: Instant,
    pub(super) hangs_at: Instant,
    /// A command that changes the member began or ended meanwhile.
    pub(super) void: bool,
    /// Somebody was told that it still runs.
    pub(super) missed: bool,
    pub(super) told: Option<(Status, Instant)>,
    pub(super) ended: Arc<Notify>,
    pub(super) task: AbortHandle,
}

// === impl Slot ===

impl Slot {
    /// What was told and when, unless it is of another time: too late, fetched too late, or overtaken.
    pub(super) fn news(self, fresh: Duration) -> Option<(Status, Instant)> {
        let (_, ended) = self.told.as_ref()?;
        let stands = !self.void && *ended <= self.hangs_at && ended.elapsed() <= fresh;
        self.told.filter(|_| stands)
    }
}
