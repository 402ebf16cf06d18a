//! What `policy new` writes, taken as it is: it passes its tests, and becomes a component.

use ring::digest::{SHA256, digest};

use super::*;

#[test]
fn a_new_crate_passes_and_becomes_a_component_as_it_is() {
    let (folder, _turn) = workshop("new");
    let folder = new_crate(&folder);
    let mut cargo = Command::new("cargo");
    let tested =
        cargo.args(["test", "--quiet"]).current_dir(&folder).env_remove("CARGO_TARGET_DIR").output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&tested.stdout), String::from_utf8_lossy(&tested.stderr));
    assert!(tested.status.success() && out.contains("1 passed"), "{out}{err}");
    assert!(!err.contains("warning"), "{err}");

    let built = answer(&["policy", "build", "--output", "json"], &folder);
    let component = fs::read(built["path"].as_str().unwrap()).unwrap();
    let hex: String = digest(&SHA256, &component).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(built["digest"], format!("sha256:{hex}"));
    assert_eq!(built["size"], component.len());
    assert!(component.len() < 150 << 10, "{} bytes", component.len());
    let exports = ["clusterlabs:policy/metadata@0.1.0", "clusterlabs:policy/sequence@0.1.0"];
    assert_eq!(built["exports"], Value::from(exports.to_vec()));
    let here = env!("CARGO_TARGET_TMPDIR").as_bytes();
    assert!(!component.windows(here.len()).any(|bytes| bytes == here), "it names a folder of this machine");
}

#[test]
fn what_cannot_be_built_ends_with_1_and_a_wrong_command_line_with_2() {
    let code = |words: &[&str]| Command::new(TOOL).args(words).output().unwrap().status.code();
    assert_eq!(code(&["policy", "build", "no/such/folder"]), Some(1));
    assert_eq!(code(&["policy", "new", "../x"]), Some(2));
    assert_eq!(code(&["policy", "new", "test"]), Some(2));
    assert_eq!(code(&["completion", "bash"]), Some(0));
}

#[test]
fn the_help_says_the_whole_rule_of_names_and_what_it_prints_can_be_pasted() {
    let help = run(&["policy", "new", "--help"], Path::new(".")).stdout;
    let help = String::from_utf8(help).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "from a letter to a letter or digit, at most 63",
        "keyword of Rust",
        "alloc, core, policy-sdk, std and test",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
    let parent = Path::new(env!("CARGO_TARGET_TMPDIR")).join("a parent");
    let _ = fs::remove_dir_all(&parent);
    fs::create_dir_all(&parent).unwrap();
    let folder = parent.join("it's mine");
    let told = run(&["policy", "new", "my-db", "--folder", folder.to_str().unwrap()], &parent);
    let told = String::from_utf8(told.stdout).unwrap();
    let line = told.lines().map(str::trim).find(|line| line.starts_with("cd ")).unwrap();
    let there = Command::new("sh").args(["-euc", &format!("{line}\npwd")]).output().unwrap();
    assert_eq!(String::from_utf8(there.stdout).unwrap().trim_end(), folder.to_str().unwrap());
}

#[test]
fn what_was_made_is_told_where_the_folder_has_no_name_in_unicode() {
    use std::os::unix::ffi::OsStrExt;
    let parent = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = parent.join(std::ffi::OsStr::from_bytes(b"no-unicode-\xff"));
    let _ = fs::remove_dir_all(&folder);
    let mut tool = Command::new(TOOL);
    let made = tool.args(["policy", "new", "my-db", "-o", "json", "--folder"]).arg(&folder).output().unwrap();
    assert!(made.status.success() && folder.join("Cargo.toml").exists(), "{made:?}");
    let told: Value = serde_json::from_slice(&made.stdout).unwrap();
    assert!(told["folder"].as_str().unwrap().ends_with("no-unicode-\u{fffd}"), "{told}");
}

/// Folders of programs that stand for cargo and rustc: what is compiled fails, and the target's library is here.
fn failing_compiler(name: &str, library: &Path) -> String {
    let bin = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&bin).unwrap();
    fs::write(bin.join("Cargo.toml"), "").unwrap();
    let manifest = bin.join("Cargo.toml").canonicalize().unwrap();
    let package = serde_json::json!({"name": "p", "version": "1.0.0", "manifest_path": manifest,
        "targets": [{"name": "p", "kind": ["lib"]}]});
    let metadata = serde_json::json!({"packages": [package], "target_directory": bin, "workspace_root": bin});
    let programs = [
        ("cargo", format!("[ \"$1\" = metadata ] || exit 101\ncat <<'END'\n{metadata}\nEND\n")),
        ("rustc", format!("echo '{}'\n", library.display())),
    ];
    for (program, text) in programs {
        let program = bin.join(program);
        fs::write(&program, format!("#!/bin/sh\n{text}")).unwrap();
        fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    bin.to_str().unwrap().to_owned()
}

#[test]
fn a_target_is_called_missing_only_where_it_is() {
    for (name, library, is_missing) in [
        ("compiler-with-target", Path::new("/"), false),
        ("compiler-without-target", Path::new("/no/such/library"), true),
    ] {
        let bin = failing_compiler(name, library);
        let mut tool = Command::new(TOOL);
        let failed = tool
            .args(["policy", "build", &bin])
            .env("PATH", format!("{bin}:/usr/bin:/bin"))
            .output()
            .unwrap();
        let err = String::from_utf8(failed.stderr).unwrap();
        assert_eq!(failed.status.code(), Some(1));
        assert!(err.contains("cargo rustc: ") && err.contains("rustup target add") == is_missing, "{err}");
    }
}
