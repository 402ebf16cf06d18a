//! From the module that the compiler makes to the component that the operator takes.

use anyhow::{Context, Result, bail};
use wit_component::{ComponentEncoder, DecodedWasm};

/// What turns most imports into none.
const CURE: &str = "a policy has no imports at all; build it for wasm32-unknown-unknown, without WASI";

/// Makes the component.
///
/// # Errors
/// If the module is none of a policy: it imports something, or exports no interface of the contract.
pub(crate) fn encode(module: &[u8]) -> Result<Vec<u8>> {
    let encoder = ComponentEncoder::default().validate(true).module(module);
    let component = encoder.and_then(|mut encoder| encoder.encode());
    component.with_context(|| format!("the module makes no component ({CURE})"))
}

/// The interfaces that it exports, such as `clusterlabs:policy/seed@0.1.0`.
///
/// # Errors
/// If it imports anything, or exports nothing.
pub(crate) fn exports(component: &[u8]) -> Result<Vec<String>> {
    let DecodedWasm::Component(resolve, world) =
        wit_component::decode(component).context("failed to read the component")?
    else {
        bail!("it is a package of interfaces and not a component");
    };
    let world = &resolve.worlds[world];
    let named = |(key, _): (&_, &_)| resolve.name_world_key(key);
    let imports: Vec<String> = world.imports.iter().map(named).collect();
    if !imports.is_empty() {
        bail!("it imports {}: {CURE}", imports.join(", "));
    }
    let mut exports: Vec<String> = world.exports.iter().map(named).collect();
    exports.sort();
    if exports.is_empty() {
        bail!("it exports no interface: name at least one in policy_sdk::export!");
    }
    Ok(exports)
}
