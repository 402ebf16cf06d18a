use super::*;

/// The properties by whether they held.
fn properties(report: &Value, held: &str) -> Vec<String> {
    let all = report["properties"].as_array().unwrap().iter();
    all.filter(|one| one["held"] == held).map(|one| one["property"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_policy_that_conforms_is_told_with_each_property_and_the_fuel_that_is_left() {
    let file = file("conforms.wasm", guest::answers(guest::UNREADABLE));
    let json = told(&["conform", file.to_str().unwrap(), "-o", "json"]);
    let report = json.json();
    assert_eq!((json.code, &report["conforms"]), (Some(0), &Value::from(true)));
    assert_eq!(properties(&report, "no"), [""; 0]);
    let not_tried = ["NamesAreKnown", "OrdersAreWhole", "OrderMeansNothing"];
    assert_eq!(properties(&report, "notTried"), not_tried, "it exports sequence alone");
    assert_eq!(properties(&report, "yes").len(), 7);
    let (most, limit) = (report["fuel"]["most"].as_u64().unwrap(), report["fuel"]["limit"].as_u64().unwrap());
    assert!(most > 0 && most < limit, "{most} of {limit}");
    let text = told(&["conform", file.to_str().unwrap()]);
    assert_eq!(text.code, Some(0));
    assert!(
        text.out.contains("-       not tried: ")
            && text.out.contains("units of fuel")
            && text.out.ends_with("conforms.wasm conforms\n"),
        "{}",
        text.out
    );
}

#[test]
fn each_property_that_does_not_hold_is_shown_with_the_question_that_shows_it() {
    let file = file("broken.wasm", guest::answers(guest::ORDINAL_42));
    let json = told(&["conform", file.to_str().unwrap(), "-o", "json"]);
    let report = json.json();
    assert_eq!((json.code, &report["conforms"]), (Some(1), &Value::from(false)));
    let broken = ["FailureIsUnreadable", "CutIsUnreadable", "NothingIsNoPosition", "NoiseIsUnreadable"];
    assert_eq!(properties(&report, "no"), broken);
    let failure = &report["properties"][2];
    assert_eq!(failure["property"], "FailureIsUnreadable");
    assert_eq!(failure["counterexamples"][0]["interface"], "sequence@0.1.0");
    assert_ne!(failure["counterexamples"][0]["input"]["output"]["exitCode"], 0);
    let text = told(&["conform", file.to_str().unwrap()]);
    assert_eq!(text.code, Some(1));
    assert!(
        text.out.contains("BROKEN  FailureIsUnreadable") && text.out.contains("does not conform"),
        "{}",
        text.out
    );
}

#[test]
fn settings_that_the_policy_does_not_take_are_told_before_anything_is_tried() {
    let file = file("settings.wasm", guest::answers(guest::UNREADABLE));
    let told = told(&["conform", file.to_str().unwrap(), "--settings", r#"{"a": 1}"#]);
    assert_eq!((told.code, told.out.as_str()), (Some(1), ""));
    assert!(told.err.contains("--settings") && told.err.contains("takes no settings"), "{}", told.err);
}

#[test]
fn settings_that_are_no_object_are_a_wrong_command_line() {
    let file = file("no-settings.wasm", guest::answers(guest::UNREADABLE));
    for command in ["conform", "bench"] {
        for settings in ["{", "[]", "7", ""] {
            let told = run(tool(&[command, "--settings", settings]).arg(&file));
            assert_eq!(told.code, Some(2), "{command} {settings}: {}", told.err);
            assert!(
                told.err.contains("--settings") && told.err.contains("a JSON object, such as"),
                "{}",
                told.err
            );
        }
    }
}
