//! The power cut: every database dies at once without a chance to write another byte, and what
//! knew of it in the cluster is taken away.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::place::Place;

/// The database's program.
const DATABASE: &str = "mariadbd";

/// When the power went.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// The first signal.
    pub(super) at: Instant,
    /// From the first signal to the last.
    pub(super) spread: Duration,
    /// From the first signal until the last pod's deletion was accepted.
    pub(super) deleted: Duration,
}

/// SIGKILL to the databases of these pods, all at the same time; then every pod is deleted with force.
pub(super) fn cut(place: &Place, pods: &BTreeMap<String, String>) -> Result<Moment> {
    let (at, spread) = match place {
        Place::Local { .. } => kill_here(pods)?,
        Place::Own(_) => kill_through_exec(place, pods)?,
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

/// One exec for each pod, all of them at the same time.
fn kill_through_exec(place: &Place, pods: &BTreeMap<String, String>) -> Result<(Instant, Duration)> {
    let at = Instant::now();
    let kill = |pod: &str| place.within(&["exec", pod, "--", "pkill", "-KILL", "-x", DATABASE]);
    let ended = thread::scope(|scope| {
        let all: Vec<_> = pods.keys().map(|pod| scope.spawn(move || kill(pod))).collect();
        all.into_iter()
            .map(|one| one.join().unwrap_or_else(|_| Err(anyhow!("a thread panicked"))))
            .collect::<Vec<_>>()
    });
    let spread = at.elapsed();
    let failed: Vec<_> =
        ended.into_iter().filter_map(Result::err).map(|error| format!("{error:#}")).collect();
    ensure!(failed.is_empty(), "a database was not ended: {}", failed.join("; "));
    Ok((at, spread))
}
