//! The one core module: what it holds and asks for at once.

use wasmparser::{MemoryType, Payload, TableType};

use super::code::Code;
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
    code: Code,
}

impl Module {
    pub(super) fn take(&mut self, payload: &Payload<'_>) -> Result<(), Refusal> {
        match payload {
            Payload::ImportSection(section) => match section.clone().into_imports().next() {
                Some(import) => {
                    let import = import.map_err(invalid)?;
                    Err(Refusal::Import(cut(&format!("{} {}", import.module, import.name))))
                }
                None => Ok(()),
            },
            Payload::TypeSection(section) => self.code.types(section),
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
            Payload::CodeSectionEntry(body) => {
                bound("bytes of one function", body.range().len() as u64, limits::FUNCTION as u64)?;
                self.code.function(body)
            }
            _ => Ok(()),
        }
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
