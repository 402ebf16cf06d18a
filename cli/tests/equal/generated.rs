//! Questions made up by chance, in the JSON of records: the same seed is the same question.

use policy_sdk::record::Record;
use serde_json::{Map, Value, json};
use simulator::Chance;

/// What an output is put together from: numbers, what surrounds them, and what is none.
const PIECES: [&str; 26] = [
    "0",
    "7",
    "42",
    "00042",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "-1",
    "+7",
    "1e3",
    "0x10",
    "1_000",
    " ",
    "\n",
    "\t",
    "\r\n",
    "\u{a0}",
    "\u{2003}",
    "\u{0}",
    "\u{fffd}",
    "\u{663}",
    "\u{e9}",
    "\u{1f4a5}",
    "x",
    "\"",
    "\\",
];

/// So many of them are numbers, some of them too large.
const NUMBERS: usize = 7;

/// As much as the contract lets an output have, in bytes.
const WHOLE: usize = 64 << 10;

/// One question for each function, all with the same settings.
pub(super) fn questions(seed: u64, settings: &[Value]) -> Vec<Value> {
    let mut chance = Chance::new(seed);
    let settings = &settings[chance.index(settings.len())];
    let question = |interface: &str, input: Value| json!({"interface": format!("{interface}@0.1.0"), "settings": settings, "input": input, "failure": ""});
    let names = |members: &[Value]| members.iter().map(|member| member["name"].clone()).collect::<Vec<_>>();
    let (candidates, members, primaries) = (members(&mut chance), members(&mut chance), members(&mut chance));
    vec![
        question("sequence", json!({"output": output(&mut chance)})),
        question("seed", json!({"candidates": candidates})),
        question("primaries", json!({"members": members})),
        question("replicas", json!({"member": member(&mut chance, 0), "primaries": names(&primaries)})),
        question("metadata", json!({})),
    ]
}

/// The question in the SDK's types.
pub(super) fn of_sdk(question: &Value) -> Record {
    serde_json::from_value(question.clone()).unwrap()
}

/// The question in the operator's types.
pub(super) fn of_operator(question: &Value) -> operator::policy::record::Record {
    serde_json::from_value(question.clone()).unwrap()
}

fn output(chance: &mut Chance) -> Value {
    let exit_code = if chance.one_in(4) { [1, 126, -1, i32::MAX, i32::MIN][chance.index(5)] } else { 0 };
    json!({
        "replica": name(chance, 0), "exitCode": exit_code, "stdout": text(chance), "stderr": text(chance),
        "truncated": chance.one_in(8), "extra": pairs(chance),
    })
}

/// Half of the time one number between blanks; else anything, and sometimes as much as there may be.
fn text(chance: &mut Chance) -> String {
    let number = match chance.below(3) {
        0 => chance.between(0, u64::MAX - 1).to_string(),
        1 => chance.below(1000).to_string(),
        _ => PIECES[chance.index(NUMBERS)].to_owned(),
    };
    if chance.one_in(2) {
        let mut blank = || chance.pick(&["", " ", "\n", "\r\n\t"]).unwrap();
        return format!("{}{number}{}", blank(), blank());
    }
    let pieces: String = (0..chance.below(4)).map(|_| chance.pick(&PIECES).unwrap()).collect();
    let text = if chance.one_in(2) { pieces } else { pieces + &number };
    match chance.below(8) {
        0 => text.repeat(30),
        1 if !text.is_empty() => text.repeat(WHOLE / text.len()),
        _ => text,
    }
}

fn members(chance: &mut Chance) -> Vec<Value> {
    (0..chance.below(7)).map(|index| member(chance, index)).collect()
}

/// A member of whom all is known, or little. Ordinals and positions are often those of others.
fn member(chance: &mut Chance, index: u64) -> Value {
    let position = match chance.below(4) {
        0 => Value::Null,
        1 => json!({"history": history(chance)}),
        _ => json!({"ordinal": number(chance)}),
    };
    let ordinal = [None, Some(0), Some(1), Some(2), Some(10), Some(u32::MAX)][chance.index(6)];
    let created_at = [None, Some(0), Some(1_760_000_000), Some(u64::MAX)][chance.index(4)];
    json!({
        "name": name(chance, index), "ordinal": ordinal, "createdAt": created_at, "position": position,
        "facts": pairs(chance), "extra": pairs(chance),
    })
}

fn number(chance: &mut Chance) -> u64 {
    [0, 1, 7, 7, u64::MAX - 1, u64::MAX, chance.between(0, u64::MAX - 1)][chance.index(7)]
}

/// Up to three sources of up to three intervals that lie apart.
fn history(chance: &mut Chance) -> Map<String, Value> {
    let mut sources = Map::new();
    for source in ["integer", "4f2c7d6e-9f1b-11ee-8c90-0242ac120002", "\u{e9}"] {
        if chance.one_in(2) {
            let mut from = chance.below(100);
            let mut intervals = Vec::new();
            for _ in 0..chance.between(1, 3) {
                let last = from + chance.below(1 << 40);
                intervals.push(json!({"first": from, "last": last}));
                from = last + 2 + chance.below(1 << 40);
            }
            sources.insert(source.to_owned(), intervals.into());
        }
    }
    sources
}

/// A name that no other member has, of odd letters too.
fn name(chance: &mut Chance, index: u64) -> String {
    let stem = ["db-", "", "z", "\u{e9}", "a b", "\u{1f4a5}", "\n"][chance.index(7)];
    format!("{stem}{index}")
}

fn pairs(chance: &mut Chance) -> Map<String, Value> {
    let count = chance.below(3);
    (0..count)
        .map(|index| (format!("{}{index}", chance.pick(&PIECES).unwrap()), text(chance).into()))
        .collect()
}
