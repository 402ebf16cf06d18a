//! Failures in a row.

use std::time::Duration;

use tokio::time::Instant;

use crate::api::Reason;

/// How long the same has to fail until people are told: what ends sooner by itself is nobody's business.
const LASTING: Duration = Duration::from_secs(5);

/// For how long all looks have failed in one way.
#[derive(Debug, Default)]
pub(crate) struct Failing(Option<Streak>);

#[derive(Debug)]
struct Streak {
    reason: Reason,
    since: Instant,
    /// What was told of it last.
    told: Option<String>,
}

// === impl Failing ===

impl Failing {
    /// A look failed in this way. Whether that lasts.
    pub(crate) fn lasts(&mut self, reason: Reason, now: Instant) -> bool {
        let streak = self.0.take().filter(|streak| streak.reason == reason);
        let streak = streak.unwrap_or(Streak { reason, since: now, told: None });
        let since = self.0.insert(streak).since;
        now.duration_since(since) >= LASTING
    }

    /// Whether this is to be told of it: once, until a look ends well.
    pub(crate) fn is_news(&mut self, note: &str) -> bool {
        let told = self.0.as_mut().map(|streak| &mut streak.told);
        told.is_some_and(|told| told.replace(note.to_owned()).as_deref() != Some(note))
    }

    /// A look ended well.
    pub(crate) fn end(&mut self) {
        self.0 = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_in_one_way_for_long_lasts_and_anything_between_begins_anew() {
        let (mut failing, began) = (Failing::default(), Instant::now());
        let at = |seconds| began + Duration::from_secs(seconds);
        let (step, look) = (Reason::StepFailed, Reason::ObservationFailed);
        assert_eq!([0, 4, 5, 9].map(|seconds| failing.lasts(step, at(seconds))), [false, false, true, true]);
        assert!(!failing.lasts(look, at(9)), "it fails in another way");
        assert!(!failing.lasts(step, at(10)));
        assert!(failing.lasts(step, at(15)));
        failing.end();
        assert!(!failing.lasts(step, at(20)), "a look ended well");
    }

    #[test]
    fn the_same_is_told_once_until_a_look_ends_well() {
        let (mut failing, now) = (Failing::default(), Instant::now());
        let mut told = |note: &str| {
            failing.lasts(Reason::StepFailed, now);
            failing.is_news(note)
        };
        assert_eq!(["a", "a", "b", "b"].map(&mut told), [true, false, true, false]);
        failing.end();
        failing.lasts(Reason::StepFailed, now);
        assert!(failing.is_news("b"));
    }
}
