//! One `status` under way, or its answer until it is fetched.

use planner::names::ContainerId;
use planner::observation::Status;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// One `status`, until its answer is fetched. Where it does not end in time it is asked once more over a stream of its
/// own: the first one may be half open, and its member well.
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
    /// Those that ask.
    pub(super) tasks: Vec<AbortHandle>,
    /// How many of them may still answer.
    pub(super) open: usize,
    /// How many were lost in time: what broke at once says nothing of the member.
    pub(super) lost: usize,
}

// === impl Slot ===

impl Slot {
    /// What was told and when, unless it is of another time: too late, fetched too late, or overtaken.
    pub(super) fn news(self, fresh: Duration) -> Option<(Status, Instant)> {
        let (_, ended) = self.told.as_ref()?;
        let stands = !self.void && *ended <= self.hangs_at && ended.elapsed() <= fresh;
        self.told.filter(|_| stands)
    }

    /// Whether it did not end in time, and only one stream tells so.
    pub(super) fn is_to_be_asked_again(&self) -> bool {
        !self.was_asked_twice() && Instant::now() >= self.hangs_at
    }

    /// Two streams had all the time that an answer has, or have it yet.
    pub(super) fn was_asked_twice(&self) -> bool {
        self.tasks.len() - self.lost > 1
    }

    /// One of its streams has ended. Silence, and what came too late, say nothing while another may still answer.
    pub(super) fn end(&mut self, status: Status, in_time: bool) {
        self.open = self.open.saturating_sub(1);
        let is_answer = in_time && matches!(status, Status::Answer(_));
        if self.told.is_none() && (is_answer || self.open == 0) {
            let late = || Status::Silent("status ended past its timeout".to_owned());
            self.told = Some((if in_time { status } else { late() }, Instant::now()));
            self.stop();
        } else if in_time && self.told.is_none() {
            self.lost += 1;
            self.hangs_at = Instant::now();
        }
    }

    pub(super) fn stop(&self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}
