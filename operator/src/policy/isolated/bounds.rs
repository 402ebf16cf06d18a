//! What the process may use.

use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};

/// Memory in MiB. The largest components that pass the inspection take up to 128; deploy/deployment.yaml has room for
/// this.
const MEMORY: u64 = 160;

/// Processor time in seconds. What compilers make takes a part of one.
const PROCESSOR: u64 = 60;

/// Time by the clock: a crowded machine is no fault of a policy.
pub(super) const TIME: Duration = Duration::from_secs(120);

/// What the process may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Memory that it may write to, in MiB.
    pub memory: u64,
    /// Processor time in seconds, of all its threads.
    pub processor: u64,
    /// Time by the clock.
    pub time: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { memory: MEMORY, processor: PROCESSOR, time: TIME }
    }
}

impl Bounds {
    /// Sets the limits of this process. It cannot raise them again.
    ///
    /// # Errors
    /// If the kernel does not take them.
    pub(super) fn apply(self) -> rustix::io::Result<()> {
        let exactly = |most| Rlimit { current: Some(most), maximum: Some(most) };
        // Only memory that can be written to counts: the engine reserves 4 GiB of addresses for each instance, and those
        // would count against a limit of addresses.
        setrlimit(Resource::Data, exactly(self.memory << 20))?;
        // The soft limit ends the process with a signal that says so.
        let processor = Rlimit { current: Some(self.processor), maximum: Some(self.processor + 1) };
        setrlimit(Resource::Cpu, processor)?;
        setrlimit(Resource::Core, exactly(0))?;
        // If the memory of the container runs out, the kernel ends this process first.
        drop(std::fs::write("/proc/self/oom_score_adj", "1000"));
        Ok(())
    }
}
