//! When a lease may be taken, and when a leader has to stop; decided by this process's own
//! monotonic clock. The times in the lease are written by other clocks and are for people only.

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use std::time::Duration;
use tokio::time::Instant;

/// A lease that nobody was seen to renew for so long may be taken. The time without an operator
/// after one dies; shorter, and a slow API server alone would change the leader.
const DURATION: Duration = Duration::from_secs(15);

/// A leader that could not renew for so long stops, a third of the duration before another begins.
const RENEW: Duration = Duration::from_secs(10);

/// The lease as it was last seen to change.
pub(super) struct Sighting {
    spec: Option<LeaseSpec>,
    since: Instant,
}

/// What to do about the lease.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    /// There is none: make it.
    Create(Lease),
    /// It is ours, or may be: write this, at the version that was seen.
    Write(Lease),
    /// It is another's.
    Wait,
}

/// Until when this process leads, as it is told to all who act. Who was held up and asks late needs nobody to tell that it
/// is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leads(Option<Instant>);

/// The time for which we lead.
#[derive(Default)]
pub(super) struct Term {
    renewed: Option<Instant>,
}

// === impl Sighting ===

impl Sighting {
    pub(super) fn new(now: Instant) -> Self {
        Self { spec: None, since: now }
    }

    /// Takes note of what the lease says now.
    pub(super) fn next(
        &mut self,
        lease: Option<Lease>,
        identity: &str,
        now: Instant,
        time: Timestamp,
    ) -> Next {
        let Some(mut lease) = lease else {
            return Next::Create(Lease { spec: Some(claim(None, identity, time)), ..Lease::default() });
        };
        let spec = lease.spec.take().unwrap_or_default();
        if self.spec.as_ref() != Some(&spec) {
            *self = Self { spec: Some(spec.clone()), since: now };
        }
        let ours =
            spec.holder_identity.as_deref().is_none_or(|holder| holder.is_empty() || holder == identity);
        if !ours && now.duration_since(self.since) < validity(&spec) {
            return Next::Wait;
        }
        lease.spec = Some(claim(Some(spec), identity, time));
        Next::Write(lease)
    }
}

/// As long as its holder asked for.
fn validity(spec: &LeaseSpec) -> Duration {
    let seconds = spec.lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok());
    seconds.map_or(DURATION, Duration::from_secs)
}

/// The lease in our hands: renewed if it was there, else taken.
fn claim(before: Option<LeaseSpec>, identity: &str, time: Timestamp) -> LeaseSpec {
    let before = before.unwrap_or_default();
    let renewal = before.holder_identity.as_deref() == Some(identity);
    let transitions = before.lease_transitions.unwrap_or(0) + i32::from(before.acquire_time.is_some());
    LeaseSpec {
        holder_identity: Some(identity.to_owned()),
        lease_duration_seconds: i32::try_from(DURATION.as_secs()).ok(),
        acquire_time: if renewal { before.acquire_time } else { Some(MicroTime(time)) },
        renew_time: Some(MicroTime(time)),
        lease_transitions: if renewal { before.lease_transitions } else { Some(transitions) },
        ..before
    }
}

/// The lease given back, if it is ours: the next one need not wait.
pub(super) fn released(mut lease: Lease, identity: &str) -> Option<Lease> {
    let spec = lease.spec.as_mut().filter(|spec| spec.holder_identity.as_deref() == Some(identity))?;
    spec.holder_identity = Some(String::new());
    spec.lease_duration_seconds = Some(1);
    Some(lease)
}

// === impl Leads ===

impl Leads {
    /// It leads, and not from this moment on.
    #[must_use]
    pub fn until(end: Instant) -> Self {
        Self(Some(end))
    }

    /// Whether it leads at this moment.
    #[must_use]
    pub fn now(self) -> bool {
        self.0.is_some_and(|end| Instant::now() < end)
    }

    /// Whether it was told to lead, be that over or not.
    pub(super) fn is_told(self) -> bool {
        self.0.is_some()
    }
}

// === impl Term ===

impl Term {
    pub(super) fn renew(&mut self, at: Instant) {
        self.renewed = Some(at);
    }

    pub(super) fn end(&mut self) {
        self.renewed = None;
    }

    /// What is to be told of it.
    pub(super) fn leads(&self, now: Instant) -> Leads {
        Leads(self.left(now).map(|left| now + left))
    }

    /// What is left of it; none if there is no term, or it is over.
    pub(super) fn left(&self, now: Instant) -> Option<Duration> {
        let left = (self.renewed? + RENEW).saturating_duration_since(now);
        (!left.is_zero()).then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn time(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn held_by(holder: &str, renewed: i64) -> Lease {
        let spec = LeaseSpec {
            holder_identity: Some(holder.to_owned()),
            lease_duration_seconds: Some(15),
            acquire_time: Some(MicroTime(time(1))),
            renew_time: Some(MicroTime(time(renewed))),
            lease_transitions: Some(3),
            ..LeaseSpec::default()
        };
        Lease { spec: Some(spec), ..Lease::default() }
    }

    fn written(next: Next) -> LeaseSpec {
        match next {
            Next::Create(lease) | Next::Write(lease) => lease.spec.unwrap(),
            Next::Wait => panic!("waits"),
        }
    }

    #[test]
    fn a_lease_that_is_not_there_is_made() {
        let now = Instant::now();
        let spec = written(Sighting::new(now).next(None, "me", now, time(9)));
        assert_eq!(spec.holder_identity.as_deref(), Some("me"));
        assert_eq!(spec.acquire_time, Some(MicroTime(time(9))));
    }

    #[test]
    fn another_ones_lease_is_waited_for_by_our_own_clock() {
        let now = Instant::now();
        let mut sighting = Sighting::new(now);
        // By the clock on the wall it ran out years ago; the holder's clock may be wrong.
        assert_eq!(sighting.next(Some(held_by("you", 10)), "me", now, time(9_999_999)), Next::Wait);
        assert_eq!(sighting.next(Some(held_by("you", 10)), "me", now + 14 * SECOND, time(0)), Next::Wait);
        let spec = written(sighting.next(Some(held_by("you", 10)), "me", now + 15 * SECOND, time(20)));
        assert_eq!(spec.holder_identity.as_deref(), Some("me"));
        assert_eq!((spec.lease_transitions, spec.acquire_time), (Some(4), Some(MicroTime(time(20)))));
    }

    #[test]
    fn a_renewal_by_another_begins_the_wait_anew() {
        let now = Instant::now();
        let mut sighting = Sighting::new(now);
        assert_eq!(sighting.next(Some(held_by("you", 10)), "me", now, time(0)), Next::Wait);
        assert_eq!(sighting.next(Some(held_by("you", 11)), "me", now + 14 * SECOND, time(0)), Next::Wait);
        assert_eq!(sighting.next(Some(held_by("you", 11)), "me", now + 28 * SECOND, time(0)), Next::Wait);
    }

    #[test]
    fn our_own_lease_is_renewed_and_not_taken_anew() {
        let now = Instant::now();
        let spec = written(Sighting::new(now).next(Some(held_by("me", 10)), "me", now, time(12)));
        assert_eq!((spec.lease_transitions, spec.acquire_time), (Some(3), Some(MicroTime(time(1)))));
        assert_eq!(spec.renew_time, Some(MicroTime(time(12))));
    }

    #[test]
    fn a_lease_that_was_given_back_is_taken_at_once() {
        let now = Instant::now();
        let free = released(held_by("you", 10), "you").unwrap();
        assert!(matches!(Sighting::new(now).next(Some(free), "me", now, time(12)), Next::Write(_)));
        assert_eq!(released(held_by("you", 10), "me"), None, "only its holder gives it back");
    }

    #[test]
    fn a_leader_that_cannot_renew_stops_before_another_may_begin() {
        let now = Instant::now();
        let mut term = Term::default();
        assert!(!term.leads(now).is_told());
        term.renew(now);
        assert!(term.leads(now + 9 * SECOND).is_told());
        assert!(!term.leads(now + 10 * SECOND).is_told());
        assert_eq!(term.left(now + 9 * SECOND), Some(SECOND));
        assert_eq!(term.left(now + 10 * SECOND), None, "nothing is to be hurried for when it is over");
        assert!(RENEW < DURATION);
        term.end();
        assert!(!term.leads(now).is_told());
    }
}
