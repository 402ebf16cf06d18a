//! When another may be replaced, as a time that people are told.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

/// Two clocks are read one after the other, and each of them may be set a little: a time that is off by no more is the same.
const SAME: SignedDuration = SignedDuration::from_secs(10);

/// The time in so many milliseconds, in whole seconds; the one that was told before as long as it is the same.
pub(super) fn next(before: Option<Timestamp>, now: Timestamp, millis: Option<u64>) -> Option<Timestamp> {
    let left = SignedDuration::from_millis(i64::try_from(millis?).ok()?);
    let at = now.checked_add(left).ok()?;
    let at = Timestamp::from_second(at.as_second().checked_add(1)?).ok()?;
    before.filter(|before| before.duration_since(at).abs() < SAME).or(Some(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_stays_as_it_was_told_until_it_is_another_one() {
        let at = |second| Some(Timestamp::from_second(second).unwrap());
        let now = |millis| Timestamp::from_millisecond(millis).unwrap();
        for (sentence, before, time, left, expected) in [
            ("it is told for the first time", None, 100_200, Some(60_000), at(161)),
            ("clocks are read a moment later", at(161), 130_900, Some(30_000), at(161)),
            ("nearly another one", at(161), 110_000, Some(59_999), at(161)),
            ("another one", at(161), 110_000, Some(60_000), at(171)),
            ("the window is longer", at(161), 110_000, Some(120_000), at(231)),
            ("a new leader counts anew", at(161), 150_000, Some(60_000), at(211)),
            ("the clock was set back", at(161), 10_000, Some(30_000), at(41)),
            ("nothing is waited for", at(161), 110_000, None, None),
            ("it is beyond all time", None, 0, Some(u64::MAX), None),
        ] {
            assert_eq!(next(before, now(time), left), expected, "{sentence}");
        }
    }
}
