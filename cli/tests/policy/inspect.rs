use ring::digest::{SHA256, digest};
use serde_json::json;

use super::*;

#[test]
fn a_policy_is_shown_with_what_the_operator_knows_of_it() {
    let bytes = guest::answers(guest::UNREADABLE);
    let file = file("inspected.wasm", &bytes);
    let json = told(&["inspect", file.to_str().unwrap(), "-o", "json"]);
    let hex: String = digest(&SHA256, &bytes).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let expected = json!({
        "path": file, "size": bytes.len(), "digest": format!("sha256:{hex}"),
        "name": null, "version": null, "summary": null, "settingsSchema": null, "refusal": null,
        "exports": ["clusterlabs:policy/sequence@0.1.0"], "imports": [],
    });
    assert_eq!((json.code, json.json()), (Some(0), expected));
    let text = told(&["inspect", file.to_str().unwrap()]);
    for line in ["imports   none", "exports   clusterlabs:policy/sequence@0.1.0", "operator  takes it"] {
        assert!(text.out.contains(line), "{line}: {}", text.out);
    }
}

#[test]
fn what_a_component_imports_is_named_with_the_way_to_be_without_it() {
    let file = file("importing.wasm", guest::importing());
    let text = told(&["inspect", file.to_str().unwrap()]);
    assert_eq!(text.code, Some(1));
    for line in ["imports   clock\n", "kubectl rss policy build", "operator  refuses it: it imports clock"] {
        assert!(text.out.contains(line), "{line}: {}", text.out);
    }
}

#[test]
fn a_module_is_told_from_a_component_and_its_imports_are_named_too() {
    let wasi =
        "(import \"wasi_snapshot_preview1\" \"clock_time_get\" (func (param i32 i64 i32) (result i32)))";
    let file = file("module.wasm", guest::module(wasi, guest::UNREADABLE));
    let told = told(&["inspect", file.to_str().unwrap(), "-o", "json"]);
    assert_eq!(told.code, Some(1));
    assert_eq!(told.json()["imports"], json!(["wasi_snapshot_preview1 clock_time_get"]));
    assert!(told.json()["refusal"].as_str().unwrap().contains("a core module and not a component"));
}
