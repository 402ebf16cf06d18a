//! What the end of the process says of what it loaded.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::Signal;

use super::Bounds;
use super::said::Said;

/// The limit that a policy exceeded; part of the messages that say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Limit {
    /// Of memory.
    #[error("takes more than {0} MiB of memory")]
    Memory(u64),
    /// Memory that was not there, or a stack that was too small: both end a process in the same way.
    #[error("takes more than {0} MiB of memory, or more than the stack of a thread")]
    MemoryOrStack(u64),
    /// Of processor time.
    #[error("takes more than {0} s of processor time")]
    Processor(u64),
    /// A fault of the process itself.
    #[error("ends by signal {0}")]
    Fault(i32),
}

/// Why a process came to no verdict. It says nothing of the policy.
#[derive(Debug, thiserror::Error)]
pub enum NoVerdict {
    /// It did not begin.
    #[error("the operator failed to start a process that loads the policy first")]
    Start(#[source] io::Error),
    /// It could not be spoken with.
    #[error("the operator failed to speak with the process that loads the policy first")]
    Talk(#[source] io::Error),
    /// It did not end. Its processor time is limited, so the machine is crowded.
    #[error(
        "the process that loads the policy first did not end within {0:?}; give the operator more processors"
    )]
    Late(Duration),
    /// Somebody ended it.
    #[error(
        "signal {0} from outside ended the process that loads the policy first; see whether the memory of the operator's \
         container or of its node ran out"
    )]
    Ended(i32),
    /// It ended, and did not say how it went.
    #[error("the process that loads the policy first gave no verdict ({0})")]
    Silent(ExitStatus),
    /// It met a failure of the machine.
    #[error("the process that loads the policy first failed: {0}")]
    Failed(String),
}

/// What a process found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Good,
    Refused(String),
    Limit(Limit),
}

/// Signals that nothing within the process sends.
const FROM_OUTSIDE: [Signal; 5] = [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT];

impl Verdict {
    pub(super) fn of(said: &[u8], status: ExitStatus, bounds: Bounds) -> Result<Self, NoVerdict> {
        if let Some(signal) = status.signal() {
            return of_signal(signal, bounds);
        }
        let said = serde_json::from_slice(said).ok().filter(|_| status.success());
        match said.ok_or(NoVerdict::Silent(status))? {
            Said::Good => Ok(Self::Good),
            Said::Refused(words) => Ok(Self::Refused(words)),
            Said::NoMemory => Ok(Self::Limit(Limit::Memory(bounds.memory))),
            Said::Failed(words) => Err(NoVerdict::Failed(words)),
        }
    }
}

fn of_signal(signal: i32, bounds: Bounds) -> Result<Verdict, NoVerdict> {
    let is = |known: Signal| known.as_raw() == signal;
    if FROM_OUTSIDE.into_iter().any(is) {
        return Err(NoVerdict::Ended(signal));
    }
    Ok(Verdict::Limit(match signal {
        _ if is(Signal::XCPU) => Limit::Processor(bounds.processor),
        _ if is(Signal::ABORT) => Limit::MemoryOrStack(bounds.memory),
        _ => Limit::Fault(signal),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { memory: 192, processor: 60, time: Duration::from_secs(1) };

    fn of(said: &str, wait_status: i32) -> Result<Verdict, NoVerdict> {
        Verdict::of(said.as_bytes(), ExitStatus::from_raw(wait_status), BOUNDS)
    }

    #[test]
    fn a_signal_of_its_own_names_a_limit_and_one_from_outside_is_no_verdict() {
        for (signal, limit) in [
            (6, "takes more than 192 MiB of memory, or more than the stack of a thread"),
            (24, "takes more than 60 s of processor time"),
            (11, "ends by signal 11"),
        ] {
            let Ok(Verdict::Limit(is)) = of("\"good\"", signal) else { panic!("{limit}") };
            assert_eq!(is.to_string(), limit);
        }
        for signal in [1, 2, 3, 9, 15] {
            assert!(matches!(of("", signal), Err(NoVerdict::Ended(is)) if is == signal), "{signal}");
        }
    }

    #[test]
    fn a_verdict_counts_only_from_a_process_that_ended_well() {
        assert_eq!(of("\"good\"", 0).unwrap(), Verdict::Good);
        assert_eq!(of("{\"refused\":\"no\"}", 0).unwrap(), Verdict::Refused("no".into()));
        assert_eq!(of("\"noMemory\"", 0).unwrap(), Verdict::Limit(Limit::Memory(192)));
        assert!(matches!(of("{\"failed\":\"slow\"}", 0), Err(NoVerdict::Failed(_))));
        for (said, status) in [("\"good\"", 1 << 8), ("", 0), ("\"goo", 0), ("\"good\"\"good\"", 0)] {
            assert!(matches!(of(said, status), Err(NoVerdict::Silent(_))), "{said} {status}");
        }
    }
}
