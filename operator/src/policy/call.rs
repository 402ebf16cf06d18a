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
    /// What it used, starting the instance included; the same for the same input, but where the machine ended it.
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

impl<T> Ran<Result<T, Failure>> {
    /// The answer alone with what it used, or why there is none.
    pub(super) fn answered(self) -> Result<Ran<T>, Failure> {
        let Self { value, fuel } = self;
        value.map(|value| Ran { value, fuel })
    }

    /// The same, where what came back may be none after all.
    pub(super) fn and_then<U, E>(self, change: impl FnOnce(T) -> Result<U, E>) -> Ran<Result<U, Failure>>
    where
        Failure: From<E>,
    {
        self.map(|value| Ok(change(value?)?))
    }
}

impl Component {
    /// Runs `call` on a fresh instance. What it used is counted also where it did not return.
    pub(super) fn run<T>(
        &self,
        call: impl FnOnce(&mut Store<Bounds>, &Instance) -> wasmtime::Result<T>,
    ) -> Ran<Result<T, Failure>> {
        let ran = contained(|| {
            let mut store = Store::new(self.pre.engine(), Bounds);
            let value = self.run_in(&mut store, call).map_err(|error| Failure::of(&error));
            // The engine counts fuel; there is always some to ask for.
            Ran { value, fuel: limits::FUEL - store.get_fuel().unwrap_or(limits::FUEL) }
        });
        ran.unwrap_or_else(|failure| Ran { value: Err(failure), fuel: 0 })
    }

    fn run_in<T>(
        &self,
        store: &mut Store<Bounds>,
        call: impl FnOnce(&mut Store<Bounds>, &Instance) -> wasmtime::Result<T>,
    ) -> wasmtime::Result<T> {
        store.limiter(|bounds| bounds);
        store.set_hostcall_fuel(limits::ANSWER);
        store.set_max_component_handles(limits::HANDLES);
        store.set_epoch_deadline(u64::from(limits::DEADLINE));
        store.set_fuel(limits::FUEL)?;
        let instance = self.pre.instantiate(&mut *store)?;
        call(store, &instance)
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
