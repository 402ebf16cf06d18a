//! Programs in Go, each built once and kept in the cache.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::cluster::layout;
use crate::image::digest;
use crate::progress::Step;
use crate::run;

/// A program and all that it is made of.
pub(crate) struct Program {
    /// Its name, also of its folder in the cache.
    pub(crate) name: &'static str,
    /// The files of its module by name: `main.go`, `go.mod` and `go.sum`.
    pub(crate) sources: [(&'static str, &'static str); 3],
    /// What the linker is told.
    pub(crate) linker_flags: &'static str,
    /// About how many packages are compiled: for progress.
    pub(crate) packages: usize,
}

// === impl Program ===

impl Program {
    /// The program, built unless the cache has it.
    pub(crate) fn build(&self, step: &mut Step) -> Result<PathBuf> {
        let go = run::find("go").context("go is not installed")?;
        let version = run::output(Command::new(&go).args(["env", "GOVERSION"]).env("GOTOOLCHAIN", "local"))?;
        let sources = self.sources.iter().flat_map(|(name, text)| [*name, *text]);
        let all = sources.chain([version.trim(), self.linker_flags]);
        let key = digest::of(all.collect::<Vec<_>>().join("\0").as_bytes());
        let folder = layout::cache()?.join(self.name);
        let program = folder.join(format!("{}-{}", self.name, &key[..16]));
        if !program.is_file() {
            let sources = folder.join("sources");
            fs::create_dir_all(&sources)?;
            for (name, text) in self.sources {
                fs::write(sources.join(name), text)?;
            }
            self.compile(&go, &sources, &program, step)?;
            remove_older(&folder, &program)?;
        }
        Ok(program)
    }

    /// The program, if the cache has one.
    pub(crate) fn built(&self) -> Option<PathBuf> {
        let entries = fs::read_dir(layout::cache().ok()?.join(self.name)).ok()?;
        let mut programs = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file());
        programs.find(|path| path.extension().is_none())
    }

    fn compile(&self, go: &Path, sources: &Path, program: &Path, step: &mut Step) -> Result<()> {
        let unfinished = program.with_extension("new");
        let mut command = Command::new(go);
        command
            .args(["build", "-v", "-trimpath", "-buildvcs=false", "-ldflags", self.linker_flags, "-o"])
            .arg(&unfinished);
        command
            .arg(".")
            .current_dir(sources)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        // The user's own flags, workspace and toolchain choice must not change what is built.
        for (variable, value) in
            [("CGO_ENABLED", "0"), ("GOFLAGS", ""), ("GOWORK", "off"), ("GOTOOLCHAIN", "local")]
        {
            command.env(variable, value);
        }
        let mut go = command.spawn().context("failed to start go")?;
        let mut output: Vec<String> = Vec::new();
        let mut modules = 0;
        for line in BufReader::new(go.stderr.take().context("go has no standard error")?).lines() {
            let line = line?;
            modules += usize::from(line.starts_with("go: downloading"));
            output.push(line);
            let packages = output.len() - modules;
            step.note(|| {
                format!(
                    "Go: {modules} modules fetched, {packages} of about {} packages compiled",
                    self.packages
                )
            });
        }
        if !go.wait()?.success() {
            let tail = output[output.len().saturating_sub(15)..].join("\n");
            bail!("go failed to build {}; the end of its output:\n{tail}", sources.display());
        }
        fs::rename(&unfinished, program).context("failed to move the program into place")
    }
}

/// A program takes up to 144 MB: those of earlier sources go.
fn remove_older(folder: &Path, keep: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() && path != keep {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
