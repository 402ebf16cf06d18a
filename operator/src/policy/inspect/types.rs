//! Types of the core module and of the component around it, counted before the validator builds them.

use wasmparser::{ComponentType, CompositeInnerType, RecGroup};

use super::bound;
use crate::policy::limits;
use crate::policy::refusal::Refusal;

/// Types of the core module.
#[derive(Default)]
pub(super) struct CoreTypes(u64);

impl CoreTypes {
    pub(super) fn take(&mut self, group: &RecGroup) -> Result<(), Refusal> {
        self.0 += group.types().len() as u64;
        bound("types of its module", self.0, limits::CORE_TYPES)?;
        group.types().try_for_each(|defined| match &defined.composite_type.inner {
            CompositeInnerType::Func(function) => {
                bound("parameters of one function", function.params().len() as u64, limits::PARAMETERS)?;
                bound("results of one function", function.results().len() as u64, limits::RESULTS)
            }
            // The engine has none of these. Validation refuses them and names the feature.
            CompositeInnerType::Array(_) | CompositeInnerType::Struct(_) | CompositeInnerType::Cont(_) => {
                Ok(())
            }
        })
    }
}

/// Names a type that no policy has. Types that hold other types by name can each double the one before.
pub(super) fn unneeded(defined: &ComponentType<'_>) -> Option<&'static str> {
    match defined {
        ComponentType::Defined(_) | ComponentType::Func(_) => None,
        ComponentType::Component(_) => Some("a component type"),
        ComponentType::Instance(_) => Some("an instance type"),
        ComponentType::Resource { .. } => Some("a resource type"),
    }
}
