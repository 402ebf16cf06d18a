//! Components of a few instructions: what a compiler makes of the same would take seconds.

/// The contract, and a world that wants something of its surroundings.
const WIT: &str = concat!(
    include_str!("../../../wit/policy.wit"),
    "\nworld greedy { import clock: interface { now: func() -> u64; } export sequence; }"
);

/// What the answer of `sequence` begins with, by the canonical ABI.
pub(super) const UNREADABLE: &str = "\\02";
pub(super) const ORDINAL_42: &str = "\\00\\00\\00\\00\\00\\00\\00\\00\\01\\00\\00\\00\\00\\00\\00\\00\\2a";

/// A policy that answers this, whatever it is asked.
pub(super) fn answers(answer: &str) -> Vec<u8> {
    component("sequence-policy", "", answer)
}

/// One that imports a clock.
pub(super) fn importing() -> Vec<u8> {
    component("greedy", "(import \"clock\" \"now\" (func (result i64)))", UNREADABLE)
}

/// The module itself, which is no component.
pub(super) fn module(imports: &str, answer: &str) -> Vec<u8> {
    let text = format!(
        "(module {imports}
          (memory (export \"memory\") 8)
          (global $free (mut i32) (i32.const 4096))
          (func (export \"cabi_realloc\") (param i32 i32 i32 i32) (result i32)
            (local $at i32)
            (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
            (global.set $free (i32.add (local.get $at) (local.get 3)))
            (local.get $at))
          (func (export \"clusterlabs:policy/sequence@0.1.0#read\")
            (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
            (i32.const 1024))
          (data (i32.const 1024) \"{answer}\"))"
    );
    wat::parse_str(text).unwrap()
}

fn component(world: &str, imports: &str, answer: &str) -> Vec<u8> {
    let mut resolve = wit_parser::Resolve::default();
    let package = resolve.push_str("policy.wit", WIT).unwrap();
    let world = resolve.select_world(&[package], Some(world)).unwrap();
    let mut module = module(imports, answer);
    let strings = wit_component::StringEncoding::UTF8;
    wit_component::embed_component_metadata(&mut module, &resolve, world, strings).unwrap();
    let encoder = wit_component::ComponentEncoder::default().validate(true).module(&module).unwrap();
    { encoder }.encode().unwrap()
}
