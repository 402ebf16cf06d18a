//! Small components that make a compiler or validator take gigabytes. Each is refused, and the process stays small.
//!
//! The test has a program of its own, because it measures the most memory that its process ever had.

mod made;

use std::fmt::Write as _;

use operator::policy::{Component, Host, Refusal};

use made::{most_resident, nested_loops, policy};

/// The most resident memory in bytes. The operator has 384 MiB in `deploy/deployment.yaml`.
const RESIDENT: u64 = 200 << 20;

/// A policy with a further component within it.
fn around(inner: &str) -> Vec<u8> {
    let nested = wat::parse_str(inner).expect("a component");
    let mut bytes = policy("");
    // The section of a nested component.
    bytes.push(4);
    let mut length = nested.len();
    while length >= 0x80 {
        bytes.push((length % 0x80) as u8 | 0x80);
        length /= 0x80;
    }
    bytes.push(length as u8);
    bytes.extend(nested);
    bytes
}

/// Instance types, each with two of the one before, and a resource in the first.
fn doubled(levels: usize) -> Vec<u8> {
    let mut text = "(component (type $t0 (instance (export \"r\" (type (sub resource)))))".to_owned();
    for level in 1..=levels {
        let before = level - 1;
        let _ = write!(
            text,
            "(type $t{level} (instance (alias outer 1 $t{before} (type $t))
               (export \"a\" (instance (type $t))) (export \"b\" (instance (type $t)))))"
        );
    }
    let _ = write!(text, "(import \"i\" (instance (type $t{levels}))))");
    around(&text)
}

/// Blocks with as many parameters and results.
fn wide_blocks(block: &str, count: usize, values: usize) -> Vec<u8> {
    let types = "i32 ".repeat(values);
    let constants = "(i32.const 1)".repeat(values);
    let blocks = format!("{block} (type $wide) end ").repeat(count);
    let drops = "drop ".repeat(values);
    policy(&format!(
        "(type $wide (func (param {types}) (result {types}))) (func (export \"f\") {constants} {blocks} {drops})"
    ))
}

/// Loops one after the other, over locals that each of them changes.
fn loops_in_a_row(count: usize, locals: usize) -> String {
    let types = "i32 ".repeat(locals);
    let each: String = (0..count)
        .map(|number| {
            let local = number % locals;
            format!("loop (local.set {local} (i32.add (local.get {local}) (i32.const 1))) (br_if 0 (local.get 0)) end ")
        })
        .collect();
    format!("(func (param i32) (local {types}) {each})")
}

fn function_types(count: usize, parameters: usize) -> Vec<u8> {
    let types: String = (0..count)
        .map(|number| {
            let bit = |bit: usize| if bit < 15 && number >> bit & 1 == 1 { "i64 " } else { "i32 " };
            format!("(type (func (param {})))", (0..parameters).map(bit).collect::<String>())
        })
        .collect();
    policy(&types)
}

fn calls(count: usize, values: usize) -> Vec<u8> {
    let types = "i32 ".repeat(values);
    let constants = "(i32.const 1)".repeat(values);
    let (calls, drops) = ("call $same ".repeat(count), "drop ".repeat(values));
    policy(&format!(
        "(func $same (param {types}) (result {types}) {constants}) (func (export \"f\") {constants} {calls} {drops})"
    ))
}

#[test]
fn components_that_take_gigabytes_to_validate_or_compile_are_refused_within_bounded_memory() {
    let host = Host::new().expect("an engine");
    let many = |function: &str, count: usize| policy(&function.repeat(count));
    let bombs: Vec<(&str, Vec<u8>)> = vec![
        ("an instance type", doubled(17)),
        ("parameters of one function", wide_blocks("loop", 100, 1_000)),
        ("parameters of one function", wide_blocks("block", 400, 1_000)),
        ("block in it has parameters", wide_blocks("loop", 100, 1)),
        ("parameters of one function", calls(300, 1_000)),
        ("results of one function", calls(300, 30)),
        ("blocks within each other", policy(&nested_loops(300, 10))),
        ("of one function", policy(&nested_loops(200, 1_000))),
        ("locals of one function", policy(&nested_loops(1, 2_001))),
        ("of all functions", many(&nested_loops(100, 200), 60)),
        ("of one function", policy(&loops_in_a_row(1_000, 300))),
        ("types of its module", function_types(30_000, 17)),
        ("parameters of one function", function_types(700, 1_000)),
    ];
    for (named, bytes) in bombs {
        let size = bytes.len();
        let refused = Component::load(&host, &bytes).expect_err(named);
        let words = refused.to_string();
        let is_named = matches!(refused, Refusal::Bound { .. } | Refusal::Definition(_) | Refusal::BlockType);
        assert!(is_named && words.contains(named), "{named}, {size} bytes: {words}");
        let resident = most_resident();
        assert!(resident < RESIDENT, "{named}: {} MiB", resident >> 20);
    }
}

#[test]
fn the_largest_functions_that_are_taken_compile_within_bounded_memory() {
    let host = Host::new().expect("an engine");
    let largest = [
        ("nested loops", nested_loops(107, 200)),
        ("loops in a row", loops_in_a_row(118, 170)),
        ("few loops over many locals", nested_loops(15, 1_500)),
    ];
    for (what, function) in largest {
        // Two are compiled at a time.
        let bytes = policy(&function.repeat(4));
        Component::load(&host, &bytes).unwrap_or_else(|refused| panic!("{what}: {refused}"));
        let resident = most_resident();
        assert!(resident < RESIDENT, "{what}: {} MiB", resident >> 20);
    }
}
