//! The guide for authors, followed to the letter.

use std::os::unix::fs::PermissionsExt;

use super::*;

/// The blocks of a language, each as it stands there.
fn blocks(guide: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let block = |rest: &str| rest.split_once("```").unwrap().0.to_owned();
    guide.split(&fence).skip(1).map(block).collect()
}

/// A `kubectl` that knows its plugin, as an author has it.
fn kubectl(folder: &Path) -> PathBuf {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let program = bin.join("kubectl");
    fs::write(&program, format!("#!/bin/sh\n[ \"$1\" = rss ] && shift && exec '{TOOL}' \"$@\"\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    bin
}

mod full {
    use super::*;

    #[test]
    fn the_guide_can_be_followed_to_the_letter() {
        let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/write-a-policy.md");
        let guide = fs::read_to_string(guide).unwrap();
        let (folder, _turn) = workshop("guide");
        let registry = crate::registry::Registry::up(None, None);
        let image = "registry.example.com/policies/my-db:0.1.0";
        let script = blocks(&guide, "sh").concat();
        assert!(script.contains(&format!(" {image}\n")), "the guide pushes");
        let here = format!(" {}/team/policy:0.1.0 --plain-http\n", registry.host);
        let script = script.replace(&format!(" {image}\n"), &here);
        let prepared = format!(
            "cd my-db\ncp '{}' .\nln -s '{}' target\n",
            lock_file().display(),
            kept_target().display()
        );
        let script = script.replacen("cd my-db\n", &prepared, 1);

        let mut shell = Command::new("sh");
        let path = format!("{}:{}", kubectl(&folder).display(), std::env::var("PATH").unwrap());
        shell.args(["-euc", &script]).current_dir(&folder).env("PATH", path).env("DOCKER_CONFIG", &folder);
        for name in ["CARGO_TARGET_DIR", "http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"] {
            shell.env_remove(name);
        }
        let done = shell.output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(done.status.success(), "{out}{err}");
        for line in [
            "5 of 5 fixtures are answered as they say",
            "my-db.wasm conforms",
            "operator  takes it",
            "/team/policy@sha256:",
            "1 of 1 decisions are the same",
        ] {
            assert!(out.contains(line), "{line}: {out}{err}");
        }
        let policy = fs::read_to_string(folder.join("my-db/src/lib.rs")).unwrap();
        for block in blocks(&guide, "rust") {
            assert!(policy.contains(&block), "src/lib.rs is without {block}");
        }
    }
}
