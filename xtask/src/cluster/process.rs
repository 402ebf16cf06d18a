//! Long-lived processes: started apart from this one, recorded, recognised and ended.
//!
//! A process is known by its id *and* its start time, or by its control group; never by its name,
//! which a stranger may share.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::{cgroup, layout};

/// A program of the cluster that runs until it is ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Component {
    pub(crate) name: String,
}

/// The process that a record speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    pid: i32,
    started: u64,
}

/// The shell closes every descriptor that this process inherited: a daemon that holds a pipe open keeps its reader waiting
/// for ever. Then it joins the control group and records itself before it becomes the program. A killed `up` therefore
/// never loses sight of a process. Only bash closes descriptors above 9.
const CLOSE_JOIN_RECORD_EXEC: &str = r#"
for fd in /proc/self/fd/*; do fd=${fd##*/}; if [ "$fd" -gt 2 ]; then eval "exec $fd>&-"; fi; done
record=$1; shift
while [ "$1" != -- ]; do echo $$ > "$1"; shift; done; shift
read -r -a stat < /proc/$$/stat
echo "$$ ${stat[21]}" > "$record.new"; mv "$record.new" "$record"
exec "$@""#;

// === impl Component ===

impl Component {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }

    /// Every component that was ever started since the last `down`.
    pub(crate) fn recorded() -> Result<Vec<Self>> {
        let mut found = Vec::new();
        let folder = records();
        if folder.is_dir() {
            for entry in fs::read_dir(folder)? {
                found.push(Self::new(entry?.file_name().to_string_lossy()));
            }
        }
        found.retain(|c| !c.name.ends_with(".new"));
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    pub(crate) fn log(&self) -> PathBuf {
        layout::logs().join(format!("{}.log", self.name))
    }

    fn record(&self) -> PathBuf {
        records().join(&self.name)
    }

    /// Start the program in a session of its own, with its output in its log.
    pub(crate) fn start(&self, cgroup: &str, program_and_arguments: &[String]) -> Result<()> {
        fs::create_dir_all(records())?;
        fs::create_dir_all(layout::logs())?;
        let log = fs::File::options().create(true).append(true).open(self.log())?;
        let mut command = Command::new("setsid");
        command.args(["bash", "-euc", CLOSE_JOIN_RECORD_EXEC, "bash"]).arg(self.record());
        command.args(cgroup::processes_files(cgroup)?).arg("--").args(program_and_arguments);
        // A proxy or a GOFLAGS of the user's must not change what runs here.
        command.env_clear().env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        command.current_dir("/").stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        fs::remove_file(self.record()).ok();
        command.spawn().with_context(|| format!("failed to start {}", self.name))?;
        let limit = Instant::now() + Duration::from_secs(10);
        while !self.record().exists() {
            if Instant::now() > limit {
                bail!("{} did not start\n{}", self.name, self.log_tail());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    pub(crate) fn is_running(&self) -> bool {
        self.identity().is_some_and(|identity| identity.is_running())
    }

    pub(crate) fn pid(&self) -> Option<i32> {
        self.identity().filter(|identity| identity.is_running()).map(|identity| identity.pid)
    }

    fn identity(&self) -> Option<Identity> {
        let record = fs::read_to_string(self.record()).ok()?;
        let (pid, started) = record.trim().split_once(' ')?;
        Some(Identity { pid: pid.parse().ok()?, started: started.parse().ok()? })
    }

    /// End it without ceremony, as a power cut would, and forget it.
    pub(crate) fn kill(&self) -> Result<()> {
        if let Some(identity) = self.identity() {
            kill_if(identity.pid, || identity.is_running())?;
            wait_until(Duration::from_secs(10), || !identity.is_running())
                .with_context(|| format!("{} (pid {}) outlived a SIGKILL", self.name, identity.pid))?;
        }
        fs::remove_file(self.record()).ok();
        Ok(())
    }

    /// The end of the log, for an error that must say why.
    pub(crate) fn log_tail(&self) -> String {
        let log = fs::read(self.log()).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<_> = log.lines().collect();
        let tail = &lines[lines.len().saturating_sub(10)..];
        let tail: Vec<String> = tail.iter().map(|line| line.chars().take(300).collect()).collect();
        format!("the end of {}:\n{}", self.log().display(), tail.join("\n"))
    }

    /// Wait until `ready`, but no longer than the process lives.
    pub(crate) fn wait(&self, what: &str, mut ready: impl FnMut() -> bool) -> Result<()> {
        let limit = Instant::now() + Duration::from_secs(90);
        while !ready() {
            if !self.is_running() {
                bail!("{} ended before {what}{}", self.name, autopsies());
            }
            if Instant::now() > limit {
                bail!("{} runs, but not {what} within 90 s; {}", self.name, self.log_tail());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }
}

// === impl Identity ===

impl Identity {
    fn is_running(self) -> bool {
        start_time(self.pid) == Some(self.started)
    }
}

/// What every component that ended has to say: one often dies of another's death.
fn autopsies() -> String {
    let all = Component::recorded().unwrap_or_default();
    let ended = all.iter().filter(|component| !component.is_running());
    ended.map(|component| format!("\n{} does not run; {}", component.name, component.log_tail())).collect()
}

fn records() -> PathBuf {
    layout::state().join("processes")
}

/// When the process started, in clock ticks since boot; none if it is gone or only waits to be reaped.
fn start_time(pid: i32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may hold anything: count from behind it. State is field 3, start time 22.
    let fields: Vec<_> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let alive = !matches!(*fields.first()?, "Z" | "X");
    fields.get(19)?.parse().ok().filter(|_| alive)
}

/// SIGKILL through a file descriptor, so that a process that takes over the id meanwhile is safe.
pub(crate) fn kill_if(pid: i32, still_ours: impl FnOnce() -> bool) -> Result<()> {
    let Some(id) = Pid::from_raw(pid) else { return Ok(()) };
    let Ok(descriptor) = pidfd_open(id, PidfdFlags::empty()) else { return Ok(()) };
    if still_ours() {
        match pidfd_send_signal(&descriptor, Signal::KILL) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => {}
            Err(error) => bail!("failed to end process {pid}: {error}"),
        }
    }
    Ok(())
}

/// Look every few milliseconds until `done`, or fail after `limit`.
pub(crate) fn wait_until(limit: Duration, mut done: impl FnMut() -> bool) -> Result<()> {
    let end = Instant::now() + limit;
    while !done() {
        if Instant::now() > end {
            bail!("not within {} s", limit.as_secs());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run;

    #[test]
    fn a_daemon_inherits_only_its_standard_streams_and_is_recorded() {
        let record = std::env::temp_dir().join(format!("rss-record-{}", std::process::id()));
        let mut command = Command::new("bash");
        // The outer shell is the caller that leaves descriptors open.
        command.args([
            "-c",
            r#"exec 7</dev/null 42</dev/null; exec bash -euc "$0" bash "$1" -- ls /proc/self/fd"#,
        ]);
        let open =
            run::output(command.arg(CLOSE_JOIN_RECORD_EXEC).arg(&record)).expect("bash and ls are there");
        let open: Vec<&str> = open.lines().collect();
        // `ls` itself opens the folder that it lists, as descriptor 3.
        assert_eq!(open, ["0", "1", "2", "3"]);
        let recorded = fs::read_to_string(&record).expect("the process recorded itself");
        fs::remove_file(&record).expect("a file of our own");
        let (pid, started) = recorded.trim().split_once(' ').expect("a process and its start");
        assert!(pid.parse::<i32>().is_ok() && started.parse::<u64>().is_ok(), "{recorded}");
    }
}
