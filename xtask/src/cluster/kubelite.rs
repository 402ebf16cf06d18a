//! The one Go program that is every part of Kubernetes, built once and kept in the cache.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::layout;
use crate::image::digest;
use crate::progress::Step;
use crate::run;

const SOURCES: [(&str, &str); 3] = [
    ("main.go", include_str!("../../kubelite/main.go")),
    ("go.mod", include_str!("../../kubelite/go.mod")),
    ("go.sum", include_str!("../../kubelite/go.sum")),
];

/// Without these, clients see version v0.0.0 and refuse.
const LINKER_FLAGS: &str = "-s -w -X k8s.io/component-base/version.gitVersion=v1.34.4 \
     -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=34";

/// The program, built unless the cache has it.
pub(crate) fn build(step: &mut Step) -> Result<PathBuf> {
    let go = run::find("go").context("go is not installed")?;
    let version = run::output(Command::new(&go).args(["env", "GOVERSION"]).env("GOTOOLCHAIN", "local"))?;
    let all = SOURCES.iter().flat_map(|(name, text)| [*name, *text]).chain([version.trim(), LINKER_FLAGS]);
    let key = digest::of(all.collect::<Vec<_>>().join("\0").as_bytes());
    let folder = layout::cache()?.join("kubelite");
    let program = folder.join(format!("kubelite-{}", &key[..16]));
    if !program.is_file() {
        let sources = folder.join("sources");
        fs::create_dir_all(&sources)?;
        for (name, text) in SOURCES {
            fs::write(sources.join(name), text)?;
        }
        compile(&go, &sources, &program, step)?;
        remove_older(&folder, &program)?;
    }
    Ok(program)
}

/// The program, if the cache has one.
pub(crate) fn built() -> Option<PathBuf> {
    let entries = fs::read_dir(layout::cache().ok()?.join("kubelite")).ok()?;
    let mut programs = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file());
    programs.find(|path| path.extension().is_none())
}

fn compile(go: &Path, sources: &Path, program: &Path, step: &mut Step) -> Result<()> {
    let unfinished = program.with_extension("new");
    let mut command = Command::new(go);
    command
        .args(["build", "-v", "-trimpath", "-buildvcs=false", "-ldflags", LINKER_FLAGS, "-o"])
        .arg(&unfinished);
    command.arg(".").current_dir(sources).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    // The user's own flags, workspace and toolchain choice must not change what is built.
    for (variable, value) in
        [("CGO_ENABLED", "0"), ("GOFLAGS", ""), ("GOWORK", "off"), ("GOTOOLCHAIN", "local")]
    {
        command.env(variable, value);
    }
    let mut go = command.spawn().context("failed to start go")?;
    let mut said: Vec<String> = Vec::new();
    for line in BufReader::new(go.stderr.take().context("go has no standard error")?).lines() {
        said.push(line?);
        step.note(|| {
            let fetched = said.iter().filter(|line| line.starts_with("go: downloading")).count();
            format!("Go: {fetched} modules fetched, {} packages compiled of about 2700", said.len() - fetched)
        });
    }
    if !go.wait()?.success() {
        let tail = said[said.len().saturating_sub(15)..].join("\n");
        bail!("go failed to build {}; the end of what it said:\n{tail}", sources.display());
    }
    fs::rename(&unfinished, program).context("failed to move the program into place")
}

/// A program takes 144 MB: those of earlier sources go.
fn remove_older(folder: &Path, keep: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() && path != keep {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
