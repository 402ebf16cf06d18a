//! The types and the control flow of the core module. Validation and compilation take memory for each pair of a block and a
//! value that is alive in it: a few kilobytes of code can ask for gigabytes. So each product is bounded, and not the counts
//! alone.

use wasmparser::{BlockType, CompositeInnerType, FunctionBody, Operator, TypeSectionReader};

use super::{bound, invalid};
use crate::policy::limits;
use crate::policy::refusal::Refusal;

/// What was seen of it.
#[derive(Default)]
pub(super) struct Code {
    /// The number of parameters of each type.
    parameters: Vec<u64>,
    /// The sum over all functions.
    flow: u64,
}

/// The blocks of one function, while it is read.
#[derive(Default)]
struct Blocks {
    /// Blocks and targets of branch tables.
    count: u64,
    depth: u64,
}

// === impl Code ===

impl Code {
    pub(super) fn types(&mut self, section: &TypeSectionReader<'_>) -> Result<(), Refusal> {
        for group in section.clone() {
            for subtype in group.map_err(invalid)?.types() {
                let CompositeInnerType::Func(function) = &subtype.composite_type.inner else {
                    return Err(Refusal::Invalid("a type of the module is no function".to_owned()));
                };
                let parameters = function.params().len() as u64;
                bound("parameters of one function", parameters, limits::PARAMETERS)?;
                bound("results of one function", function.results().len() as u64, limits::RESULTS)?;
                self.parameters.push(parameters);
                bound("types of the module", self.parameters.len() as u64, limits::TYPES)?;
            }
        }
        Ok(())
    }

    pub(super) fn function(&mut self, body: &FunctionBody<'_>) -> Result<(), Refusal> {
        let mut locals = 0;
        for group in body.get_locals_reader().map_err(invalid)? {
            locals += u64::from(group.map_err(invalid)?.0);
        }
        bound("locals of one function", locals, limits::LOCALS)?;
        let mut blocks = Blocks::default();
        for operator in body.get_operators_reader().map_err(invalid)? {
            self.operator(&operator.map_err(invalid)?, &mut blocks)?;
        }
        let flow = blocks.count * (locals + limits::PARAMETERS);
        bound("blocks times values of one function", flow, limits::FLOW)?;
        self.flow += flow;
        bound("blocks times values of all functions", self.flow, limits::ALL_FLOW)
    }

    fn operator(&self, operator: &Operator<'_>, blocks: &mut Blocks) -> Result<(), Refusal> {
        match operator {
            Operator::Block { blockty } | Operator::Loop { blockty } | Operator::If { blockty } => {
                if let BlockType::FuncType(index) = blockty {
                    // An index without a type is refused by the validation.
                    let parameters = self.parameters.get(*index as usize).copied().unwrap_or(0);
                    bound("parameters of one block", parameters, 0)?;
                }
                blocks.count += 1;
                blocks.depth += 1;
                bound("nested blocks", blocks.depth, limits::NESTING)
            }
            Operator::End => {
                blocks.depth = blocks.depth.saturating_sub(1);
                Ok(())
            }
            Operator::BrTable { targets } => {
                blocks.count += u64::from(targets.len());
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
