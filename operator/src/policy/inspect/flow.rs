//! The control flow of one function. The compiler's memory grows with blocks and branch targets, times values that live
//! across them.

use wasmparser::{BlockType, FunctionBody, Operator};

use super::{bound, invalid};
use crate::policy::limits;
use crate::policy::refusal::Refusal;

/// The body of one function, while it is read.
struct Body {
    locals: u64,
    /// Blocks, loops and conditions, the body itself included, and targets of branches.
    edges: u64,
    /// Blocks that are open at the current instruction.
    open: u64,
}

/// The measure of a body: its blocks and branch targets, times its locals and parameters.
pub(super) fn flow(body: &FunctionBody<'_>) -> Result<u64, Refusal> {
    let mut measured = Body { locals: locals(body)?, edges: 1, open: 0 };
    let mut operators = body.get_operators_reader().map_err(invalid)?;
    while !operators.eof() {
        measured.take(&operators.read().map_err(invalid)?)?;
    }
    let flow = measured.edges.saturating_mul(measured.locals + limits::PARAMETERS);
    bound("blocks and branch targets, times locals, of one function", flow, limits::FLOW)?;
    Ok(flow)
}

fn locals(body: &FunctionBody<'_>) -> Result<u64, Refusal> {
    let mut locals = 0;
    for group in body.get_locals_reader().map_err(invalid)? {
        let (count, _) = group.map_err(invalid)?;
        locals += u64::from(count);
        bound("locals of one function", locals, limits::LOCALS)?;
    }
    Ok(locals)
}

impl Body {
    fn take(&mut self, operator: &Operator<'_>) -> Result<(), Refusal> {
        match operator {
            Operator::Block { blockty } | Operator::Loop { blockty } | Operator::If { blockty } => {
                self.open(*blockty)?;
            }
            Operator::End => self.open = self.open.saturating_sub(1),
            Operator::Else | Operator::Br { .. } | Operator::BrIf { .. } | Operator::Return => {
                self.edges += 1
            }
            Operator::BrTable { targets } => self.edges += u64::from(targets.len()) + 1,
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, blockty: BlockType) -> Result<(), Refusal> {
        self.open += 1;
        self.edges += 1;
        bound("blocks within each other", self.open, limits::NESTED)?;
        match blockty {
            BlockType::Empty | BlockType::Type(_) => Ok(()),
            BlockType::FuncType(_) => Err(Refusal::BlockType),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use wasmparser::{Parser, Payload};

    use super::*;

    /// The flow of each function.
    fn flows(bytes: &[u8]) -> Vec<u64> {
        let payloads = Parser::new(0).parse_all(bytes).map(|payload| payload.expect("a component"));
        let bodies = payloads.filter_map(|payload| match payload {
            Payload::CodeSectionEntry(body) => Some(flow(&body).expect("within its bounds")),
            _ => None,
        });
        bodies.collect()
    }

    #[test]
    fn frozen_policies_are_far_within_the_bounds_of_their_flow() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../wit/frozen/0.1.0");
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            if entry.path().extension().is_some_and(|extension| extension == "wasm") {
                let flows = flows(&fs::read(entry.path()).expect("a file"));
                let (most, all) =
                    (flows.iter().max().copied().unwrap_or_default(), flows.iter().sum::<u64>());
                let name = entry.path().display().to_string();
                assert!(0 < most && most <= limits::FLOW / 2, "{name}: {most} in one function");
                assert!(all <= limits::FLOW_OF_ALL / 2, "{name}: {all} in all functions");
            }
        }
    }
}
