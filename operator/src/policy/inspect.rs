//! The kind of bytes, before anything is validated or compiled. Neither has a bound of its own on time or memory, so both
//! only get what is small and simple.

mod flow;
mod frame;
mod module;
mod types;

use std::collections::BTreeSet;

use wasmparser::{Encoding, Parser, Payload};

use super::interface::Interface;
use super::limits;
use super::refusal::Refusal;
use frame::Frame;
use module::Module;

/// With what every WebAssembly binary begins.
const MAGIC: &[u8] = b"\0asm";

/// With what programs, libraries and compiled WebAssembly begin on the machines that this runs on, and on others.
const NATIVE: [&[u8]; 5] = [b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xfe\xed\xfa\xcf", b"\xca\xfe\xba\xbe", b"MZ"];

/// The interfaces of a policy, if these bytes are one as far as can be seen without compiling them.
///
/// # Errors
/// What is wrong with the bytes.
pub fn inspect(bytes: &[u8]) -> Result<BTreeSet<Interface>, Refusal> {
    outset(bytes)?;
    let (mut frame, mut module, mut around) = (Frame::default(), Module::default(), Vec::new());
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(invalid)?;
        match &payload {
            Payload::Version { encoding, .. } => around.push(*encoding),
            Payload::End(_) => drop(around.pop()),
            _ => {}
        }
        match (around.as_slice(), &payload) {
            ([Encoding::Module], _) => return Err(Refusal::CoreModule),
            ([_, .., Encoding::Module], _) => module.take(&payload)?,
            ([Encoding::Component], _) => frame.take(&payload)?,
            ([_, .., Encoding::Component], _) => frame.within(&payload)?,
            ([], _) => {}
        }
    }
    frame.conclude(bytes.len())
}

/// What can be told from the size and the first bytes.
fn outset(bytes: &[u8]) -> Result<(), Refusal> {
    if bytes.len() > limits::COMPONENT {
        return Err(Refusal::TooLarge(bytes.len()));
    }
    if bytes.starts_with(MAGIC) {
        return Ok(());
    }
    if NATIVE.iter().any(|native| bytes.starts_with(native)) {
        return Err(Refusal::NativeCode);
    }
    let is_text = bytes.trim_ascii_start().starts_with(b"(");
    Err(if is_text { Refusal::Text } else { Refusal::NotWasm })
}

fn invalid(error: wasmparser::BinaryReaderError) -> Refusal {
    Refusal::Invalid(format!("{} (at byte {})", error.message(), error.offset()))
}

/// Refuses what is more than it may be.
fn bound(what: &'static str, is: u64, most: u64) -> Result<(), Refusal> {
    if is > most { Err(Refusal::Bound { what, is, most }) } else { Ok(()) }
}
