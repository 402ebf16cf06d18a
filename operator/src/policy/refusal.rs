//! Why bytes are not taken for a policy. The message says what would be right.

use super::failure::Failure;
use super::interface::Interface;
use super::isolated::Limit;
use super::limits;
use super::metadata::Undescribed;

/// How a component is made; part of the messages that ask for one.
const CURE: &str =
    "build for wasm32-unknown-unknown, then make the component from the module, as `policy build` does";

/// Why bytes are not a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// More bytes than a policy may have.
    #[error("it has {0} bytes; a policy has at most {max}", max = limits::COMPONENT)]
    TooLarge(usize),
    /// The text format.
    #[error("it is WebAssembly text; give the binary")]
    Text,
    /// A program or library of some machine, compiled WebAssembly among them.
    #[error("it is native code, which is never run; give the WebAssembly binary that it was made from")]
    NativeCode,
    /// Not WebAssembly at all.
    #[error("it is not WebAssembly: it does not begin with its four bytes")]
    NotWasm,
    /// A core module.
    #[error("it is a core module and not a component; {CURE}")]
    CoreModule,
    /// It begins like a component and is none.
    #[error("it is not a valid component: {0}")]
    Invalid(String),
    /// It wants something of its surroundings.
    #[error("it imports {0}, but a policy imports nothing{cure}", cure = cure_of_import(.0))]
    Import(String),
    /// Not exactly one core module, used once.
    #[error("it has {0} core modules or instances of them; a policy has one of each")]
    Modules(u32),
    /// Code in a nested component.
    #[error("a component within it has code of its own")]
    NestedCode,
    /// A canonical function that is not the export of a synchronous function.
    #[error("it uses {0}; a policy only exports synchronous functions")]
    Canonical(&'static str),
    /// A type that no interface of the contract needs.
    #[error("it defines {0}; a policy only defines types of values and functions")]
    Definition(&'static str),
    /// A block that takes values, or gives more than one.
    #[error("a block in it has parameters or several results; build it without multi-value blocks")]
    BlockType,
    /// Strings that are not UTF-8.
    #[error("its strings are {0}; a policy's are UTF-8")]
    StringEncoding(&'static str),
    /// Something else is larger or more than it may be.
    #[error("{what}: {is}; a policy has at most {most}")]
    Bound {
        /// What is bounded.
        what: &'static str,
        /// How much it has.
        is: u64,
        /// How much it may have.
        most: u64,
    },
    /// An interface of the contract in another version.
    #[error("it exports {found}, and this host knows {known}")]
    Version {
        /// As it is exported.
        found: String,
        /// As this host knows it.
        known: Interface,
    },
    /// An export that is no interface of the contract.
    #[error("it exports {0}, and this host knows {known}", known = known())]
    UnknownExport(String),
    /// It decides nothing.
    #[error("it exports none of the interfaces that decide: {known}", known = known())]
    DecidesNothing,
    /// An interface whose functions are not those of the contract.
    #[error("its {interface} is not that of the contract: {detail}")]
    Types {
        /// The interface.
        interface: Interface,
        /// What is different.
        detail: String,
    },
    /// It describes itself wrongly.
    #[error(transparent)]
    Undescribed(#[from] Undescribed),
    /// It does not come up.
    #[error("it cannot be started: {0}")]
    Start(Failure),
    /// The process that loaded it first found this, in its words.
    #[error("{0}")]
    Isolated(String),
    /// The process that loaded it first exceeded a limit.
    #[error("the process that loads it {0}")]
    Limit(Limit),
}

impl Refusal {
    /// The call that failed, if that is why.
    pub(super) fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Start(failure) | Self::Undescribed(Undescribed::Failed(failure)) => Some(failure),
            _ => None,
        }
    }
}

fn cure_of_import(import: &str) -> String {
    match import.starts_with("wasi:") || import.starts_with("wasi_snapshot") {
        true => format!(". WASI comes with the target wasm32-wasip1 or -wasip2: {CURE}"),
        false => String::new(),
    }
}

fn known() -> String {
    Interface::ALL.map(Interface::export).join(", ")
}
