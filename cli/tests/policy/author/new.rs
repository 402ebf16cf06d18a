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
