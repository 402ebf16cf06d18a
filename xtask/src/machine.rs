//! Processor time of the whole machine, as the kernel counts it.

use std::fs;
use std::time::Duration;

/// Processor time since boot, summed over all processors and all programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProcessorTime {
    /// In programs.
    pub(crate) user: Duration,
    /// In the kernel, for programs and interrupts.
    pub(crate) system: Duration,
}

/// The kernel reports to programs in hundredths of a second (`USER_HZ`), whatever its own clock is.
const TICK: Duration = Duration::from_millis(10);

// === impl ProcessorTime ===

impl ProcessorTime {
    /// The present counters; zero on a system without `/proc/stat`.
    pub(crate) fn now() -> Self {
        fs::read_to_string("/proc/stat").ok().and_then(|text| Self::parse(&text)).unwrap_or_default()
    }

    /// The time since an earlier reading.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
        }
    }

    /// The first line sums all processors: user, nice, system, idle, iowait, irq, softirq (proc(5)).
    fn parse(text: &str) -> Option<Self> {
        let line = text.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u32> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let [user, nice, system, _idle, _iowait, irq, softirq, ..] = ticks[..] else { return None };
        Some(Self { user: TICK * (user + nice), system: TICK * (system + irq + softirq) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_is_not_counted_and_nice_programs_are() {
        let text = "cpu  100 20 30 4000 500 6 7 800 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n";
        let time = ProcessorTime::parse(text).expect("a line of all processors");
        assert_eq!(time.user, Duration::from_millis(1200));
        assert_eq!(time.system, Duration::from_millis(430));
        assert_eq!(ProcessorTime::parse("cpu0 1 2 3\n"), None);
    }

    #[test]
    fn the_difference_of_two_readings_is_the_time_between_them() {
        let reading = |user, system| ProcessorTime {
            user: Duration::from_secs(user),
            system: Duration::from_secs(system),
        };
        assert_eq!(reading(9, 4).since(reading(2, 3)), reading(7, 1));
    }
}
