//! The commands, as an author runs them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod author;
mod bench;
mod cluster;
mod completion;
mod component;
mod conform;
mod guest;
mod inspect;
mod pull;
mod push;
mod registry;
mod replay;
mod streams;
mod verify;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// What one call printed, and how it ended.
struct Told {
    code: Option<i32>,
    out: String,
    err: String,
}

/// The tool, with its way to loopback addresses.
fn tool(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-rss"));
    for name in [
        "http_proxy",
        "https_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "all_proxy",
        "REGISTRY_AUTH_FILE",
    ] {
        command.env_remove(name);
    }
    command.arg("policy").args(words);
    command
}

fn run(command: &mut Command) -> Told {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Told { code: status.code(), out: text(stdout), err: text(stderr) }
}

/// Runs the tool.
fn told(words: &[&str]) -> Told {
    run(&mut tool(words))
}

impl Told {
    /// The answer to `-o json`.
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
    }
}

/// Bytes in a file of this name, which is of one test alone.
fn file(name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn what_is_not_there_or_is_no_policy_ends_with_1_and_says_what_would_be_right() {
    let text = file("text.wasm", "(module)");
    for words in [["inspect", "no/such.wasm"], ["conform", "no/such.wasm"]] {
        let told = told(&words);
        assert_eq!(told.code, Some(1), "{words:?}");
        assert!(told.err.contains("no/such.wasm") && told.err.contains("policy build"), "{}", told.err);
    }
    let told = told(&["conform", text.to_str().unwrap()]);
    assert_eq!(told.code, Some(1));
    assert!(
        told.err.contains("text.wasm is no policy: it is WebAssembly text; give the binary"),
        "{}",
        told.err
    );
}
