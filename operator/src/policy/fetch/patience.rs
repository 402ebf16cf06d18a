//! How long is waited, and how often is asked.

use std::time::Duration;

use ring::rand::{SecureRandom, SystemRandom};

/// How long a fetch waits for what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// For all of it.
    pub(super) whole: Duration,
    /// For a connection, once its addresses are known, and for these.
    pub(super) connect: Duration,
    /// For the next bytes.
    pub(super) read: Duration,
    /// Before the second try; twice that before the third. Half of it is up to chance, so that many sets which lost
    /// their registry at one moment do not come back at one moment.
    pub(super) pause: Duration,
}

/// How often a request is sent before its failure is told.
const TRIES: u32 = 3;

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { whole: seconds(30), connect: seconds(5), read: seconds(10), pause: seconds(1) }
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
