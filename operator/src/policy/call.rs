//! One call: a fresh store and a fresh instance, bounded in every way, and nothing of it kept.

use std::panic::{AssertUnwindSafe, catch_unwind};

use wasmtime::component::Instance;
use wasmtime::{ResourceLimiter, Store};

use super::component::Component;
use super::failure::{Exceeded, Failure};
use super::limits;

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran<T> {
    /// What it returned.
    pub value: T,
    /// What it used, starting the instance included; the same for the same input.
    pub fuel: u64,
}

/// What an instance may grow to. A growth beyond it ends the call: a policy that is told no would trap a moment later
/// for a reason that nobody understands.
pub(super) struct Bounds;

impl<T> Ran<T> {
    /// The same call with another value.
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Ran<U> {
        Ran { value: change(self.value), fuel: self.fuel }
    }
}

impl Component {
    /// Runs `call` on a fresh instance.
    pub(super) fn run<T>(
        &self,
        call: impl FnOnce(&mut Store<Bounds>, &Instance) -> wasmtime::Result<T>,
    ) -> Result<Ran<T>, Failure> {
        contained(|| {
            let mut store = Store::new(self.pre.engine(), Bounds);
            store.limiter(|bounds| bounds);
            store.set_hostcall_fuel(limits::ANSWER);
            store.set_max_component_handles(limits::HANDLES);
            store.set_epoch_deadline(u64::from(limits::DEADLINE));
            store.set_fuel(limits::FUEL)?;
            let instance = self.pre.instantiate(&mut store)?;
            let value = call(&mut store, &instance)?;
            Ok(Ran { value, fuel: limits::FUEL - store.get_fuel()? })
        })?
        .map_err(|error| Failure::of(&error))
    }
}

/// Keeps a panic of the host from going further than the policy that it met.
pub(super) fn contained<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Failure::HostPanicked)
}

impl ResourceLimiter for Bounds {
    fn memory_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        within(desired, limits::MEMORY, Exceeded::Memory)
    }

    fn table_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        within(desired, limits::TABLE, Exceeded::Table)
    }

    fn instances(&self) -> usize {
        limits::INSTANCES
    }

    fn tables(&self) -> usize {
        limits::TABLES
    }

    fn memories(&self) -> usize {
        limits::MEMORIES
    }
}

fn within(desired: usize, most: usize, exceeded: Exceeded) -> wasmtime::Result<bool> {
    if desired > most { Err(wasmtime::Error::new(exceeded)) } else { Ok(true) }
}
