//! When what came to nothing is worth another try.

use std::time::Duration;

use super::LoadError;
use crate::policy::keep::KeepError;

/// What is worth another try, and how soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy) enum Again {
    /// Something of this cluster is missing: it costs nothing to look.
    Soon,
    /// Something far away is unwell.
    Later,
    /// Somebody has to change something. A registry that refuses a login is not asked often: accounts are locked for
    /// that.
    Seldom,
}

impl LoadError {
    /// How soon it is worth another try.
    pub(in crate::policy) fn again(&self) -> Again {
        match self {
            Self::NoConfigMap(_) | Self::NoKey(..) | Self::ConfigMap(..) => Again::Soon,
            Self::Credentials(_) | Self::Keep(_) | Self::NotKept(_) | Self::Keys(_) => Again::Soon,
            Self::Never(_) | Self::NeverFetched(_) | Self::Unverified(_) => Again::Soon,
            // Many push first and sign a moment later.
            Self::Unsigned(_) | Self::Unsignable(_) => Again::Later,
            Self::Fetch(error) if error.is_transient() => Again::Later,
            Self::Full(_) | Self::Late(_) | Self::NoVerdict(_) => Again::Later,
            // A ConfigMap's bytes may be others by now; the same ones are not tried again.
            Self::Refused { .. } | Self::Broken { .. } | Self::Unfit(_) => Again::Later,
            Self::Fetch(_) | Self::Own(_) | Self::Slow { .. } => Again::Seldom,
        }
    }
}

impl KeepError {
    /// How soon it is worth another try.
    pub(in crate::policy) fn again(&self) -> Again {
        match self {
            // What is not used any more goes after an hour.
            Self::Many(_) => Again::Seldom,
            _ => Again::Later,
        }
    }
}

impl Again {
    /// How long to wait after so many failures in a row, at least 1. `chance` is from 0 to 1: half of the wait is up to
    /// it, so that many sets which lost one registry do not come back to it at one moment.
    pub(in crate::policy) fn after(self, failures: u32, chance: f64) -> Duration {
        let (first, longest) = match self {
            Self::Soon => (Duration::from_millis(500), Duration::from_secs(5)),
            Self::Later => (Duration::from_secs(2), Duration::from_secs(60)),
            Self::Seldom => (Duration::from_secs(60), Duration::from_secs(300)),
        };
        let full = first.saturating_mul(1 << failures.saturating_sub(1).min(10)).min(longest);
        full / 2 + (full / 2).mul_f64(chance.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_their_bound_and_half_of_each_is_up_to_chance() {
        let waits = |again: Again| [1, 2, 3, 99].map(|failures| again.after(failures, 1.0).as_millis());
        assert_eq!(waits(Again::Soon), [500, 1000, 2000, 5000]);
        assert_eq!(waits(Again::Later), [2000, 4000, 8000, 60_000]);
        assert_eq!(waits(Again::Seldom), [60_000, 120_000, 240_000, 300_000]);
        assert_eq!(Again::Later.after(1, 0.0).as_millis(), 1000);
    }
}
