//! The settings are read and described by hand; this compares that with what serde and schemars make of the type.

use largest_integer::LargestInteger;
use policy_sdk::Settings;
use schemars::JsonSchema;
use serde::Deserialize;

mod derived {
    use super::{Deserialize, JsonSchema};

    /// The policy with its settings.
    #[derive(Debug, Default, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    pub(crate) struct LargestInteger {
        /// The number only ever grows with the data, so it is a history: marks and divergence
        /// hold across outages.
        pub(crate) monotonic: bool,
    }
}

#[test]
fn the_schema_is_that_of_the_type() {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("it is JSON");
    assert_eq!(read(&LargestInteger::schema()), read(&<derived::LargestInteger as Settings>::schema()));
}

/// Texts of all pieces, up to so many in a row: right ones, half ones and nonsense.
fn texts() -> Vec<String> {
    const PIECES: [&str; 13] =
        ["{", "}", "\"monotonic\"", ":", "true", "false", ",", " ", "null", "[", "1", "\"other\"", "\u{a0}"];
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..5 {
        let longer = |text: &String| PIECES.map(|piece| format!("{text}{piece}"));
        last = last.iter().flat_map(longer).collect();
        all.extend_from_slice(&last);
    }
    all
}

/// More than pieces in a row come to.
const HOSTILE: [&str; 22] = [
    "{\"monotonic\":true,\"monotonic\":false}",
    "{\"monotonic\":true,\"monotonic\":true}",
    "{\"monotonic\":true,\"other\":1}",
    "{\"other\":1,\"monotonic\":true}",
    "{\"monotonic\":true,}",
    "{,\"monotonic\":true}",
    "{\"monotonic\":{\"monotonic\":true}}",
    "{\"monotonic\":[true]}",
    "{\"monotonic\":\"true\"}",
    "{\"monotonic\":True}",
    "{\"Monotonic\":true}",
    "{\"monotonic \":true}",
    "{'monotonic':true}",
    "{monotonic:true}",
    "{\"\":true}",
    "{\"monotonic\":true}//",
    "\u{feff}{\"monotonic\":true}",
    "{\"monotonic\":\u{c}true}",
    "{\"monotonic\":true\u{0}}",
    "{\"monotonic\":tru",
    "\r\n{\t\"monotonic\"\n:\r false }\n",
    "{\"monotonic\":1e400}",
];

#[test]
fn the_same_texts_are_settings_and_mean_the_same_as_by_the_type() {
    let (mut right, mut wrong) = (0, 0);
    for text in texts().iter().map(String::as_str).chain(HOSTILE) {
        let derived = serde_json::from_str::<derived::LargestInteger>(text).map(|derived| derived.monotonic);
        let read = LargestInteger::read(text).map(|read| read.monotonic);
        assert_eq!(read.as_ref().ok(), derived.as_ref().ok(), "{text:?}: {read:?}, {derived:?}");
        if read.is_ok() { right += 1 } else { wrong += 1 }
    }
    assert!(right > 3 && wrong > 100_000, "{right} {wrong}");
}

#[test]
fn what_is_refused_is_told_with_its_field() {
    for (text, told) in [
        (r#"{"monotonic":"yes"}"#, "/monotonic: "),
        (r#"{"monotonic":true,"other":1}"#, "/monotonic: "),
        (r#"{"monotonics":true}"#, "monotonics"),
        ("[]", "not an object: "),
    ] {
        let why = LargestInteger::read(text).expect_err(text);
        assert!(why.contains(told), "{text}: {why}");
    }
    let long = format!(r#"{{"monotonic":"{}"}}"#, "x".repeat(10_000));
    assert!(LargestInteger::read(&long).expect_err("a long one").len() < 250, "of much a little is told");
}

/// The host writes settings anew before a policy gets them, so it gets no such name.
#[test]
fn a_name_with_escapes_is_refused_where_the_type_would_take_it() {
    let text = r#"{"m\u006fnotonic":true}"#;
    assert!(serde_json::from_str::<derived::LargestInteger>(text).is_ok());
    assert!(LargestInteger::read(text).is_err());
}
