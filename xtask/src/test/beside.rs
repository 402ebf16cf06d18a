//! A stage that only computes, in a process of its own beside a stage that mostly waits.

use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use rustix::process::{Pid, setpriority_process};

use super::Stage;
use super::table::Ended;
use crate::run;

/// The lowest priority: the databases of the other stage come first.
const NICE: i32 = 19;

/// A stage that runs silently in a process of its own.
pub(super) struct Beside {
    stage: Stage,
    end: JoinHandle<(Duration, Result<()>)>,
}

// === impl Beside ===

impl Beside {
    /// Start a stage.
    ///
    /// # Errors
    /// The process cannot be started.
    pub(super) fn start(stage: Stage, is_full: bool) -> Result<Self> {
        let program = std::env::current_exe().context("failed to find the program of this command")?;
        let mut command = Command::new(program);
        command.args(["test", "--only", stage.name()]).args(is_full.then_some("--full"));
        Self::spawn(stage, command)
    }

    fn spawn(stage: Stage, mut command: Command) -> Result<Self> {
        let name = run::described(&command);
        let begun = Instant::now();
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("failed to start {name}"))?;
        if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            // With the usual priority the result is the same, and the other stage is slower.
            setpriority_process(Some(pid), NICE).ok();
        }
        let end = std::thread::spawn(move || {
            let result = ended(child, &name);
            let text = if result.is_ok() { "ok" } else { "FAILED; its output is shown at the end" };
            eprintln!("    {}: {:.1} s, {text}", stage.name(), begun.elapsed().as_secs_f32());
            (begun.elapsed(), result)
        });
        Ok(Self { stage, end })
    }

    /// Wait until it ends.
    pub(super) fn end(self) -> (Ended, Result<()>) {
        if !self.end.is_finished() {
            eprintln!("waiting for stage {}", self.stage.name());
        }
        let (took, result) = self
            .end
            .join()
            .unwrap_or_else(|_| (Duration::ZERO, Err(anyhow!("the thread that waited for it panicked"))));
        (Ended { stage: self.stage, took, used: None, succeeded: result.is_ok() }, result)
    }
}

/// Its output is worth reading only if it failed.
fn ended(child: Child, name: &str) -> Result<()> {
    let done = child.wait_with_output().with_context(|| format!("failed to wait for {name}"))?;
    if !done.status.success() {
        let [output, errors] = [&done.stdout, &done.stderr].map(|text| String::from_utf8_lossy(text));
        bail!("{name}: {}\n{}\n{}", done.status, output.trim_end(), errors.trim_end());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> (Ended, Result<()>) {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Beside::spawn(Stage::Simulation, command).expect("a shell").end()
    }

    #[test]
    fn a_stage_that_fails_shows_all_of_its_output() {
        let failed = shell("echo first; echo second >&2; exit 3").1.expect_err("it failed").to_string();
        assert!(failed.contains("first") && failed.contains("second") && failed.contains('3'), "{failed}");
    }

    #[test]
    fn a_stage_beside_another_one_gets_the_lowest_priority_and_is_waited_for() {
        // The priority changes after the start: the shell looks until it has.
        let looks = "for try in $(seq 3000); do [ \"$(nice)\" = 19 ] && exit 0; sleep 0.01; done; exit 1";
        let (ended, result) = shell(looks);
        result.expect("it has the lowest priority");
        assert!(ended.succeeded && ended.took > Duration::ZERO);
    }
}
