use serde_json::json;

use super::*;

/// Makes a component of a module in a file of this name.
fn made(name: &str, module: &[u8]) -> (Told, PathBuf) {
    let module = file(&format!("{name}.module.wasm"), module);
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).join("policy.wasm");
    std::fs::create_dir_all(out.parent().unwrap()).unwrap();
    let _ = std::fs::remove_file(&out);
    let told = told(&["component", module.to_str().unwrap(), out.to_str().unwrap(), "-o", "json"]);
    (told, out)
}

#[test]
fn a_module_of_any_compiler_becomes_a_component_that_the_operator_takes() {
    let (made, out) = made("any-compiler", &guest::module("", guest::UNREADABLE));
    assert_eq!(made.code, Some(0), "{}", made.err);
    assert_eq!(made.json()["exports"], json!(["clusterlabs:policy/sequence@0.1.0"]));
    assert_eq!(made.json()["path"], json!(out));
    let conform = told(&["conform", out.to_str().unwrap()]);
    assert_eq!(conform.code, Some(0), "{}{}", conform.out, conform.err);
}

#[test]
fn a_module_that_tells_its_types_itself_keeps_them() {
    let mut resolve = wit_parser::Resolve::default();
    let package = resolve.push_str("policy.wit", include_str!("../../../wit/policy.wit")).unwrap();
    let world = resolve.select_world(&[package], Some("sequence-policy")).unwrap();
    let mut module = guest::module("", guest::UNREADABLE);
    let strings = wit_component::StringEncoding::UTF16;
    wit_component::embed_component_metadata(&mut module, &resolve, world, strings).unwrap();
    let (made, out) = made("own-types", &module);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let inspect = told(&["inspect", out.to_str().unwrap()]);
    assert!(inspect.out.contains("its strings are UTF-16"), "{}", inspect.out);
}

#[test]
fn what_makes_no_policy_is_refused_with_what_would_be_right() {
    let text = |module: &str| wat::parse_str(module).unwrap();
    let export = |name: &str| text(&format!("(module (func (export \"{name}\")))"));
    let wasi = "(import \"wasi_snapshot_preview1\" \"proc_exit\" (func (param i32)))";
    let cases = [
        ("component", guest::answers(guest::UNREADABLE), "is a component already"),
        ("text", b"(module)".to_vec(), "what the linker made, and not text"),
        ("nothing", text("(module)"), "such as clusterlabs:policy/seed@0.1.0#choose"),
        (
            "version",
            export("clusterlabs:policy/seed@0.2.0#choose"),
            "the contract has clusterlabs:policy/sequence@0.1.0",
        ),
        ("function", export("clusterlabs:policy/seed@0.1.0#chose"), "function `choose`"),
        ("parameters", export("clusterlabs:policy/seed@0.1.0#choose"), "choose"),
        (
            "import",
            guest::module(wasi, guest::UNREADABLE),
            "build it for wasm32-unknown-unknown, without WASI",
        ),
        ("cut", guest::module("", guest::UNREADABLE)[..100].to_vec(), "cut.module.wasm"),
    ];
    for (name, module, wanted) in cases {
        let (made, out) = made(name, &module);
        assert_eq!(made.code, Some(1), "{name}");
        assert!(
            made.err.contains(&format!("{name}.module.wasm")) && made.err.contains(wanted),
            "{name}: {}",
            made.err
        );
        assert!(!out.exists(), "{name}: it was written");
    }
}

#[test]
fn what_is_there_is_replaced_by_a_component_only_if_it_is_one() {
    let (_, out) = made("replaced", &guest::module("", guest::UNREADABLE));
    let module = file("replacing.module.wasm", guest::module("", guest::ORDINAL_42));
    let again = |out: &Path| told(&["component", module.to_str().unwrap(), out.to_str().unwrap()]);
    let before = std::fs::read(&out).unwrap();
    assert_eq!(again(&out).code, Some(0), "one that was made before");
    assert_ne!(std::fs::read(&out).unwrap(), before);
    let mine = file("mine.toml", "[package]");
    for (there, why) in [(&mine, "mine.toml is there and is no component"), (&module, "is the module itself")]
    {
        let before = std::fs::read(there).unwrap();
        let refused = again(there);
        assert!(refused.code == Some(1) && refused.err.contains(why), "{}", refused.err);
        assert_eq!(std::fs::read(there).unwrap(), before);
    }
}

#[test]
fn a_component_is_not_called_a_module_and_no_folder_is_made() {
    let component = file("made-already.wasm", guest::answers(guest::UNREADABLE));
    let path = component.to_str().unwrap();
    let told = told(&["component", path, path]);
    assert!(
        told.code == Some(1) && told.err.contains("made-already.wasm is a component already"),
        "{}",
        told.err
    );

    let module = file("of-no-folder.module.wasm", guest::module("", guest::UNREADABLE));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-such-folder");
    let refused = run(tool(&["component"]).args([&module, &folder.join("policy.wasm")]));
    let why = format!("there is no folder {}", folder.display());
    assert!(refused.code == Some(1) && refused.err.contains(&why), "{}", refused.err);
    assert!(!folder.exists());
}
