//! The test programs of the workspace, compiled once.
//!
//! Cargo chooses the features of a library by the packages that one call names. A call for each package compiles the
//! clients of Kubernetes and the operator several times. Every stage therefore uses the same call for the whole workspace.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::durations::Durations;
use crate::{run, workspace};

/// A program that cargo made of the tests of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// The folder of its package, where cargo runs it.
    folder: PathBuf,
    /// The name of its target: a crate, or a file or folder below `tests`.
    target: String,
    executable: PathBuf,
}

/// A line of cargo's JSON messages, as far as it is read.
#[derive(Deserialize)]
struct Message {
    manifest_path: Option<PathBuf>,
    target: Option<Target>,
    profile: Option<Profile>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// The call that every stage shares.
const BUILD: [&str; 4] = ["test", "--workspace", "--no-run", "--message-format=json-render-diagnostics"];

/// Compile all tests of the workspace, and the programs that they run.
///
/// # Errors
/// If something does not compile.
pub(crate) fn build() -> Result<Vec<Program>> {
    let mut cargo = workspace::cargo(&BUILD);
    let name = run::described(&cargo);
    let mut child = cargo
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("failed to start {name}"))?;
    let mut programs = Vec::new();
    for line in BufReader::new(child.stdout.take().context("cargo has no standard output")?).lines() {
        programs.extend(Program::of_message(&line?));
    }
    let status = child.wait()?;
    ensure!(status.success(), "{name}: {status}");
    Ok(programs)
}

/// The one test program of a target.
///
/// # Errors
/// If the package has no target of this name.
pub(crate) fn target<'a>(programs: &'a [Program], package: &str, target: &str) -> Result<&'a Program> {
    let mut found = programs.iter().filter(|program| program.is(package, target));
    found.next().with_context(|| format!("package {package} has no test target {target}"))
}

// === impl Program ===

impl Program {
    /// Messages of libraries and of programs without tests name no test program.
    fn of_message(line: &str) -> Option<Self> {
        let message: Message = serde_json::from_str(line).ok()?;
        let folder = message.manifest_path?.parent()?.to_owned();
        let is_test = message.profile.is_some_and(|profile| profile.test);
        let executable = message.executable.filter(|_| is_test)?;
        Some(Self { folder, target: message.target?.name, executable })
    }

    /// Whether it is one of a package, which is named by its folder in the workspace.
    pub(crate) fn is_of(&self, package: &str) -> bool {
        self.folder == workspace::root().join(package)
    }

    /// Whether it is the one of a target.
    pub(crate) fn is(&self, package: &str, target: &str) -> bool {
        self.is_of(package) && self.target == target
    }

    /// The command that runs it, as `cargo test` does.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.executable);
        command.args(arguments).current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        workspace::without_amounts(&mut command);
        command
    }

    /// Run it, and show what it prints.
    ///
    /// # Errors
    /// If a test fails.
    pub(crate) fn run(&self, command: &mut Command, durations: &mut Durations) -> Result<()> {
        let name = &self.target;
        eprintln!("     Running tests of {name}, in {}", self.folder.display());
        if !durations.are_wanted() {
            return run::shown(command);
        }
        let mut child = Durations::ask(command)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("failed to start the tests of {name}"))?;
        for line in BufReader::new(child.stdout.take().context("tests have no standard output")?).lines() {
            let line = line?;
            writeln!(std::io::stdout(), "{line}")?;
            durations.note(&self.target, &line);
        }
        let status = child.wait()?;
        ensure!(status.success(), "the tests of {name}: {status}");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn message(reason: &str, test: bool, executable: &str) -> String {
        format!(
            r#"{{"reason":"{reason}","manifest_path":"/clone/operator/Cargo.toml","target":{{"name":"crd","kind":["test"]}},
            "profile":{{"opt_level":"0","test":{test}}},"executable":{executable}}}"#
        )
    }

    #[test]
    fn only_programs_with_tests_are_taken_from_the_messages() {
        let path = r#""/clone/target/debug/deps/crd-1""#;
        let program = Program::of_message(&message("compiler-artifact", true, path)).expect("a test program");
        assert_eq!(
            (program.folder.as_path(), program.target.as_str()),
            (Path::new("/clone/operator"), "crd")
        );
        for other in [
            message("compiler-artifact", true, "null"),
            message("compiler-artifact", false, path),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
            "no JSON".to_owned(),
        ] {
            assert_eq!(Program::of_message(&other), None, "{other}");
        }
    }
}
