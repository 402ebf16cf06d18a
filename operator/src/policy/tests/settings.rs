//! Settings, and what a policy says of itself.

use super::*;
use crate::policy::answer::Problem;
use crate::policy::guest::Image;
use crate::policy::{Schema, SchemaRefusal, Settings, Undescribed, Unfit};
use serde_json::{Value, json};

const SCHEMA: &str = r#"{"type": "object", "additionalProperties": false,
    "properties": {"monotonic": {"type": "boolean"}, "prefix": {"type": "string", "pattern": "^[a-z]+$"}}}"#;

fn described(texts: [&str; 4]) -> Result<Component, Refusal> {
    load(&Guest::described(Image::metadata(texts, &[])).component())
}

fn settings(value: Value) -> Result<Settings, Unfit> {
    let Value::Object(map) = value else { panic!("an object") };
    Settings::new(map)
}

fn nested(depth: usize) -> Value {
    (1..depth).fold(json!({}), |inner, _| json!({ "a": inner }))
}

#[test]
fn a_policy_says_who_it_is() {
    let component = described(["galera-2", "1.2.0-rc.1+x", "Reads grastate.dat.", SCHEMA]).unwrap();
    let told = component.description().unwrap();
    let texts = [&told.name, &told.version, &told.summary, &told.settings_schema];
    assert_eq!(texts, ["galera-2", "1.2.0-rc.1+x", "Reads grastate.dat.", SCHEMA]);
    assert!(loaded(&Guest::seed()).description().is_none());
}

#[test]
fn a_description_that_cannot_be_shown_or_used_is_refused() {
    let long = "x".repeat(1025);
    let cases = [
        (["Galera", "1.0.0", "", "{}"], Undescribed::Name),
        (["", "1.0.0", "", "{}"], Undescribed::Name),
        ([&long[..64], "1.0.0", "", "{}"], Undescribed::Name),
        (["x", "1.0", "", "{}"], Undescribed::Version),
        (["x", "1.0.x", "", "{}"], Undescribed::Version),
        (["x", "1.0.0\n", "", "{}"], Undescribed::Version),
        (["x", "", "", "{}"], Undescribed::Version),
        (["x", "1.0.0", &long, "{}"], Undescribed::Summary),
        (["x", "1.0.0", "", "[1]"], Undescribed::Schema(Schema::read("[1]").unwrap_err())),
    ];
    for (texts, expected) in cases {
        assert_eq!(described(texts).map(drop), Err(Refusal::Undescribed(expected)), "{texts:?}");
    }
    let trap = Guest::described(Image::metadata(["x", "1.0.0", "", "{}"], &[])).body("(unreachable)");
    let refused = load(&trap.component()).map(drop);
    assert!(matches!(refused, Err(Refusal::Undescribed(Undescribed::Failed(Failure::Trapped(_))))));
}

#[test]
fn a_schema_that_could_take_too_much_is_refused() {
    let refused = |schema: &Value| Schema::read(&schema.to_string()).map(drop);
    for reference in ["$ref", "$dynamicRef", "$recursiveRef"] {
        let schema = json!({"properties": {"a": [{ reference: "#" }]}});
        assert_eq!(refused(&schema), Err(SchemaRefusal::Reference(reference)));
    }
    assert_eq!(refused(&nested(32)), Ok(()));
    assert_eq!(refused(&nested(33)), Err(SchemaRefusal::TooDeep));
    let patterns = |count: usize| json!({"allOf": vec![json!({"pattern": "a"}); count]});
    assert_eq!(refused(&patterns(64)), Ok(()));
    assert_eq!(refused(&patterns(65)), Err(SchemaRefusal::Patterns));
    let large = json!({"pattern": "\\p{L}{100}"});
    assert!(matches!(refused(&large), Err(SchemaRefusal::Invalid(_))));
    let backtracks = json!({"pattern": "(a+)\\1"});
    assert!(matches!(refused(&backtracks), Err(SchemaRefusal::Invalid(_))));
    let elsewhere = json!({"$schema": "https://example.com/schema"});
    assert_eq!(refused(&elsewhere), Err(SchemaRefusal::Draft));
    assert_eq!(refused(&json!({"$schema": "https://json-schema.org/draft/2020-12/schema"})), Ok(()));
    assert!(matches!(refused(&json!({"type": "sting"})), Err(SchemaRefusal::Invalid(_))));
    assert!(matches!(Schema::read("{"), Err(SchemaRefusal::NotJson(_))));
    assert!(matches!(Schema::read(&" ".repeat(65_537)), Err(SchemaRefusal::TooLong(65_537))));
}

#[test]
fn settings_are_bounded_and_the_same_settings_are_the_same_text() {
    assert_eq!(Settings::default().text(), "{}");
    assert_eq!(settings(json!({"b": 1, "a": 2})).unwrap().text(), r#"{"a":2,"b":1}"#);
    assert!(settings(nested(32)).is_ok());
    assert_eq!(settings(nested(33)), Err(Unfit::TooDeep));
    assert_eq!(settings(json!({"a": "x".repeat(65_536)})), Err(Unfit::TooLong(65_544)));
}

#[test]
fn settings_that_do_not_agree_with_the_schema_are_told_by_path() {
    let component = described(["x", "1.0.0", "", SCHEMA]).unwrap();
    let unfit = |value: Value| component.accepts(&settings(value).unwrap());
    assert_eq!(unfit(json!({})), Ok(()));
    assert_eq!(unfit(json!({"monotonic": true, "prefix": "ab"})), Ok(()));
    for (value, path) in [
        (json!({"monotonic": "yes"}), "/monotonic"),
        (json!({"prefix": "A"}), "/prefix"),
        (json!({"monotonics": true}), "/monotonics"),
        (json!({"a/b~": 1}), "/a~1b~0"),
    ] {
        let Err(Unfit::Problems(problems)) = unfit(value) else { panic!("accepted") };
        assert_eq!(problems.iter().map(|p| p.path.as_str()).collect::<Vec<_>>(), [path], "{problems:?}");
    }
    let many: Value = (0..40).map(|n| (format!("x{n}"), json!(1))).collect::<serde_json::Map<_, _>>().into();
    let schema = r#"{"type": "object", "additionalProperties": false}"#;
    let component = described(["x", "1.0.0", "", schema]).unwrap();
    let Err(Unfit::Problems(problems)) = component.accepts(&settings(many).unwrap()) else {
        panic!("accepted")
    };
    assert_eq!(problems.len(), 16);
}

#[test]
fn a_setting_of_a_policy_without_any_is_told_by_its_name() {
    let schema = r#"{"type": "object", "additionalProperties": false}"#;
    let nested = format!(r#"{{"properties": {{"in": {schema}}}}}"#);
    for (schema, value, expected) in [
        (schema, json!({"x": 1}), "/x: there is no such setting"),
        (schema, json!({"x": 1, "y": {}}), "/x: there is no such setting; /y: there is no such setting"),
        (&nested, json!({"in": {"x": 1}}), "/in/x: there is no such setting"),
    ] {
        let component = described(["x", "1.0.0", "", schema]).unwrap();
        let refused = component.accepts(&settings(value).unwrap()).unwrap_err();
        assert_eq!(refused.to_string(), expected);
    }
}

#[test]
fn what_the_policy_itself_finds_wrong_is_told_too() {
    let found = [("/monotonic", "it must be true"), ("", "no")];
    let guest = Guest::described(Image::metadata(["x", "1.0.0", "", "{}"], &found));
    let problem = |(path, message): (&str, &str)| Problem { path: path.into(), message: message.into() };
    let expected = Unfit::Problems(found.map(problem).to_vec());
    assert_eq!(expected.to_string(), "/monotonic: it must be true; : no");
    assert_eq!(loaded(&guest).accepts(&Settings::default()), Err(expected));
    let trap = loaded(&guest.check("(unreachable)")).accepts(&Settings::default());
    assert!(matches!(trap, Err(Unfit::Failed(Failure::Trapped(_)))), "{trap:?}");
}

#[test]
fn settings_for_a_policy_without_metadata_are_not_ignored() {
    let component = loaded(&Guest::seed());
    assert_eq!(component.accepts(&Settings::default()), Ok(()));
    assert_eq!(component.accepts(&settings(json!({"a": 1})).unwrap()), Err(Unfit::NoneTaken));
}

#[test]
fn settings_and_a_schema_that_are_large_together_are_refused_by_the_product() {
    let constants: Vec<Value> = (0..1_000).map(|number| json!({ "const": number })).collect();
    let schema = json!({"properties": {"a": {"items": {"anyOf": constants}}}}).to_string();
    let component = described(["x", "1.0.0", "", &schema]).unwrap();
    let zeros = |count: usize| settings(json!({"a": vec![-1; count]})).unwrap();
    let Err(Unfit::Problems(problems)) = component.accepts(&zeros(90)) else { panic!("accepted") };
    assert_eq!(problems.iter().map(|p| p.path.as_str()).collect::<Vec<_>>(), ["/a/0"]);
    let refused = component.accepts(&zeros(1_000)).unwrap_err();
    assert_eq!(refused, Unfit::TooMuch(2_009_010));
    assert!(refused.to_string().contains("at most 200000"), "{refused}");
    let long = json!({"properties": {"a": {"items": {"const": "x".repeat(60_000)}}}}).to_string();
    let component = described(["x", "1.0.0", "", &long]).unwrap();
    assert!(matches!(component.accepts(&zeros(1_000)), Err(Unfit::TooMuch(_))));
}
