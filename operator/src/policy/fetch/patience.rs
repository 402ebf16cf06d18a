//! How long is waited, and how often is asked.

use std::time::Duration;

use ring::rand::{SecureRandom, SystemRandom};

/// How long a fetch waits for what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// For all of one try.
    pub(super) whole: Duration,
    /// For a connection, once its addresses are known, and for these.
    pub(super) connect: Duration,
    /// For the next bytes.
    pub(super) read: Duration,
    /// Before the second try; twice that before the third. Half of it is up to chance, so that many sets which lost
    /// their registry at one moment do not come back at one moment.
    pub(super) pause: Duration,
}

/// For all of one try: the registry's token, the manifest, the signatures, the bytes and every request that is sent again. A
/// registry that is well needs less than a second. One to which no connection is made is given up after three times 5
/// seconds and the pauses between them, and is told as that; a try that takes longer keeps one of the places in which
/// policies are fetched from other sets.
pub(super) const TRY: Duration = Duration::from_secs(30);

/// How often a request is sent before its failure is told.
const TRIES: u32 = 3;

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { whole: TRY, connect: seconds(5), read: seconds(10), pause: seconds(1) }
    }
}

impl Patience {
    /// What to wait before each further try.
    pub(super) fn pauses(self) -> impl Iterator<Item = Duration> {
        (0..TRIES - 1).map(move |try_| {
            let full = self.pause * 2u32.pow(try_);
            full / 2 + (full / 2).mul_f64(chance())
        })
    }
}

/// From 0 to 1. Without random numbers, 1: waiting longest is never wrong.
fn chance() -> f64 {
    let mut byte = [u8::MAX];
    let _ = SystemRandom::new().fill(&mut byte);
    f64::from(byte[0]) / f64::from(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_sent_three_times_with_growing_pauses_and_all_of_it_fits_into_a_fetch() {
        let patience = Patience::default();
        let pauses: Vec<_> = patience.pauses().collect();
        let seconds = Duration::from_secs;
        assert_eq!(pauses.len(), 2);
        assert!((seconds(1) / 2..=seconds(1)).contains(&pauses[0]), "{pauses:?}");
        assert!((seconds(1)..=seconds(2)).contains(&pauses[1]), "{pauses:?}");
        assert!(patience.connect * TRIES + pauses[0] + pauses[1] < patience.whole);
    }
}
