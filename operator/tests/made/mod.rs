//! Components for tests, and the memory that a test takes.

use std::fs;

/// The contract.
const WIT: &str = include_str!("../../../wit/policy.wit");

/// A policy with further text in its core module.
pub(crate) fn policy(more: &str) -> Vec<u8> {
    let parameters = "i32 ".repeat(12);
    let text = format!(
        "(module (memory (export \"memory\") 1)
          (func (export \"cabi_realloc\") (param i32 i32 i32 i32) (result i32) (i32.const 4096))
          (func (export \"clusterlabs:policy/sequence@0.1.0#read\") (param {parameters}) (result i32) (i32.const 1024))
          {more})"
    );
    let mut module = wat::parse_str(&text).expect("a core module");
    let mut resolve = wit_parser::Resolve::default();
    let package = resolve.push_str("policy.wit", WIT).expect("valid WIT");
    let world = resolve.select_world(&[package], Some("sequence-policy")).expect("a world of it");
    let utf8 = wit_component::StringEncoding::UTF8;
    wit_component::embed_component_metadata(&mut module, &resolve, world, utf8).expect("a core module");
    let encoder = wit_component::ComponentEncoder::default().module(&module).expect("a core module");
    { encoder }.encode().expect("a component")
}

/// Loops within each other, over locals that each of them changes.
pub(crate) fn nested_loops(depth: usize, locals: usize) -> String {
    let types = "i32 ".repeat(locals);
    let changes: String = (0..locals)
        .map(|local| format!("(local.set {local} (i32.add (local.get {local}) (i32.const 1)))"))
        .collect();
    let (begin, end) = ("loop ".repeat(depth), "(br_if 0 (i32.const 1)) end ".repeat(depth));
    format!("(func (param i32) (local {types}) {begin} {changes} {end})")
}

/// The most resident memory in bytes that this process ever had.
pub(crate) fn most_resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kibibytes << 10
}
