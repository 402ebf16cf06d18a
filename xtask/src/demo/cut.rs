//! The power cut: every database dies at once without a chance to write another byte, and what
//! knew of it in the cluster is taken away.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::place::{Place, Where};

/// The database's program.
const DATABASE: &str = "mariadbd";

/// When the power went.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// The first signal.
    pub(crate) at: Instant,
    /// From the first signal to the last.
    pub(crate) spread: Duration,
    /// From the first signal until the last pod's deletion was accepted.
    pub(crate) deleted: Duration,
}

/// SIGKILL to the databases of these pods, all at the same time; then every pod is deleted with force.
pub(crate) fn cut(place: &Place, pods: &BTreeMap<String, String>) -> Result<Moment> {
    let (at, spread) = match place.cluster {
        Where::Local { .. } => kill_here(pods)?,
        Where::Own(_) => kill_through_exec(place, pods)?,
    };
    let mut words = vec!["delete", "pods", "--force", "--grace-period=0", "--wait=false"];
    words.extend(pods.keys().map(String::as_str));
    place.within(&words)?;
    Ok(Moment { at, spread, deleted: at.elapsed() })
}

/// The local cluster's containers are processes of this machine.
fn kill_here(pods: &BTreeMap<String, String>) -> Result<(Instant, Duration)> {
    let databases =
        pods.iter().map(|(name, uid)| database(uid).with_context(|| format!("no database in {name}")));
    let databases = databases.collect::<Result<Vec<_>>>()?;
    let at = Instant::now();
    for database in &databases {
        pidfd_send_signal(database, Signal::KILL)?;
    }
    Ok((at, at.elapsed()))
}

/// The process in a control group of this pod, held so that its id cannot become another's.
fn database(uid: &str) -> Option<OwnedFd> {
    let group = format!("pod{uid}");
    fs::read_dir("/proc").ok()?.flatten().find_map(|process| {
        let pid: i32 = process.file_name().to_str()?.parse().ok()?;
        let held = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
        let says = |file: &str| fs::read_to_string(process.path().join(file)).ok();
        (says("comm")?.trim() == DATABASE && says("cgroup")?.contains(&group)).then_some(held)
    })
}

/// What waits in each pod for the word.
const AT_THE_WORD: &str = "echo ready && read -r _ && exec pkill -KILL -x mariadbd";

/// One exec for each pod. Connections take their time, so each waits until all are made.
fn kill_through_exec(place: &Place, pods: &BTreeMap<String, String>) -> Result<(Instant, Duration)> {
    let waiting = pods.keys().map(|pod| wait_within(place, pod).with_context(|| pod.clone()));
    let mut waiting = waiting.collect::<Result<Vec<_>>>()?;
    let at = Instant::now();
    for exec in &mut waiting {
        exec.stdin.take().context("kubectl has no standard input")?.write_all(b"now\n")?;
    }
    for exec in waiting {
        let ended = exec.wait_with_output()?;
        let said = String::from_utf8_lossy(&ended.stderr);
        ensure!(ended.status.success(), "a database was not ended: {}: {}", ended.status, said.trim());
    }
    Ok((at, at.elapsed()))
}

fn wait_within(place: &Place, pod: &str) -> Result<Child> {
    let words = ["--namespace", place.name, "exec", "--stdin", pod, "--", "sh", "-c", AT_THE_WORD];
    let mut command = place.command(&words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut exec = command.spawn().context("failed to start kubectl")?;
    let mut ready = String::new();
    BufReader::new(exec.stdout.as_mut().context("kubectl has no standard output")?).read_line(&mut ready)?;
    ensure!(ready == "ready\n", "kubectl exec ended at once");
    Ok(exec)
}
