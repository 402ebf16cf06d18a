//! `policy test`.

use serde_json::json;

use super::*;

#[test]
fn fixtures_and_records_are_asked_of_the_component_too_and_a_wrong_answer_is_told() {
    let (folder, _turn) = workshop("fixtures");
    let folder = new_crate(&folder);
    // A record of a decision, as it is, with what tells of the call.
    let record = json!({"interface": "sequence@0.1.0", "settings": {}, "fuel": 1, "at": "2026-01-31T10:00:00Z",
        "input": {"output": {"replica": "db-0", "exitCode": 0, "stdout": "a/7\n", "stderr": ""}},
        "answer": {"reading": {"at": {"position": {"history": {"a": [{"first": 0, "last": 7}]}}, "facts": {}}}, "why": ""},
        "policy": {"name": "my-db", "version": "0.1.0", "digest": format!("sha256:{}", "0".repeat(64))}});
    fs::write(folder.join("fixtures/recorded.json"), record.to_string()).unwrap();
    let report = answer(&["policy", "test", "-o", "json"], &folder);
    assert_eq!((&report["passed"], &report["native"]), (&json!(true), &json!(true)));
    assert_eq!(report["fixtures"].as_array().unwrap().len(), 5);
    assert!(report["fuel"].as_u64().unwrap() > 0);

    let wrong = record.to_string().replace("\"last\":7", "\"last\":8");
    fs::write(folder.join("fixtures/recorded.json"), wrong).unwrap();
    let failed = run(&["policy", "test"], &folder);
    let out = String::from_utf8(failed.stdout).unwrap();
    assert_eq!(failed.status.code(), Some(1));
    for line in ["4 of 5 fixtures", "cargo test FAILED"] {
        assert!(out.contains(line), "{line}: {out}");
    }
    let lines: Vec<&str> = out.lines().collect();
    let at = lines.iter().position(|line| line.starts_with("WRONG")).unwrap();
    assert!(lines[at].ends_with("recorded.json, fixture 1, (no name): the answer is another one"), "{out}");
    let told = |line: &str, word: &str| -> Value {
        serde_json::from_str(line.trim().strip_prefix(word).unwrap()).unwrap()
    };
    let last = "/answer/reading/at/position/history/a/0/last";
    for (line, word, number) in [(lines[at + 1], "right: ", 8), (lines[at + 2], "given: ", 7)] {
        assert_eq!(told(line, word).pointer(last), Some(&json!(number)), "{line}");
    }
}

#[test]
fn a_fixture_whose_output_is_not_there_is_told_with_nothing_of_how_others_are_made() {
    let (folder, _turn) = workshop("nowhere");
    let folder = new_crate(&folder);
    let fixture = json!({"interface": "sequence@0.1.0", "input": {"output": {"stdoutFrom": "gone.txt"}}});
    fs::write(folder.join("fixtures/gone.json"), fixture.to_string()).unwrap();
    let failed = run(&["policy", "test"], &folder);
    let err = String::from_utf8(failed.stderr).unwrap();
    assert_eq!(failed.status.code(), Some(1));
    assert!(err.contains("gone.json: fixture 1: ") && err.contains("gone.txt: No such file"), "{err}");
    assert!(!err.contains("policy new"), "{err}");
}

#[test]
fn a_crate_without_fixtures_is_told_before_anything_is_built() {
    let (folder, _turn) = workshop("none");
    let folder = new_crate(&folder);
    fs::remove_dir_all(folder.join("fixtures")).unwrap();
    let failed = run(&["policy", "test"], &folder);
    let err = String::from_utf8(failed.stderr).unwrap();
    assert!(
        failed.status.code() == Some(1) && err.contains("fixtures") && err.contains("policy new"),
        "{err}"
    );
}
