//! The component around the core module: what it imports, how its functions are lifted, what it exports.

use std::collections::BTreeSet;

use wasmparser::{
    CanonicalFunction, CanonicalOption, ComponentExport, ComponentExternalKind, ComponentTypeSectionReader,
    Instance, Payload,
};

use super::types::unneeded;
use super::{bound, invalid};
use crate::policy::interface::{Interface, Named};
use crate::policy::limits;
use crate::policy::refusal::Refusal;
use crate::policy::why::cut;

/// What was seen of it.
#[derive(Default)]
pub(super) struct Frame {
    modules: u32,
    instances: u32,
    /// Bytes of modules and custom sections.
    content: usize,
    /// Components within it, and instances of them.
    nested: u64,
    nested_instances: u64,
    /// Types of all components.
    types: u64,
    /// The first type that no policy has. An import often comes with one, and its message has the cure.
    unneeded: Option<&'static str>,
    exports: BTreeSet<Interface>,
}

impl Frame {
    /// A part of the component itself.
    pub(super) fn take(&mut self, payload: &Payload<'_>) -> Result<(), Refusal> {
        match payload {
            Payload::ModuleSection { unchecked_range, .. } => {
                self.modules += 1;
                self.content += unchecked_range.len();
                Ok(())
            }
            Payload::CustomSection(section) => {
                self.content += section.range().len();
                Ok(())
            }
            Payload::ComponentSection { .. } => {
                self.nested += 1;
                bound("components within it", self.nested, limits::NESTED_COMPONENTS)
            }
            Payload::ComponentInstanceSection(section) => {
                self.nested_instances += u64::from(section.count());
                bound("instances of components within it", self.nested_instances, limits::NESTED_COMPONENTS)
            }
            Payload::ComponentTypeSection(section) => self.define(section),
            Payload::CoreTypeSection(_) => {
                self.unneeded.get_or_insert("a core type outside its module");
                Ok(())
            }
            Payload::ComponentImportSection(section) => match section.clone().into_iter().next() {
                Some(import) => Err(Refusal::Import(cut(import.map_err(invalid)?.name.name))),
                None => Ok(()),
            },
            Payload::InstanceSection(section) => section.clone().into_iter().try_for_each(|instance| {
                let is_new = matches!(instance.map_err(invalid)?, Instance::Instantiate { .. });
                self.instances += u32::from(is_new);
                Ok(())
            }),
            Payload::ComponentCanonicalSection(section) => {
                section.clone().into_iter().try_for_each(|function| canonical(&function.map_err(invalid)?))
            }
            Payload::ComponentExportSection(section) => {
                section.clone().into_iter().try_for_each(|export| self.export(&export.map_err(invalid)?))
            }
            Payload::ComponentStartSection { .. } => Err(Refusal::Canonical("a start function")),
            _ => Ok(()),
        }
    }

    /// A part of a component within it. For each exported interface there is one, which only names its functions.
    pub(super) fn within(&mut self, payload: &Payload<'_>) -> Result<(), Refusal> {
        match payload {
            Payload::ModuleSection { .. }
            | Payload::ComponentSection { .. }
            | Payload::InstanceSection(_)
            | Payload::ComponentCanonicalSection(_)
            | Payload::ComponentStartSection { .. } => Err(Refusal::NestedCode),
            Payload::CustomSection(section) => {
                self.content += section.range().len();
                Ok(())
            }
            Payload::ComponentTypeSection(section) => self.define(section),
            Payload::CoreTypeSection(_) => {
                self.unneeded.get_or_insert("a core type outside its module");
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn define(&mut self, section: &ComponentTypeSectionReader<'_>) -> Result<(), Refusal> {
        self.types += u64::from(section.count());
        bound("types outside its module", self.types, limits::FRAME_TYPES)?;
        section.clone().into_iter().try_for_each(|defined| {
            self.unneeded = self.unneeded.or(unneeded(&defined.map_err(invalid)?));
            Ok(())
        })
    }

    /// An export that is not understood is refused: a name with a slip of the pen would leave its decision to the
    /// built-in policy, and nobody would notice.
    fn export(&mut self, export: &ComponentExport<'_>) -> Result<(), Refusal> {
        let name = export.name.name;
        match (Interface::of(name), export.kind) {
            (Named::Known(interface), ComponentExternalKind::Instance) => {
                self.exports.insert(interface);
                Ok(())
            }
            (Named::OtherVersion(known), _) => Err(Refusal::Version { found: cut(name), known }),
            _ => Err(Refusal::UnknownExport(cut(name))),
        }
    }

    pub(super) fn conclude(self, bytes: usize) -> Result<BTreeSet<Interface>, Refusal> {
        if let Some(unneeded) = self.unneeded {
            return Err(Refusal::Definition(unneeded));
        }
        let frame = bytes.saturating_sub(self.content);
        bound("bytes outside its module", frame as u64, limits::FRAME as u64)?;
        for count in [self.modules, self.instances] {
            if count != 1 {
                return Err(Refusal::Modules(count));
            }
        }
        match self.exports.iter().any(|interface| interface.decides()) {
            true => Ok(self.exports),
            false => Err(Refusal::DecidesNothing),
        }
    }
}

fn canonical(function: &CanonicalFunction) -> Result<(), Refusal> {
    let options = match function {
        CanonicalFunction::Lift { options, .. } => options,
        CanonicalFunction::Lower { .. } => return Err(Refusal::Canonical("a lowered function")),
        _ => return Err(Refusal::Canonical("resources, threads or asynchronous tasks")),
    };
    options.iter().try_for_each(|option| match option {
        CanonicalOption::UTF8
        | CanonicalOption::Memory(_)
        | CanonicalOption::Realloc(_)
        | CanonicalOption::PostReturn(_) => Ok(()),
        CanonicalOption::UTF16 => Err(Refusal::StringEncoding("UTF-16")),
        CanonicalOption::CompactUTF16 => Err(Refusal::StringEncoding("Latin-1 or UTF-16")),
        CanonicalOption::Async
        | CanonicalOption::Callback(_)
        | CanonicalOption::CoreType(_)
        | CanonicalOption::Gc => Err(Refusal::Canonical("an asynchronous or garbage-collected lifting")),
    })
}
