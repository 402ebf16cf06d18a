//! `policy component`: from the module that a compiler of any language makes, without anything else from its author.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail};
use operator::policy::Interface;
use wasmparser::{Parser, Payload};
use wit_component::{StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use crate::build::Component;
use crate::{component, file};

/// The contract.
const WIT: &str = include_str!("../../wit/policy.wit");

/// With what the sections begin in which bindings of `wit-bindgen` tell their types.
const TYPES: &str = "component-type";

/// What a module has that counts here.
#[derive(Debug, Default)]
struct Exports {
    /// The interfaces whose functions it exports.
    interfaces: BTreeSet<Interface>,
    /// It tells its types by itself.
    has_types: bool,
}

/// Makes the component of a module, and writes it.
///
/// # Errors
/// If the file is no module, or it exports no function of the contract, or one with other parameters; if what
/// is there already is no component, or its folder is not there.
pub(crate) fn component(module: &Path, out: &Path) -> Result<Component> {
    let bytes =
        file::read(module, file::WASM).with_context(|| format!("failed to read {}", module.display()))?;
    if Parser::is_component(&bytes) {
        bail!("{} is a component already; `kubectl rss policy inspect` tells what it is", module.display());
    }
    refuse_to_replace(out, &bytes)?;
    file::refuse_to_make_folders(out)?;
    let made = typed(bytes).and_then(|bytes| component::encode(&bytes));
    Component::write(&made.with_context(|| module.display().to_string())?, out)
}

/// Only a component may be replaced, which is what this makes, and never what it is made of.
fn refuse_to_replace(out: &Path, module: &[u8]) -> Result<()> {
    // A pipe or a device loses nothing.
    if !out.is_file() {
        return Ok(());
    }
    let there = file::read(out, file::WASM)
        .with_context(|| format!("{} is there; name another file", out.display()))?;
    if there == module {
        bail!("{} is the module itself; name another file", out.display());
    }
    if !Parser::is_component(&there) {
        bail!("{} is there and is no component; name another file, or remove it", out.display());
    }
    Ok(())
}

/// The module with its types, which are those of the contract: what it exports says of which interfaces.
fn typed(mut module: Vec<u8>) -> Result<Vec<u8>> {
    let Exports { interfaces, has_types } = Exports::of(&module)?;
    if has_types {
        return Ok(module);
    }
    if interfaces.is_empty() {
        bail!("it exports no function of the contract, such as {}#choose", Interface::Seed.export());
    }
    let exports: String = interfaces.iter().map(|one| format!("export {};", one.name())).collect();
    let mut resolve = Resolve::default();
    let package = resolve
        .push_str("policy.wit", &format!("{WIT}\nworld exported {{ {exports} }}"))
        .context("failed to read the contract")?;
    let world =
        resolve.select_world(&[package], Some("exported")).context("the contract is without the world")?;
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)?;
    Ok(module)
}

// === impl Exports ===

impl Exports {
    fn of(module: &[u8]) -> Result<Self> {
        let mut found = Self::default();
        if !Parser::is_core_wasm(module) {
            bail!("it is no WebAssembly module: give what the linker made, and not text");
        }
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::ExportSection(section) => {
                    for export in section {
                        found.take(export?.name)?;
                    }
                }
                Payload::CustomSection(section) => found.has_types |= section.name().starts_with(TYPES),
                _ => {}
            }
        }
        Ok(found)
    }

    /// A name that is nearly one of the contract is a slip of the pen: without a word, its decision would be left to
    /// the built-in policy.
    fn take(&mut self, export: &str) -> Result<()> {
        let Some((interface, _)) = export.split_once('#') else { return Ok(()) };
        // What a function's result is freed by has this before the function's name.
        let interface = interface.strip_prefix("cabi_post_").unwrap_or(interface);
        let Some(known) = Interface::ALL.into_iter().find(|known| known.export() == interface) else {
            let known = Interface::ALL.map(Interface::export).join(", ");
            bail!("it exports {export}, and the contract has {known}");
        };
        self.interfaces.insert(known);
        Ok(())
    }
}
