//! `policy bench`.

use super::*;

#[test]
fn what_a_component_takes_is_measured_for_each_interface_and_beside_the_policy_without_one() {
    let file = file("measured.wasm", guest::answers(guest::ORDINAL_42));
    let told = told(&["bench", file.to_str().unwrap(), "-o", "json"]);
    assert_eq!(told.code, Some(0), "{}", told.err);
    let native = &told.json()["native"];
    let asked: Vec<_> = native.as_object().unwrap().keys().collect();
    assert_eq!(asked, ["sequence"], "it is asked what the component was asked");
    let policy = &told.json()["policies"][0];
    let calls = policy["calls"].as_array().unwrap();
    assert!(calls.len() == 1 && calls[0]["interface"] == "sequence", "{policy}");
    for figure in [&policy["compileMilliseconds"], &calls[0]["microseconds"], &native["sequence"]] {
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

/// A folder of its own with fixtures as `policy new` writes them.
fn crate_with_fixtures(name: &str, fixtures: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(folder.join("fixtures")).unwrap();
    std::fs::write(folder.join("fixtures/read.json"), fixtures).unwrap();
    folder
}

#[test]
fn in_the_folder_of_a_crate_its_own_fixtures_are_asked() {
    let folder = crate_with_fixtures("bench-here", include_str!("../../template/read.json"));
    let component = file("benched-here.wasm", guest::answers(guest::ORDINAL_42));
    let json = run(tool(&["bench", "-o", "json"]).arg(&component).current_dir(&folder));
    assert_eq!(json.code, Some(0), "{}", json.err);
    assert_eq!(json.json()["fixtures"], "fixtures");
    assert_eq!(json.json()["native"]["sequence"], Value::Null, "LINEAGE/NUMBER is no bare number");
    let text = run(tool(&["bench"]).arg(&component).current_dir(&folder)).out;
    for line in ["asked what the fixtures in fixtures ask\n", "sequence   refuses what was asked"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let elsewhere = run(tool(&["bench", "-o", "json"]).arg(&component)).json();
    assert_eq!(elsewhere["fixtures"], Value::Null);
}
