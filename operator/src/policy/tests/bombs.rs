//! Components of a few kilobytes that would take gigabytes. Each is refused before anything validates or compiles it, and
//! what is just within the bounds takes little memory.

use std::process::Command;

use super::*;
use crate::policy::{inspect, limits};

/// What loading all components of `within_bounds` may add to the memory of a process, in bytes. An operator has 384 MiB.
const MEMORY: u64 = 96 << 20;

/// A policy with these parts in its module.
fn policy(more: &str) -> Vec<u8> {
    Guest::seed().more(more).component()
}

/// A function with these locals, whose body is this in blocks within blocks; the innermost reads and writes each local.
fn nested(blocks: u64, locals: u64) -> String {
    let touched: String =
        (0..locals).map(|n| format!("(local.set {n} (i32.add (local.get {n}) (i32.const 1)))")).collect();
    let (open, close) = ("(loop ".repeat(blocks as usize), ")".repeat(blocks as usize));
    format!("(func (local {}) {open}{touched}{close})", "i32 ".repeat(locals as usize))
}

/// A function with these locals, whose body is so many blocks, one after the other.
fn sequential(blocks: u64, locals: u64) -> String {
    format!(
        "(func (local {}) {})",
        "i32 ".repeat(locals as usize),
        "(loop (br_if 0 (local.get 0)))".repeat(blocks as usize)
    )
}

/// A branch table with so many targets.
fn table(targets: u64, locals: u64) -> String {
    let targets = "0 ".repeat(targets as usize);
    format!("(func (local {}) (block (br_table {targets} (local.get 0))))", "i32 ".repeat(locals as usize))
}

/// A function of so many parameters and results.
fn wide(parameters: u64, results: u64) -> String {
    let values = |count: u64| "i32 ".repeat(count as usize);
    format!("(func (param {}) (result {}) (unreachable))", values(parameters), values(results))
}

fn types(count: u64) -> String {
    // Each type is another one: its parameters are the digits of its number.
    let parameters =
        |n: u64| (0..16).map(|bit| if n >> bit & 1 == 1 { "i64 " } else { "i32 " }).collect::<String>();
    (0..count).map(|n| format!("(type (func (param {})))", parameters(n))).collect()
}

/// Instance types of which each has two of the one before, in a component within the component.
fn doubling() -> Vec<u8> {
    let level = |n: u32| {
        format!(
            "(type (;{n};) (instance (alias outer 1 {0} (type (;0;))) (export \"a\" (instance (type 0))) (export \"b\" (instance (type 0)))))",
            n - 1
        )
    };
    let first = "(type (;0;) (instance (export \"r\" (type (sub resource)))))";
    let levels: String = (1..17).map(level).collect();
    wat::parse_str(format!("(component (component {first}{levels}))")).unwrap()
}

#[test]
fn a_component_that_would_take_gigabytes_is_refused_by_its_structure() {
    let parameters = limits::PARAMETERS;
    let block = "(type $t (func (param i32) (result i32))) (func (drop (loop (type $t) (i32.const 1))))";
    let block = block.replace("(loop (type $t) (i32.const 1))", "(i32.const 1) loop (type $t) end");
    let spread: String = (0..=limits::ALL_FLOW / limits::FLOW).map(|_| sequential(2_900, 1)).collect();
    for (what, more) in [
        ("parameters of one function", wide(parameters + 1, 0)),
        ("results of one function", wide(0, limits::RESULTS + 1)),
        ("locals of one function", nested(1, limits::LOCALS + 1)),
        ("nested blocks", nested(limits::NESTING + 1, 1)),
        ("blocks times values of one function", sequential(1 + limits::FLOW / (968 + parameters), 968)),
        ("blocks times values of one function", table(1 + limits::FLOW / (968 + parameters), 968)),
        ("parameters of one block", block),
        ("blocks times values of all functions", spread),
        ("types of the module", types(limits::TYPES + 1)),
    ] {
        let refused = inspect(&policy(&more));
        assert!(
            matches!(&refused, Err(Refusal::Bound { what: found, .. }) if *found == what),
            "{what}: {refused:?}"
        );
    }
}

#[test]
fn types_that_double_the_memory_that_they_take_are_refused_before_they_are_validated() {
    assert_eq!(inspect(&doubling()), Err(Refusal::Canonical("a type of components, instances or resources")));
    let core = wat::parse_str("(component (core type (func)))").unwrap();
    assert_eq!(inspect(&core), Err(Refusal::Canonical("a core type")));
    let nested = format!("(component {})", "(component)".repeat(limits::NESTED as usize + 1));
    let refused = inspect(&wat::parse_str(nested).unwrap());
    assert!(matches!(refused, Err(Refusal::Bound { what: "nested components", .. })), "{refused:?}");
    let lists = format!(
        "(component (component {}))",
        "(type (list u8))".repeat(limits::COMPONENT_TYPES as usize + 1)
    );
    let refused = inspect(&wat::parse_str(lists).unwrap());
    assert!(matches!(refused, Err(Refusal::Bound { what: "types of one component", .. })), "{refused:?}");
}

/// What takes most of what is let in, of each kind.
fn within_bounds() -> Vec<Vec<u8>> {
    let (values, parameters) = (limits::FLOW / limits::NESTING, limits::PARAMETERS);
    let deep = nested(limits::NESTING, values - parameters);
    let all: String = (0..limits::ALL_FLOW / limits::FLOW - 1).map(|_| deep.as_str()).collect();
    let long = sequential(limits::FLOW / (100 + parameters), 100);
    let calls = format!(
        "(func $wide (param {}) (result i32) (i32.const 1)) (func {})",
        "i32 ".repeat(parameters as usize),
        format!("(drop (call $wide {}))", "(i32.const 1)".repeat(parameters as usize)).repeat(300)
    );
    [deep, all, long, calls, types(limits::TYPES - 20)].iter().map(|more| policy(more)).collect()
}

#[test]
fn what_is_just_within_the_bounds_takes_little_memory() {
    let mut program = Command::new(std::env::current_exe().unwrap());
    let test = "policy::tests::bombs::loads_what_is_just_within_the_bounds";
    let output = program.args(["--exact", test, "--ignored", "--nocapture"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "it measures the memory of its process, and the test before it starts one for it"]
fn loads_what_is_just_within_the_bounds() {
    let components = within_bounds();
    host();
    let before = peak();
    for bytes in components {
        load(&bytes).unwrap();
    }
    let added = peak() - before;
    assert!(added < MEMORY, "{} MiB", added >> 20);
}

/// The most memory that this process has had, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}
