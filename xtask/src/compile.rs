//! Calls of cargo that compile in a step, which shows what is compiled and how many crates remain.

use std::io::Read;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::progress::Step;
use crate::run;

/// Run a call of cargo that compiles. What the compiler prints is shown if it fails.
///
/// # Errors
/// If something does not compile.
pub(crate) fn in_step(cargo: &mut Command, step: &mut Step) -> Result<()> {
    let name = run::described(cargo);
    // Cargo draws its bar on a terminal only, unless it is told to. Names are cut to the width.
    cargo.env("CARGO_TERM_PROGRESS_WHEN", "always").env("CARGO_TERM_PROGRESS_WIDTH", "160");
    cargo.env("CARGO_TERM_COLOR", "never").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = cargo.spawn().with_context(|| format!("failed to start {name}"))?;
    let mut errors = child.stderr.take().context("cargo has no standard error")?;
    let mut output = Output::default();
    let mut buffer = [0; 4096];
    loop {
        let length = errors.read(&mut buffer).with_context(|| format!("failed to read from {name}"))?;
        if length == 0 {
            break;
        }
        for piece in output.pieces(&buffer[..length]) {
            match bar(&piece) {
                Some(bar) => step.note(|| bar),
                None => output.add(&piece),
            }
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("{name}: {status}\n{}", output.text.trim_end());
    }
    Ok(())
}

/// The output of cargo without its bar.
#[derive(Default)]
struct Output {
    unfinished: Vec<u8>,
    text: String,
}

// === impl Output ===

impl Output {
    /// The pieces that end with these bytes. Cargo draws its bar over the line before.
    fn pieces(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut pieces = Vec::new();
        for byte in bytes {
            if matches!(byte, b'\r' | b'\n') {
                pieces.push(String::from_utf8_lossy(&self.unfinished).into_owned());
                self.unfinished.clear();
            } else {
                self.unfinished.push(*byte);
            }
        }
        pieces
    }

    fn add(&mut self, piece: &str) {
        let is_routine = ["Compiling ", "Downloaded ", "Downloading ", "Finished ", "Blocking "]
            .iter()
            .any(|word| piece.trim_start().starts_with(word));
        if !is_routine && !piece.trim().is_empty() {
            self.text.push_str(piece);
            self.text.push('\n');
        }
    }
}

/// The content of a bar such as `    Building [====>  ] 12/345: serde, kube(build)`.
fn bar(piece: &str) -> Option<String> {
    let (_, rest) = piece.split_once("Building [")?.1.split_once("] ")?;
    let (count, names) = rest.split_once(": ").unwrap_or((rest.trim_end_matches(':'), ""));
    let (done, all) = count.trim().split_once('/')?;
    let now = if names.trim().is_empty() { String::new() } else { format!("; now {}", names.trim()) };
    Some(format!("{done} of {all} crates compiled{now}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_says_how_many_crates_remain_and_what_is_compiled() {
        for (piece, wanted) in [
            (
                "    Building [====>      ] 12/345: serde, kube(build)",
                Some("12 of 345 crates compiled; now serde, kube(build)"),
            ),
            ("    Building [===========] 345/345", Some("345 of 345 crates compiled")),
            ("   Compiling serde v1.0.0", None),
            ("error: Building [x", None),
        ] {
            assert_eq!(bar(piece).as_deref(), wanted, "{piece}");
        }
    }

    #[test]
    fn errors_are_kept_and_routine_lines_are_not() {
        let mut output = Output::default();
        let bytes = b"   Compiling a v1\n    Building [> ] 1/2: a\rerror: b\n  --> src/lib.rs:1\n";
        // A piece may come in two reads.
        let mut pieces = output.pieces(&bytes[..30]);
        pieces.extend(output.pieces(&bytes[30..]));
        for piece in pieces.iter().filter(|piece| bar(piece).is_none()) {
            output.add(piece);
        }
        assert_eq!(output.text, "error: b\n  --> src/lib.rs:1\n");
    }

    #[test]
    fn a_call_that_fails_shows_what_it_printed() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo 'error: no such crate' >&2; exit 101"]);
        let error = in_step(&mut shell, &mut Step::silent()).expect_err("it failed").to_string();
        assert!(error.contains("101") && error.ends_with("error: no such crate"), "{error}");
    }
}
