//! Bytes that are not taken for a policy, and why.

use super::*;
use crate::policy::guest::{Image, renamed};
use crate::policy::{Interface, inspect, limits};

fn refusal(bytes: &[u8]) -> Refusal {
    load(bytes).expect_err("it was taken")
}

/// A component from text, whatever is wrong with it.
fn text(component: &str) -> Vec<u8> {
    wat::parse_str(component).unwrap()
}

#[test]
fn a_component_is_known_by_what_it_exports_and_by_its_digest() {
    let bytes = Guest::described(Image::metadata(["x", "1.0.0", "", "{}"], &[])).component();
    let component = load(&bytes).unwrap();
    assert_eq!(
        component.exports().iter().copied().collect::<Vec<_>>(),
        [Interface::Sequence, Interface::Metadata]
    );
    assert_eq!(inspect(&bytes).as_ref(), Ok(component.exports()));
    assert_eq!(component.size(), bytes.len());
    assert_eq!(*component.digest(), crate::policy::Digest::of(&bytes));
}

#[test]
fn what_is_no_webassembly_binary_is_named_for_what_it_is() {
    let cases: [(&str, &[u8], Refusal); 8] = [
        ("nothing", b"", Refusal::NotWasm),
        ("a script", b"#!/bin/sh\n", Refusal::NotWasm),
        ("text", b"(component)", Refusal::Text),
        ("text with a comment", b"  (; c ;) (module)", Refusal::Text),
        ("a program of Linux, or compiled WebAssembly", b"\x7fELF\x02\x01\x01\x00", Refusal::NativeCode),
        ("a program of a Mac", b"\xcf\xfa\xed\xfe\x07\x00\x00\x01", Refusal::NativeCode),
        ("a program of Windows", b"MZ\x90\x00", Refusal::NativeCode),
        ("half of the beginning", b"\0as", Refusal::NotWasm),
    ];
    for (sentence, bytes, expected) in cases {
        assert_eq!(refusal(bytes), expected, "{sentence}");
    }
}

#[test]
fn what_wasmtime_compiled_itself_is_native_code_to_it() {
    let component = Guest::seed().component();
    let compiled = host().engine.precompile_component(&component).unwrap();
    assert_eq!(refusal(&compiled), Refusal::NativeCode);
}

#[test]
fn a_core_module_is_refused_with_how_to_make_a_component() {
    let refused = refusal(&Guest::seed().module());
    assert_eq!(refused, Refusal::CoreModule);
    assert!(refused.to_string().contains("wasm32-unknown-unknown"), "{refused}");
}

#[test]
fn a_component_that_is_cut_anywhere_or_has_more_behind_it_is_refused() {
    let whole = Guest::seed().component();
    let exports = inspect(&whole);
    for length in (0..whole.len()).step_by(7) {
        // Behind its last export there are remarks, without which it is the same.
        assert!(load(&whole[..length]).is_err() || inspect(&whole[..length]) == exports, "{length}");
    }
    refusal(&whole[..whole.len() / 2]);
    let more = [whole.as_slice(), b"\x7fELF"].concat();
    assert!(matches!(refusal(&more), Refusal::Invalid(_)));
}

#[test]
fn a_component_of_one_byte_too_many_is_refused_before_it_is_read() {
    let mut bytes = Guest::seed().component();
    bytes.resize(limits::COMPONENT + 1, 0);
    assert_eq!(refusal(&bytes), Refusal::TooLarge(limits::COMPONENT + 1));
}

#[test]
fn an_import_is_refused_by_name_and_one_of_wasi_with_the_cure() {
    let imports = |name: &str| refusal(&text(&format!("(component (import \"{name}\" (instance)))")));
    assert_eq!(imports("a:b/c"), Refusal::Import("a:b/c".into()));
    assert!(!imports("a:b/c").to_string().contains("wasm32"));
    let wasi = imports("wasi:cli/environment@0.2.6").to_string();
    assert!(wasi.contains("wasi:cli/environment@0.2.6") && wasi.contains("wasm32-unknown-unknown"), "{wasi}");
    let core = "(component (core module (import \"wasi_snapshot_preview1\" \"fd_write\" (func))))";
    let wasi = refusal(&text(core)).to_string();
    assert!(wasi.contains("fd_write") && wasi.contains("wasm32-unknown-unknown"), "{wasi}");
}

#[test]
fn more_than_one_core_module_or_instance_of_it_is_refused() {
    let cases = [
        ("(component)", 0),
        ("(component (core module $m) (core instance (instantiate $m)) (core module))", 2),
        ("(component (core module $m) (core instance (instantiate $m)) (core instance (instantiate $m)))", 2),
        ("(component (core module $m))", 0),
    ];
    for (component, count) in cases {
        assert_eq!(refusal(&text(component)), Refusal::Modules(count), "{component}");
    }
}

#[test]
fn code_within_a_component_within_it_is_refused() {
    for inner in ["(core module)", "(component)", "(core instance)", "(core func (canon backpressure.inc))"] {
        let component = format!("(component (component {inner}))");
        assert_eq!(refusal(&text(&component)), Refusal::NestedCode, "{inner}");
    }
}

#[test]
fn strings_that_are_not_utf8_are_refused() {
    use wit_component::StringEncoding::{CompactUTF16, UTF16};
    let encoded = |encoding| refusal(&Guest::seed().encoded(encoding));
    assert_eq!(encoded(UTF16), Refusal::StringEncoding("UTF-16"));
    assert_eq!(encoded(CompactUTF16), Refusal::StringEncoding("Latin-1 or UTF-16"));
}

#[test]
fn what_is_not_an_exported_synchronous_function_is_refused() {
    let tasks = "(component (core func (canon backpressure.inc)))";
    assert_eq!(refusal(&text(tasks)), Refusal::Canonical("resources, threads or asynchronous tasks"));
    let waits = "(component (core module $m (func (export \"f\")) (func (export \"c\") (param i32 i32 i32) (result i32) unreachable))
        (core instance $i (instantiate $m))
        (func (canon lift (core func $i \"f\") async (callback (func $i \"c\")))))";
    assert_eq!(refusal(&text(waits)), Refusal::Canonical("an asynchronous or garbage-collected lifting"));
}

#[test]
fn an_interface_in_another_version_or_with_another_name_is_refused_with_both_names() {
    let seed = Guest::seed().component();
    let refused = refusal(&renamed(&seed, Interface::Seed, "clusterlabs:policy/seed@0.2.0"));
    let expected = Refusal::Version { found: "clusterlabs:policy/seed@0.2.0".into(), known: Interface::Seed };
    assert_eq!(refused, expected);
    let text = refused.to_string();
    assert!(text.contains("seed@0.2.0") && text.contains("seed@0.1.0"), "{text}");
    let refused = refusal(&renamed(&seed, Interface::Seed, "clusterlabs:policy/sead@0.1.0"));
    assert_eq!(refused, Refusal::UnknownExport("clusterlabs:policy/sead@0.1.0".into()));
    assert!(refused.to_string().contains("clusterlabs:policy/seed@0.1.0"), "{refused}");
}

#[test]
fn an_interface_with_other_functions_is_refused() {
    for function in ["pick: func(settings: string) -> u32", "choose: func(settings: string) -> u32"] {
        let name = function.split(':').next().unwrap();
        let wit = format!("interface seed {{ {function}; }} world other {{ export seed; }}");
        let export = format!("{}#{name}", Interface::Seed.export());
        let functions = format!("(func (export \"{export}\") (param i32 i32) (result i32) (i32.const 0))");
        let refused = refusal(&Guest::other(&wit, &functions).component());
        assert!(matches!(refused, Refusal::Types { interface: Interface::Seed, .. }), "{refused}");
    }
}

#[test]
fn a_policy_that_decides_nothing_is_refused() {
    let core = "(core module $m) (core instance (instantiate $m))";
    assert_eq!(refusal(&text(&format!("(component {core})"))), Refusal::DecidesNothing);
}

#[test]
fn each_bound_of_a_module_holds() {
    let guest = |more: &str| refusal(&Guest::seed().more(more).component());
    let bound = |what, is, most| Refusal::Bound { what, is, most };
    let functions = "(func)".repeat(limits::FUNCTIONS as usize - 2);
    assert_eq!(guest(&functions), bound("functions", 10_001, 10_000));
    let long = format!("(func {})", "nop ".repeat(limits::FUNCTION));
    assert_eq!(guest(&long), bound("bytes of one function", 32_770, 32_768));
    let segments = "(data (i32.const 0) \"a\")".repeat(1_000);
    assert_eq!(guest(&segments), bound("segments of data", 1_001, 1_000));
    let segments = format!("(table 1 funcref) {}", "(elem (i32.const 0) func $realloc)".repeat(1_001));
    assert_eq!(guest(&segments), bound("segments of elements", 1_001, 1_000));
    assert_eq!(guest("(table 10001 funcref)"), bound("elements of a table", 10_001, 10_000));
    assert_eq!(guest(&"(table 1 funcref)".repeat(3)), bound("tables", 3, 2));
    let pages = refusal(&Guest::seed().pages(257).component());
    assert_eq!(pages, bound("bytes of memory", 257 << 16, 16 << 20));
    let memories = refusal(&text("(component (core module (memory 1) (memory 1)))"));
    assert_eq!(memories, bound("memories", 2, 1));
}

#[test]
fn types_without_end_around_a_small_module_are_refused() {
    let types = format!("(type (record (field \"{}\" u8)))", "a".repeat(100)).repeat(900);
    let component = format!("(component (core module $m) (core instance (instantiate $m)) {types})");
    assert!(matches!(refusal(&text(&component)), Refusal::Bound { what: "bytes outside its module", .. }));
}

#[test]
fn types_that_hold_other_types_by_name_are_refused_wherever_they_stand() {
    let core = "(core module $m) (core instance (instantiate $m))";
    for (defined, named) in [
        ("(type (instance))", "an instance type"),
        ("(type (component))", "a component type"),
        ("(type (resource (rep i32)))", "a resource type"),
        ("(core type (func))", "a core type outside its module"),
    ] {
        for component in
            [format!("(component {core} {defined})"), format!("(component {core} (component {defined}))")]
        {
            assert_eq!(refusal(&text(&component)), Refusal::Definition(named), "{component}");
        }
    }
}

#[test]
fn more_components_or_types_around_a_module_than_policies_need_are_refused() {
    let bound = |what, is, most| Refusal::Bound { what, is, most };
    let around = |parts: &str| refusal(&text(&format!("(component {parts})")));
    assert_eq!(around(&"(component)".repeat(65)), bound("components within it", 65, 64));
    let instances = format!("(component $c) {}", "(instance (instantiate $c))".repeat(65));
    assert_eq!(around(&instances), bound("instances of components within it", 65, 64));
    let types = "(type (list u8))".repeat(1_001);
    assert_eq!(around(&types), bound("types outside its module", 1_001, 1_000));
}

#[test]
fn a_block_with_parameters_or_several_results_is_refused() {
    for kind in ["(param i32)", "(result i32 i32)"] {
        let typed = format!("(type $t (func {kind}))");
        let body = String::from("(func (unreachable) block (type $t) (unreachable) end (unreachable))");
        let refused = refusal(&text(&format!("(component (core module {typed} {body}))")));
        let several = Refusal::Bound { what: "results of one function", is: 2, most: 1 };
        assert!([Refusal::BlockType, several].contains(&refused), "{refused}");
    }
}

#[test]
fn instructions_that_the_engine_leaves_out_are_refused() {
    for body in [
        "(drop (v128.const i32x4 0 0 0 0))",
        "(return_call $f)",
        "(drop (i64.atomic.load (i32.const 0)))",
        "(drop (i64.load (i64.const 0)))",
        "(drop (ref.i31 (i32.const 1)))",
        "(drop (ref.eq (ref.null eq) (ref.null eq)))",
        "(call_ref $t (ref.func $f))",
        "(drop (ref.as_non_null (ref.null func)))",
    ] {
        let memory = if body.contains("(i64.const 0)") { "(memory i64 1)" } else { "(memory 1)" };
        let parts = format!("(type $t (func)) {memory} (elem declare func $f) (func $f {body})");
        let module = format!("(core module $m {parts}) (core instance (instantiate $m))");
        let component = format!(
            "(component {module} (instance $i) (export \"{}\" (instance $i)))",
            Interface::Seed.export()
        );
        assert!(matches!(refusal(&text(&component)), Refusal::Invalid(_)), "{body}");
    }
}

#[test]
fn constants_that_are_computed_are_refused() {
    let global =
        |value: &str| load(&Guest::seed().more(&format!("(global i32 {value})")).component()).map(drop);
    assert_eq!(global("(i32.const 2)"), Ok(()));
    assert!(matches!(global("(i32.add (i32.const 1) (i32.const 1))"), Err(Refusal::Invalid(_))));
}

#[test]
fn bytes_that_were_turned_are_refused_or_bounded_and_never_end_the_process() {
    let whole = Guest::described(Image::metadata(["x", "1.0.0", "", "{}"], &[])).component();
    for at in (8..whole.len()).step_by(5) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        if let Ok(component) = load(&bytes) {
            let _ = component.ask("{}", &output(0, "1"));
        }
    }
}
