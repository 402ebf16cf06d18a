use serde_json::json;

use super::registry::Registry;
use super::*;

/// A registry with a policy under a tag, and the policy's bytes.
fn pushed(name: &str, bytes: Vec<u8>) -> (Registry, String, Vec<u8>) {
    let registry = Registry::up(None, None);
    let (component, image) = (file(name, &bytes), format!("{}/team/policy:1", registry.host));
    let told = told(&["push", component.to_str().unwrap(), &image, "--plain-http"]);
    assert_eq!(told.code, Some(0), "{}", told.err);
    (registry, image, bytes)
}

#[test]
fn what_is_pulled_is_what_was_pushed_and_no_other_file_is_written_over() {
    let (_registry, image, bytes) = pushed("to-be-pulled.wasm", guest::answers(guest::UNREADABLE));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pulled.wasm");
    let _ = std::fs::remove_file(&target);
    let pull = || told(&["pull", &image, target.to_str().unwrap(), "--plain-http"]);
    for time in ["first", "again"] {
        let told = pull();
        assert_eq!((told.code, told.out.trim()), (Some(0), target.to_str().unwrap()), "{time}: {}", told.err);
        assert_eq!(std::fs::read(&target).unwrap(), bytes);
    }
    std::fs::write(&target, "mine").unwrap();
    let told = pull();
    assert_eq!(told.code, Some(1));
    assert!(told.err.contains("holds something else"), "{}", told.err);
    assert_eq!(std::fs::read(&target).unwrap(), b"mine");
}

#[test]
fn where_no_file_can_be_written_nothing_is_fetched() {
    let registry = Registry::up(None, None);
    let image = format!("{}/team/policy:1", registry.host);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pulled-into");
    std::fs::create_dir_all(&folder).unwrap();
    let nowhere = folder.join("nodir/a.wasm");
    for (file, code, why) in [
        (folder.to_str().unwrap(), 1, "pulled-into is a folder; name a file in it, such as "),
        (nowhere.to_str().unwrap(), 1, "pulled-into/nodir; make it, or name another file"),
        ("-", 2, "name a file (./- is one of that name)"),
    ] {
        let told = told(&["pull", &image, file, "--plain-http"]);
        assert_eq!(told.code, Some(code), "{}", told.err);
        assert!(told.err.contains(why), "{why}: {}", told.err);
        assert!(!told.err.contains("remove it"), "{}", told.err);
    }
    assert_eq!(registry.seen(), Vec::<String>::new());
    assert_eq!(told(&["component", "module.wasm", "-"]).code, Some(2));
}

#[test]
fn what_is_not_in_a_registry_is_told_with_what_to_do() {
    let registry = Registry::up(None, None);
    let told = told(&["pull", &format!("{}/team/policy:1", registry.host), "--plain-http"]);
    assert_eq!(told.code, Some(1));
    assert!(told.err.contains("(404); correct the name, or push it there first"), "{}", told.err);
}

#[test]
fn what_a_registry_says_of_an_image_is_shown_without_a_download() {
    let texts = ["my-db", "1.2.3", "Reads nothing of my-db.", r#"{"type": "object"}"#];
    let (registry, image, bytes) = pushed("claimed.wasm", guest::described(texts));
    let before = registry.seen().len();
    let json = told(&["inspect", &image, "--claims", "--plain-http", "-o", "json"]).json();
    assert_eq!(
        json["exports"],
        json!(["clusterlabs:policy/sequence@0.1.0", "clusterlabs:policy/metadata@0.1.0"])
    );
    assert_eq!(json["size"], json!(bytes.len()));
    let claimed = [&json["title"], &json["version"], &json["description"]];
    assert_eq!(claimed, ["my-db", "1.2.3", "Reads nothing of my-db."]);
    let text = told(&["inspect", &image, "--claims", "--plain-http"]).out;
    for line in ["title     my-db\n", "version   1.2.3\n", "summary   Reads nothing of my-db.\n"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let component = json["component"].as_str().unwrap();
    let asked = registry.seen().split_off(before);
    assert!(!asked.iter().any(|request| request.ends_with(component)), "{asked:?}");
}

#[test]
fn what_is_claimed_without_a_description_is_told_as_not_said() {
    let (_registry, image, _) = pushed("undescribed.wasm", guest::answers(guest::UNREADABLE));
    let text = told(&["inspect", &image, "--claims", "--plain-http"]).out;
    for line in ["title     not said\n", "version   not said\n", "summary   not said\n"] {
        assert!(text.contains(line), "{line}: {text}");
    }
}
