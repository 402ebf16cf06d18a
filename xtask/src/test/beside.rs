//! A stage that only computes, run while another one mostly waits.

use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, setpriority_process};

use super::Stage;
use crate::run;

/// After everything else: the databases of the other stage must not be late because of it.
const LAST: i32 = 19;

/// A stage that goes on by itself, silently.
pub(super) struct Beside {
    stage: Stage,
    end: JoinHandle<(Duration, Result<()>)>,
}

// === impl Beside ===

impl Beside {
    /// Start the command that a stage is.
    ///
    /// # Errors
    /// The command cannot be started.
    pub(super) fn start(stage: Stage, mut command: Command) -> Result<Self> {
        let name = run::described(&command);
        let begun = Instant::now();
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("failed to start {name}: is the program installed?"))?;
        if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            // Without it the stage is as right, and in the way of the other.
            setpriority_process(Some(pid), LAST).ok();
        }
        let end = std::thread::spawn(move || {
            let result = ended(child, &name);
            let fate = if result.is_ok() { "ok" } else { "FAILED, which is shown at the end" };
            eprintln!("    {}: {:.1} s, {fate}", stage.name(), begun.elapsed().as_secs_f32());
            (begun.elapsed(), result)
        });
        Ok(Self { stage, end })
    }

    /// Wait for its end.
    pub(super) fn end(self) -> (Stage, Duration, Result<()>) {
        if !self.end.is_finished() {
            eprintln!("waiting for stage {}, which goes on", self.stage.name());
        }
        match self.end.join() {
            Ok((took, result)) => (self.stage, took, result),
            Err(_) => (self.stage, Duration::ZERO, Err(anyhow::anyhow!("whoever waited for it panicked"))),
        }
    }
}

/// What it printed is worth reading only where it failed.
fn ended(child: Child, name: &str) -> Result<()> {
    let done = child.wait_with_output().with_context(|| format!("nothing is known of {name}"))?;
    if !done.status.success() {
        let said = [done.stdout, done.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        bail!("{name}: {}\n{}\n{}", done.status, said[0].trim_end(), said[1].trim_end());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(script: &str) -> (Duration, Result<()>) {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let (_, took, result) = Beside::start(Stage::Simulation, command).expect("a shell").end();
        (took, result)
    }

    #[test]
    fn a_stage_beside_fails_with_all_that_it_said() {
        let failed = after("echo first; echo second >&2; exit 3").1.expect_err("it failed").to_string();
        assert!(failed.contains("first") && failed.contains("second") && failed.contains('3'), "{failed}");
    }

    #[test]
    fn a_stage_beside_gives_way_and_is_waited_for() {
        // Priority is given after the start: the shell asks until it has it.
        let asks = "for try in $(seq 3000); do [ \"$(nice)\" = 19 ] && exit 0; sleep 0.01; done; exit 1";
        let (took, result) = after(asks);
        result.expect("it was given the last place");
        assert!(took > Duration::ZERO);
    }
}
