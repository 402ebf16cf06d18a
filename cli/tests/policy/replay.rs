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
fn a_component_that_is_not_here_is_named_with_the_places_that_were_searched() {
    let recorded = Recorded::new("replay-missing");
    let mut record = recorded.record.clone();
    let digest = format!("sha256:{}", "0".repeat(64));
    record["policy"]["digest"] = json!(digest);
    let told = recorded.replay(&record, &[]);
    assert_eq!(told.code, Some(1));
    for part in [&digest, "--with", "target/policies", recorded.folder.to_str().unwrap()] {
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
    record.as_object_mut().unwrap().remove("policy");
    assert!(recorded.replay(&record, &[]).err.contains("it names no component"));
    assert!(recorded.replay(&json!({"a": 1}), &[]).err.contains("number 1 is no record"));
}
