//! Why a call has no answer. It is a missing verdict of one set, and nothing else.

use wasmtime::OutOfMemory;

use super::belief::Nonsense;
use super::interface::Interface;
use super::limits;

/// Why a call has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The interface that would answer is not exported.
    #[error("the policy does not export {0}")]
    NotExported(Interface),
    /// Too much work. The same input fails so on every machine.
    #[error("the policy did not end within {max} units of fuel", max = limits::FUEL)]
    OutOfFuel,
    /// Too long. It depends on the machine, so it cannot be replayed.
    #[error("the policy did not end within {max:?}", max = limits::TICK * limits::DEADLINE)]
    Deadline,
    /// More memory than it may have.
    #[error("the policy wanted more than {max} bytes of memory", max = limits::MEMORY)]
    Memory,
    /// A larger table than it may have.
    #[error("the policy wanted a table of more than {max} elements", max = limits::TABLE)]
    Table,
    /// Calls nested too deep.
    #[error("the policy's calls nested too deep for a stack of {max} bytes", max = limits::STACK)]
    StackOverflow,
    /// It gave up, or did what WebAssembly does not allow.
    #[error("the policy trapped: {0}")]
    Trapped(String),
    /// What it gave to the host is not what the canonical ABI says, or too much: an answer, or room for the input.
    #[error("what the policy gave to the host is malformed, or has more than {max} bytes: {0}", max = limits::ANSWER)]
    Malformed(String),
    /// It answered what cannot be meant, and what that was.
    #[error("the policy proposed {proposal}; refused because {nonsense}")]
    Refused {
        /// The answer, in words.
        proposal: String,
        /// Why it cannot be meant.
        nonsense: Nonsense,
    },
    /// It answered what cannot be meant, and cannot be told as an answer.
    #[error("the policy's answer is refused: {0}")]
    Nonsense(#[from] Nonsense),
    /// Two runs of the same question differ.
    #[error("the policy answered the same question differently in a second run")]
    Disagrees,
    /// There was no memory for it: the host has none left, or a limit of its own process.
    #[error("the host had no memory for the policy")]
    NoMemory,
    /// The host itself failed; its own fault and not the policy's.
    #[error("the host panicked while it ran the policy")]
    HostPanicked,
}

/// A bound on the store that was run into. It is wrapped into wasmtime's error and taken out of it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Exceeded {
    #[error("memory")]
    Memory,
    #[error("table")]
    Table,
}

impl Failure {
    /// Whether it says more of the machine that ran the policy than of the policy: another time there may be an answer.
    #[must_use]
    pub fn is_of_the_machine(&self) -> bool {
        matches!(self, Self::Deadline | Self::Disagrees | Self::NoMemory | Self::HostPanicked)
    }

    /// What is wrong, without the answer itself, which may be another one each time: the same words for the same fault.
    #[must_use]
    pub fn fault(&self) -> String {
        match self {
            Self::Refused { nonsense, .. } | Self::Nonsense(nonsense) => {
                format!("the policy's answer is refused: {}", nonsense.fault())
            }
            other => other.to_string(),
        }
    }

    pub(super) fn of(error: &wasmtime::Error) -> Self {
        use wasmtime::Trap;
        match (error.downcast_ref::<Exceeded>(), error.downcast_ref::<Trap>()) {
            (Some(Exceeded::Memory), _) => Self::Memory,
            (Some(Exceeded::Table), _) => Self::Table,
            (None, Some(Trap::OutOfFuel)) => Self::OutOfFuel,
            (None, Some(Trap::Interrupt)) => Self::Deadline,
            (None, Some(Trap::StackOverflow)) => Self::StackOverflow,
            (None, Some(trap)) if is_of_an_answer(*trap) => Self::Malformed(trap.to_string()),
            (None, Some(trap)) => Self::Trapped(trap.to_string()),
            (None, None) if is_of_memory(error) => Self::NoMemory,
            (None, None) => Self::Malformed(error.root_cause().to_string()),
        }
    }
}

/// Whether the system gave no memory.
pub(super) fn is_of_memory(error: &wasmtime::Error) -> bool {
    error.chain().any(|cause| {
        let is_of_system = cause.downcast_ref() == Some(&rustix::io::Errno::NOMEM);
        let kind = cause.downcast_ref().map(std::io::Error::kind);
        is_of_system || cause.is::<OutOfMemory>() || kind == Some(std::io::ErrorKind::OutOfMemory)
    })
}

/// Traps that are raised while an answer is taken over.
fn is_of_an_answer(trap: wasmtime::Trap) -> bool {
    use wasmtime::Trap;
    matches!(
        trap,
        Trap::StringOutOfBounds | Trap::ListOutOfBounds | Trap::InvalidDiscriminant | Trap::UnalignedPointer
    )
}
