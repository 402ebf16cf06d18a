use serde_json::json;

use super::*;

/// A folder of its own, with a component in it and a record of what that answered.
struct Recorded {
    folder: PathBuf,
    record: Value,
}

impl Recorded {
    /// As the operator would have recorded it: the replay of a record without an answer tells what that is.
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let component = folder.join("policy.wasm");
        std::fs::write(&component, guest::answers(guest::UNREADABLE)).unwrap();
        let question =
            json!({"interface": "sequence@0.1.0", "input": {"output": {"stdout": "7\n"}}, "failure": "?"});
        let mut recorded = Self { folder, record: question };
        let here = recorded.replay(&recorded.record, &["--with", component.to_str().unwrap()]).json();
        let here = &here["records"][0]["here"];
        let host = operator::policy::record::Build::this();
        let more = json!({"answer": here["outcome"]["answer"], "fuel": here["fuel"],
            "policy": {"digest": here["digest"]}, "host": host, "set": {"namespace": "db", "name": "galera"}});
        let record = recorded.record.as_object_mut().unwrap();
        record.remove("failure");
        record.extend(more.as_object().unwrap().clone());
        recorded
    }

    fn replay(&self, record: &Value, words: &[&str]) -> Told {
        let file = self.folder.join("record.json");
        std::fs::write(&file, record.to_string()).unwrap();
        run(tool(&["replay", "-o", "json"]).arg(file).args(words))
    }

    fn text(&self, words: &[&str]) -> Told {
        run(tool(&["replay"]).arg(self.folder.join("record.json")).args(words))
    }
}

#[test]
fn a_decision_is_the_same_again_by_the_component_that_took_it() {
    let recorded = Recorded::new("replay-same");
    let told = recorded.replay(&json!([recorded.record, recorded.record]), &[]);
    assert_eq!(told.code, Some(0), "{}", told.err);
    let report = told.json();
    assert_eq!((&report["identical"], report["records"].as_array().unwrap().len()), (&json!(true), 2));
    assert_eq!(report["records"][0]["fuel"], "same");
    let text = recorded.text(&[]);
    assert!(text.out.contains("same    1 sequence@0.1.0 (db/galera): "), "{}", text.out);
    assert!(text.out.ends_with("2 of 2 decisions are the same\n"), "{}", text.out);
}

#[test]
fn another_build_that_decides_otherwise_is_shown_line_by_line() {
    let recorded = Recorded::new("replay-other");
    let other = file("other.wasm", guest::answers(guest::ORDINAL_42));
    let told = recorded.replay(&recorded.record, &["--with", other.to_str().unwrap()]);
    assert_eq!(told.code, Some(1));
    assert_eq!(told.json()["records"][0]["fuel"], "otherComponent");
    let text = recorded.text(&["--with", other.to_str().unwrap()]);
    for line in ["DIFFERS 1 sequence@0.1.0", "  -     \"reading\": \"unreadable\",", "\"ordinal\": 42"] {
        assert!(text.out.contains(line), "{line}: {}", text.out);
    }
}

#[test]
fn fuel_that_differs_is_a_difference_for_the_same_component_and_build_alone() {
    let recorded = Recorded::new("replay-fuel");
    let mut record = recorded.record.clone();
    record["fuel"] = json!(record["fuel"].as_u64().unwrap() + 1);
    let told = recorded.replay(&record, &[]);
    assert_eq!((told.code, &told.json()["records"][0]["fuel"]), (Some(1), &json!("different")));
    record["host"]["arch"] = json!("other");
    let told = recorded.replay(&record, &[]);
    assert_eq!((told.code, &told.json()["records"][0]["fuel"]), (Some(0), &json!("otherBuild")));
}

#[test]
fn what_a_record_does_not_say_is_not_made_up() {
    let recorded = Recorded::new("replay-unsaid");
    let component = recorded.folder.join("policy.wasm");
    let with = ["--with", component.to_str().unwrap()];
    let mut record = recorded.record.clone();
    record.as_object_mut().unwrap().remove("host");
    let told = recorded.replay(&record, &with);
    assert_eq!((told.code, &told.json()["records"][0]["fuel"]), (Some(0), &json!("unknownBuild")));
    assert!(recorded.text(&with).out.contains("and the record does not say what ran it"));
    record.as_object_mut().unwrap().remove("policy");
    record["answer"]["reading"] = json!("empty");
    let told = recorded.replay(&record, &with).json();
    let replayed = &told["records"][0];
    assert_eq!((&replayed["fuel"], &replayed["then"]["digest"]), (&json!("unknownComponent"), &Value::Null));
    let text = recorded.text(&with).out;
    assert!(text.contains("- the record, which does not say who was asked"), "{text}");
    assert!(!text.contains("largest-integer") && !text.contains("another component"), "{text}");
}

#[test]
fn a_component_that_is_not_here_is_named_with_the_places_that_were_searched() {
    let recorded = Recorded::new("replay-missing");
    let mut record = recorded.record.clone();
    let digest = format!("sha256:{}", "0".repeat(64));
    record["policy"]["digest"] = json!(digest);
    let told = recorded.replay(&record, &[]);
    assert_eq!((told.code, &told.json()["identical"]), (Some(1), &json!(false)));
    let text = recorded.text(&[]);
    for part in ["MISSING 1 ", &digest, "--with", "target/policies", recorded.folder.to_str().unwrap()] {
        assert!(text.out.contains(part), "{part}: {}", text.out);
    }
    let mut unnamed = record.clone();
    unnamed.as_object_mut().unwrap().remove("policy");
    let told = recorded.replay(&json!([record, recorded.record, unnamed]), &[]);
    assert_eq!(told.code, Some(1), "the others were the same, and not all were asked");
    let text = recorded.text(&[]).out;
    for part in ["MISSING 1 ", "same    2 ", "MISSING 3 ", "it names no component"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.ends_with("1 of 1 decisions are the same, 2 lack their component\n"), "{text}");
}

#[test]
fn what_is_no_record_is_told_and_keeps_none_of_the_others_from_being_taken_again() {
    let recorded = Recorded::new("replay-no-record");
    let mut misspelt = recorded.record.clone();
    misspelt["policy"] = json!({"digst": misspelt["policy"]["digest"]});
    let told = recorded.replay(&json!([{"a": 1}, recorded.record, misspelt, 7]), &[]);
    assert_eq!((told.code, &told.json()["identical"]), (Some(1), &json!(false)), "not all were asked");
    assert_eq!(
        told.json()["records"][2]["noRecord"].as_str().map(|why| why.starts_with("policy.digst ")),
        Some(true)
    );
    let text = recorded.text(&[]).out;
    for part in
        ["NO RECORD 1: ", "same    2 ", "NO RECORD 3: policy.digst is none of policy.name, ", "NO RECORD 4: "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.ends_with("1 of 1 decisions are the same, 3 are no records\n"), "{text}");
}

#[test]
fn a_name_that_no_record_has_is_told_as_passed_over() {
    let recorded = Recorded::new("replay-passed-over");
    let mut misspelt = recorded.record.clone();
    misspelt["setings"] = json!({"monotonic": true});
    let told = recorded.replay(&json!([misspelt, recorded.record]), &[]);
    assert_eq!(told.code, Some(0), "{}", told.err);
    let passed_over = |number: usize| told.json()["records"][number]["passedOver"].clone();
    assert_eq!((passed_over(0), passed_over(1)), (json!(["setings"]), Value::Null));
    let text = recorded.text(&[]).out;
    assert_eq!(text.matches("\n  a record has no setings: passed over\n").count(), 1, "{text}");
}

#[test]
fn a_record_of_a_component_that_it_does_not_name_whole_is_none_of_the_operators_own_policy() {
    let recorded = Recorded::new("replay-half-named");
    let mut half = of_the_default(json!({}));
    half["policy"] = json!({"name": "galera", "version": "0.1.0"});
    let told = recorded.replay(&half, &[]);
    assert_eq!(told.code, Some(1));
    let missing = told.json()["records"][0]["missing"].clone();
    assert!(
        missing.as_str().unwrap().contains("no component by policy.digest; name one by --with"),
        "{missing}"
    );
}

#[test]
fn records_are_taken_from_standard_input_too() {
    let recorded = Recorded::new("replay-input");
    let (reader, mut writer) = std::io::pipe().unwrap();
    let text = recorded.record.to_string();
    let written =
        std::thread::spawn(move || std::io::Write::write_all(&mut writer, text.as_bytes()).unwrap());
    let told = run(tool(&["replay", "-"]).current_dir(&recorded.folder).stdin(reader));
    written.join().unwrap();
    assert_eq!(told.code, Some(0), "{}", told.err);
    assert!(told.out.ends_with("1 of 1 decisions are the same\n"), "{}", told.out);
    let told = run(tool(&["replay", "-"]).stdin(std::process::Stdio::null()));
    assert!(told.code == Some(1) && told.err.contains("standard input is not JSON"), "{}", told.err);
}

/// What the operator's own policy answers for a component that exports no `primaries`.
fn of_the_default(settings: Value) -> Value {
    let member = |name: &str, ordinal: u32| json!({"name": name, "ordinal": ordinal, "position": {"ordinal": ordinal}});
    json!({"interface": "primaries@0.1.0", "settings": settings, "policy": {},
        "input": {"members": [member("db-0", 0), member("db-1", 1)]},
        "answer": {"ordering": ["db-1", "db-0"], "why": "largest position first, unknown ones last, equals by number, or by name where there are no numbers"}})
}

#[test]
fn decisions_of_a_component_and_of_the_operators_own_policy_are_taken_again_from_one_file() {
    let recorded = Recorded::new("replay-mixed");
    let component = recorded.folder.join("policy.wasm");
    let all = json!([recorded.record, of_the_default(json!({})), of_the_default(json!({"monotonic": true}))]);
    for words in [&[][..], &["--with", component.to_str().unwrap()]] {
        let told = recorded.replay(&all, words);
        assert_eq!(told.code, Some(0), "{}{}", told.out, told.err);
        assert_eq!(told.json()["records"][1]["fuel"], "notCounted");
        let text = recorded.text(words);
        assert!(text.out.ends_with("3 of 3 decisions are the same\n"), "{}", text.out);
    }
    let mut other = of_the_default(json!({}));
    other["answer"]["ordering"] = json!(["db-0", "db-1"]);
    assert_eq!(recorded.replay(&json!([recorded.record, other]), &[]).code, Some(1));
    assert!(recorded.text(&[]).out.contains("+ here, policy largest-integer"));
}

#[test]
fn what_cannot_be_taken_again_is_told_and_is_no_difference() {
    let recorded = Recorded::new("replay-cut");
    let mut cut = recorded.record.clone();
    cut["cut"] = json!(70_000);
    let all = json!([cut, of_the_default(json!({"text": "of a component"})), recorded.record]);
    let told = recorded.replay(&all, &[]);
    assert_eq!(told.code, Some(0), "{}{}", told.out, told.err);
    let text = recorded.text(&[]).out;
    for part in [
        "not taken again 1 sequence@0.1.0 (db/galera): 70000 bytes",
        "not taken again 2 primaries@0.1.0: ",
        "1 of 1 decisions are the same, 2 could not be taken again",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn where_nothing_could_be_taken_again_nothing_is_called_the_same() {
    let recorded = Recorded::new("replay-nothing");
    let mut cut = recorded.record.clone();
    cut["cut"] = json!(70_000);
    let told = recorded.replay(&json!([cut]), &[]);
    assert_eq!((told.code, &told.json()["identical"]), (Some(1), &json!(false)));
    assert!(recorded.text(&[]).out.ends_with("nothing was compared: 1 could not be taken again\n"));
    for nothing in [json!([]), json!({"decisions": []})] {
        let told = recorded.replay(&nothing, &[]);
        assert_eq!(told.code, Some(1));
        assert!(told.err.contains("holds no record"), "{}", told.err);
    }
}
