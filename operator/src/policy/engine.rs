//! The one engine of a process: what it compiles, and the clock of its calls.

use std::sync::Arc;
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use wasmtime::component::Component;
use wasmtime::{
    Config, Engine, InstanceAllocationStrategy, OperatorCost, OptLevel, VariableOperatorCost, WasmFeatures,
};

use super::limits;

/// The version of wasmtime, which does not tell its own.
pub(super) const WASMTIME: &str = "48.0.8";

/// Compiles and runs policies. One for a process: engines keep the memory that compiling took.
#[derive(Clone)]
pub struct Host {
    pub(super) engine: Engine,
    compilers: Arc<ThreadPool>,
}

/// Why there is no host. The configuration is constant, so it is the machine that lacks something.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// The engine does not come up.
    #[error("failed to make the engine that runs policies")]
    Engine(#[source] wasmtime::Error),
    /// No thread for the clock.
    #[error("failed to start the clock of policies")]
    Clock(#[source] std::io::Error),
    /// No threads to compile with.
    #[error("failed to start the threads that compile policies")]
    Compilers(#[source] ThreadPoolBuildError),
}

impl Host {
    /// An engine and its clock, which ends with the last clone of the host.
    ///
    /// # Errors
    /// If the machine cannot run compiled code, or gives no thread.
    pub fn new() -> Result<Self, Unavailable> {
        let engine = Engine::new(&config()).map_err(Unavailable::Engine)?;
        tick(&engine, limits::TICK).map_err(Unavailable::Clock)?;
        let compilers = ThreadPoolBuilder::new()
            .num_threads(limits::COMPILERS)
            .thread_name(|index| format!("policy-compiler-{index}"))
            .build()
            .map_err(Unavailable::Compilers)?;
        Ok(Self { engine, compilers: Arc::new(compilers) })
    }

    /// Machine code for a component, made in the threads that are for this and in no others: the caller waits.
    ///
    /// # Errors
    /// If the bytes are no component that this engine takes.
    pub(super) fn compile(&self, bytes: &[u8]) -> wasmtime::Result<Component> {
        self.compilers.install(|| Component::from_binary(&self.engine, bytes))
    }
}

/// Every setting that keeps a call bounded, the same everywhere, and the code that could be wrong small.
fn config() -> Config {
    let mut config = Config::new();
    config.consume_fuel(true).epoch_interruption(true).max_wasm_stack(limits::STACK);
    // The bits of a NaN are the one result of WebAssembly that machines may choose.
    config.cranelift_nan_canonicalization(true);
    // A call takes microseconds either way; what is not optimised compiles sooner and cannot be optimised wrongly.
    config.cranelift_opt_level(OptLevel::None);
    // Where in its bytes a policy trapped is of no use to anybody: they are stripped of names.
    config.generate_address_map(false);
    // Tables for profilers and debuggers; a trap is found without them.
    config.native_unwind_info(false);
    config.wasm_component_model(true);
    config.wasm_bulk_memory(true).wasm_multi_value(true);
    config.wasm_simd(false).wasm_relaxed_simd(false).wasm_wide_arithmetic(false);
    config.wasm_multi_memory(false).wasm_memory64(false).wasm_custom_page_sizes(false);
    config.wasm_tail_call(false).wasm_extended_const(false);
    config.wasm_gc(false).wasm_features(WasmFeatures::FUNCTION_REFERENCES, false);
    // The deadline of the clock stays for what this table does not see.
    config.operator_cost(OperatorCost {
        MemoryGrow: limits::GROW,
        TableGrow: limits::GROW,
        variable: VariableOperatorCost { memory_grow_per_page: limits::GROW, ..VariableOperatorCost::new() },
        ..OperatorCost::new()
    });
    // Address space for all that an index can name, and memory for none of it but what is used: a page that is not there
    // ends an access beyond the bound, so that no access needs code that checks it, and a quarter less is compiled.
    config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
    config.memory_reservation(1 << 32).memory_may_move(false);
    // An image of the first memory would be up to all of it, for each policy that is kept.
    config.memory_init_cow(false).memory_guaranteed_dense_image_size(0);
    config
}

/// A thread of its own: a runtime's timers stand still when its threads are busy.
fn tick(engine: &Engine, period: Duration) -> std::io::Result<()> {
    let weak = engine.weak();
    let clock = move || {
        while let Some(engine) = weak.upgrade() {
            engine.increment_epoch();
            drop(engine);
            std::thread::sleep(period);
        }
    };
    std::thread::Builder::new().name("policy-clock".to_owned()).spawn(clock).map(drop)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_version_that_records_name_is_the_one_that_is_linked() {
        let lock = include_str!("../../../Cargo.lock");
        let entry = format!("name = \"wasmtime\"\nversion = \"{}\"\n", super::WASMTIME);
        assert!(lock.contains(&entry), "Cargo.lock has another version of wasmtime");
    }
}
