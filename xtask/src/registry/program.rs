//! The program, and the image that runs it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::NAME;
use crate::go::Program;
use crate::image::{Config, Entry, Image, Layer, digest};
use crate::progress::Step;

/// The version is that in `go.mod`.
pub(crate) const IMAGE: &str = "registry:3.0.0";

const PROGRAM: Program = Program {
    name: "registry",
    sources: [
        ("main.go", include_str!("../../registry/main.go")),
        ("go.mod", include_str!("../../registry/go.mod")),
        ("go.sum", include_str!("../../registry/go.sum")),
    ],
    linker_flags: "-s -w",
    packages: 600,
};

/// The program alone: it needs no library.
pub(crate) fn image(step: &mut Step) -> Result<Image> {
    let program = PROGRAM.build(step)?;
    let layer = Layer::of(vec![Entry::folder("tmp", 0o1777), Entry::file(NAME, 0o755, &program)])?;
    Image::of(IMAGE, &[layer], &Config { entrypoint: vec![format!("/{NAME}")], ..Config::default() })
}

/// Another one whenever the program is another.
pub(super) fn revision() -> String {
    let sources = PROGRAM.sources.iter().map(|(_, text)| *text).collect::<String>();
    digest::of(sources.as_bytes())
}

/// The line of a file of passwords, as the program itself makes it.
pub(super) fn password_line(user: &str, password: &str, step: &mut Step) -> Result<String> {
    let program: &Path = &PROGRAM.build(step)?;
    let mut command = Command::new(program);
    command.args(["htpasswd", user]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().context("failed to start the registry's program")?;
    // Dropped at once, so that it sees the end.
    child.stdin.take().context("it has no standard input")?.write_all(password.as_bytes())?;
    let done = child.wait_with_output()?;
    ensure!(done.status.success(), "the registry's program made no line for a password");
    String::from_utf8(done.stdout).context("the line for a password is no text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_is_called_by_the_version_that_is_built() {
        let version = IMAGE.rsplit(':').next().unwrap();
        let required = format!("github.com/distribution/distribution/v3 v{version}\n");
        assert!(PROGRAM.sources[1].1.contains(&required), "{required}");
    }
}
