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
fn what_a_component_takes_is_measured_for_each_interface_and_beside_the_policy_without_one() {
    let file = file("measured.wasm", guest::answers(guest::ORDINAL_42));
    let told = told(&["bench", file.to_str().unwrap(), "-o", "json"]);
    assert_eq!(told.code, Some(0), "{}", told.err);
    let policy = &told.json()["policies"][0];
    let calls = policy["calls"].as_array().unwrap();
    assert!(calls.len() == 1 && calls[0]["interface"] == "sequence", "{policy}");
    for figure in [&policy["compileMilliseconds"], &calls[0]["microseconds"], &told.json()["native"]["seed"]]
    {
        assert!(figure.as_f64() > Some(0.0), "{}", told.out);
    }
    assert_eq!(policy["size"], std::fs::metadata(&file).unwrap().len());
}

#[test]
fn what_a_policy_refuses_is_no_measure_of_what_deciding_takes() {
    let file = file("refusing.wasm", guest::answers(guest::UNREADABLE));
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies/galera/fixtures");
    for words in [&[][..], &["--fixtures", fixtures.to_str().unwrap()]] {
        let told = told(&[&["bench", file.to_str().unwrap()][..], words].concat());
        assert_eq!((told.code, told.out.as_str()), (Some(1), ""));
        assert!(told.err.contains("sequence: it refuses what it is asked"), "{}", told.err);
    }
}
