//! Components of a few instructions: what a compiler makes of the same would take seconds.

/// The contract, and a world that wants something of its surroundings.
const WIT: &str = concat!(
    include_str!("../../../wit/policy.wit"),
    "\nworld greedy { import clock: interface { now: func() -> u64; } export sequence; }",
    "\nworld described { export sequence; export metadata; }"
);

/// What the answer of `sequence` begins with, by the canonical ABI.
pub(super) const UNREADABLE: &str = "\\02";
pub(super) const ORDINAL_42: &str = "\\00\\00\\00\\00\\00\\00\\00\\00\\01\\00\\00\\00\\00\\00\\00\\00\\2a";

/// A policy that answers this, whatever it is asked.
pub(super) fn answers(answer: &str) -> Vec<u8> {
    component("sequence-policy", &module("", answer))
}

/// One that can read nothing, and says this of itself: name, version, summary, and the schema of its settings.
pub(super) fn described(texts: [&str; 4]) -> Vec<u8> {
    let (mut pairs, mut address) = (Vec::new(), 2048 + 40);
    for text in texts {
        pairs.extend([address, u32::try_from(text.len()).unwrap()].map(u32::to_le_bytes).concat());
        address += u32::try_from(text.len()).unwrap();
    }
    // Behind the four texts the list of problems with settings, which is empty.
    let bytes = [pairs, vec![0; 8], texts.concat().into_bytes()].concat();
    let data: String = bytes.iter().map(|byte| format!("\\{byte:02x}")).collect();
    let metadata = format!(
        "(func (export \"clusterlabs:policy/metadata@0.1.0#describe\") (result i32) (i32.const 2048))
         (func (export \"clusterlabs:policy/metadata@0.1.0#check\") (param i32 i32) (result i32) (i32.const 2080))
         (data (i32.const 2048) \"{data}\")"
    );
    component("described", &module_with("", UNREADABLE, &metadata))
}

/// One that imports a clock.
pub(super) fn importing() -> Vec<u8> {
    component("greedy", &module("(import \"clock\" \"now\" (func (result i64)))", UNREADABLE))
}

/// The module itself, which is no component.
pub(super) fn module(imports: &str, answer: &str) -> Vec<u8> {
    module_with(imports, answer, "")
}

fn module_with(imports: &str, answer: &str, more: &str) -> Vec<u8> {
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
          {more}
          (data (i32.const 1024) \"{answer}\"))"
    );
    wat::parse_str(text).unwrap()
}

fn component(world: &str, module: &[u8]) -> Vec<u8> {
    let mut resolve = wit_parser::Resolve::default();
    let package = resolve.push_str("policy.wit", WIT).unwrap();
    let world = resolve.select_world(&[package], Some(world)).unwrap();
    let mut module = module.to_vec();
    let strings = wit_component::StringEncoding::UTF8;
    wit_component::embed_component_metadata(&mut module, &resolve, world, strings).unwrap();
    let encoder = wit_component::ComponentEncoder::default().validate(true).module(&module).unwrap();
    { encoder }.encode().unwrap()
}
