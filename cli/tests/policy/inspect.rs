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

#[test]
fn of_what_cannot_be_read_no_export_is_told_and_none_is_denied() {
    let cut = guest::answers(guest::UNREADABLE);
    let cut = file("cut.wasm", &cut[..cut.len() - 7]);
    let text = file("text-of-a-module.wasm", "(module)");
    for file in [&cut, &text, &file("empty.wasm", "")] {
        let shown = run(tool(&["inspect"]).arg(file));
        assert_eq!(shown.code, Some(1));
        for line in ["exports   not known: ", "imports   not known: ", "operator  refuses it: "] {
            assert!(shown.out.contains(line), "{line}: {}", shown.out);
        }
        let json = run(tool(&["inspect", "-o", "json"]).arg(file)).json();
        assert_eq!((&json["exports"], &json["imports"]), (&Value::Null, &Value::Null));
    }
}

#[test]
fn of_a_core_module_it_is_said_what_makes_a_component_of_it() {
    let alone = file("alone.module.wasm", guest::module("", guest::UNREADABLE));
    let wasi = "(import \"wasi_snapshot_preview1\" \"proc_exit\" (func (param i32)))";
    let importing = file("importing.module.wasm", guest::module(wasi, guest::UNREADABLE));
    for file in [&alone, &importing] {
        let shown = run(tool(&["inspect"]).arg(file)).out;
        assert_eq!(shown.matches("kubectl rss policy component MODULE FILE").count(), 1, "{shown}");
        let refused = run(tool(&["conform"]).arg(file));
        assert!(refused.err.contains("kubectl rss policy component MODULE FILE"), "{}", refused.err);
    }
}
