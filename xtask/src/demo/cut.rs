//! The power cut: every database dies at once without a chance to write another byte, and what
//! knew of it in the cluster is taken away.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::place::{Place, Where};
use crate::cluster::PodProcess;

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

/// Pods of one program that go with the databases.
#[derive(Clone, Debug)]
pub(crate) struct Others {
    pub(crate) namespace: String,
    /// The Deployment that they belong to.
    pub(crate) deployment: &'static str,
    /// What their containers run, by the name that Linux shows of it.
    pub(crate) program: &'static str,
    /// They do not come back.
    pub(crate) stay_away: bool,
    /// The pods, each with its UID.
    pub(crate) pods: BTreeMap<String, String>,
}

/// SIGKILL to the databases of these pods, all at the same time, and in the local cluster to the others; then every
/// pod is deleted with force.
pub(crate) fn cut(place: &Place, pods: &BTreeMap<String, String>, others: &[Others]) -> Result<Moment> {
    let (at, spread) = match place.cluster {
        Where::Local { .. } => kill_here(pods, others)?,
        Where::Own(_) => kill_through_exec(place, pods)?,
    };
    delete(place, place.name, pods)?;
    let deleted = at.elapsed();
    for other in others {
        if other.stay_away {
            let deployment = format!("deployment/{}", other.deployment);
            place.kubectl(&["--namespace", &other.namespace, "scale", &deployment, "--replicas=0"])?;
        }
        delete(place, &other.namespace, &other.pods)?;
    }
    Ok(Moment { at, spread, deleted })
}

/// One that has gone meanwhile is gone.
fn delete(place: &Place, namespace: &str, pods: &BTreeMap<String, String>) -> Result<()> {
    let mut words = vec!["--namespace", namespace, "delete", "pods", "--force", "--grace-period=0"];
    words.extend(["--wait=false", "--ignore-not-found"]);
    words.extend(pods.keys().map(String::as_str));
    place.kubectl(&words).map(drop)
}

/// The local cluster's containers are processes of this machine.
fn kill_here(pods: &BTreeMap<String, String>, others: &[Others]) -> Result<(Instant, Duration)> {
    let others = others.iter().flat_map(|other| other.pods.values().map(|uid| (uid, other.program)));
    let all = pods.values().map(|uid| (uid, DATABASE)).chain(others);
    let found = all.map(|(uid, program)| PodProcess::find(uid, program)).collect::<Result<Vec<_>>>()?;
    let at = Instant::now();
    found.iter().try_for_each(PodProcess::kill)?;
    Ok((at, at.elapsed()))
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
