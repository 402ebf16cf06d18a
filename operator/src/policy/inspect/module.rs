//! The one core module: what it holds and asks for at once.

use wasmparser::{FunctionBody, MemoryType, Payload, TableType};

use super::flow::flow;
use super::types::CoreTypes;
use super::{bound, invalid};
use crate::policy::limits;
use crate::policy::refusal::Refusal;
use crate::policy::why::cut;

/// The size of a page of memory in bytes.
const PAGE: u64 = 64 << 10;

/// Segments of either kind.
const SEGMENTS: u64 = limits::SEGMENTS as u64;

/// What was seen of it.
#[derive(Default)]
pub(super) struct Module {
    memories: u64,
    tables: u64,
    types: CoreTypes,
    /// The sum over its functions.
    flow: u64,
}

impl Module {
    pub(super) fn take(&mut self, payload: &Payload<'_>) -> Result<(), Refusal> {
        match payload {
            Payload::TypeSection(section) => {
                section.clone().into_iter().try_for_each(|group| self.types.take(&group.map_err(invalid)?))
            }
            Payload::ImportSection(section) => match section.clone().into_imports().next() {
                Some(import) => {
                    let import = import.map_err(invalid)?;
                    Err(Refusal::Import(cut(&format!("{} {}", import.module, import.name))))
                }
                None => Ok(()),
            },
            Payload::MemorySection(section) => {
                section.clone().into_iter().try_for_each(|memory| self.memory(&memory.map_err(invalid)?))
            }
            Payload::TableSection(section) => {
                section.clone().into_iter().try_for_each(|table| self.table(&table.map_err(invalid)?.ty))
            }
            Payload::DataSection(section) => bound("segments of data", section.count().into(), SEGMENTS),
            Payload::ElementSection(section) => {
                bound("segments of elements", section.count().into(), SEGMENTS)
            }
            Payload::CodeSectionStart { count, .. } => {
                bound("functions", u64::from(*count), u64::from(limits::FUNCTIONS))
            }
            Payload::CodeSectionEntry(body) => self.body(body),
            _ => Ok(()),
        }
    }

    fn body(&mut self, body: &FunctionBody<'_>) -> Result<(), Refusal> {
        bound("bytes of one function", body.range().len() as u64, limits::FUNCTION as u64)?;
        self.flow += flow(body)?;
        bound("blocks and branch targets, times locals, of all functions", self.flow, limits::FLOW_OF_ALL)
    }

    fn memory(&mut self, memory: &MemoryType) -> Result<(), Refusal> {
        self.memories += 1;
        bound("memories", self.memories, limits::MEMORIES as u64)?;
        bound("bytes of memory", memory.initial.saturating_mul(PAGE), limits::MEMORY as u64)
    }

    fn table(&mut self, table: &TableType) -> Result<(), Refusal> {
        self.tables += 1;
        bound("tables", self.tables, limits::TABLES as u64)?;
        bound("elements of a table", table.initial, limits::TABLE as u64)
    }
}
