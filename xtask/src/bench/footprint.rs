//! The operator's own cost: its program, its start, its memory.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::phases::{median, merge, rounded, target};
use crate::demo::place::{Place, Where};
use crate::workspace;

/// Bytes, of the program and of what is resident.
const MOST_BYTES: f64 = 30e6;
/// Seconds from the start of the process to its first "ready".
const MOST_SECONDS: f64 = 1.0;
const STARTS: usize = 5;
const PATIENCE: Duration = Duration::from_secs(30);

/// How large the program is.
pub(super) fn size(program: &Path) -> Result<Value> {
    let bytes = fs::metadata(program)?.len();
    let mut line = json!({"bench": "size", "bytes": bytes});
    merge(&mut line, Some(bytes_target(bytes)));
    Ok(line)
}

/// How long it takes to be ready: as a process of this machine, with a lease of its own, in a namespace
/// without sets. In a pod the image and the probe's interval would be measured with it.
pub(super) fn starts(place: &Place, program: &Path) -> Result<Value> {
    let kubeconfig = Kubeconfig::write(place)?;
    let mut seconds = Vec::new();
    for _ in 0..STARTS {
        seconds.push(rounded(start(place, program, &kubeconfig.0)?.as_secs_f64()));
    }
    let middle = median(&seconds).context("nothing was started")?;
    let mut line = json!({
        "bench": "ready",
        "seconds": seconds,
        "median": middle,
        "how": "a process on this machine, from its start to the first 200 of /readyz",
    });
    merge(&mut line, Some(target(middle, MOST_SECONDS)));
    Ok(line)
}

/// How much memory is resident, in the operator that has most of it.
pub(super) fn memory(place: &Place) -> Result<Value> {
    let query = "jsonpath={range .items[*]}{.metadata.name} {.metadata.uid} {.spec.nodeName}{\"\\n\"}{end}";
    let label = "app.kubernetes.io/name=rss-operator";
    let list = place.kubectl(&["--namespace", &place.system(), "get", "pods", "-l", label, "-o", query])?;
    let mut bytes = Vec::new();
    for line in list.lines() {
        let words: Vec<_> = line.split(' ').collect();
        let [pod, uid, node] = words.as_slice() else { bail!("a pod of the operator runs nowhere: {line}") };
        bytes.push(match place.cluster {
            Where::Local { .. } => resident_here(uid),
            Where::Own(_) => resident_there(place, node, pod),
        }?);
    }
    let most = bytes.iter().copied().max().context("no operator runs")?;
    let how = match place.cluster {
        Where::Local { .. } => "VmRSS",
        Where::Own(_) => "working set, as the kubelet tells it",
    };
    let mut line = json!({"bench": "memory", "bytes": most, "each": bytes, "how": how});
    merge(&mut line, Some(bytes_target(most)));
    Ok(line)
}

#[expect(clippy::cast_precision_loss, reason = "far below what a floating point number holds exactly")]
fn bytes_target(bytes: u64) -> Value {
    target(bytes as f64, MOST_BYTES)
}

/// The local cluster's containers are processes of this machine.
fn resident_here(uid: &str) -> Result<u64> {
    let group = format!("pod{uid}");
    for process in fs::read_dir("/proc")?.flatten() {
        let says = |file: &str| fs::read_to_string(process.path().join(file)).unwrap_or_default();
        if says("comm").trim() == "rss-operator" && says("cgroup").contains(&group) {
            return resident(&says("status")).context("the kernel does not tell how much is resident");
        }
    }
    bail!("no process of the operator's pod {uid} is found")
}

/// The operator's image has no shell to ask in.
fn resident_there(place: &Place, node: &str, pod: &str) -> Result<u64> {
    let summary = place.kubectl(&["get", "--raw", &format!("/api/v1/nodes/{node}/proxy/stats/summary")])?;
    let summary: Value = serde_json::from_str(&summary)?;
    let pods = summary["pods"].as_array().context("the kubelet tells of no pods")?;
    let found =
        pods.iter().find(|known| known["podRef"]["name"] == pod).context("the kubelet tells of others")?;
    found["memory"]["workingSetBytes"].as_u64().context("the kubelet does not tell how much memory is used")
}

fn resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

/// The credentials of one context, in a file that goes with this.
struct Kubeconfig(PathBuf);

// === impl Kubeconfig ===

impl Kubeconfig {
    fn write(place: &Place) -> Result<Self> {
        let content = place.kubectl(&["config", "view", "--minify", "--flatten", "--raw"])?;
        let file = workspace::target().join(format!("bench-{}.kubeconfig", std::process::id()));
        write_private(&file, &content)?;
        Ok(Self(file))
    }
}

/// The file holds credentials.
fn write_private(file: &Path, content: &str) -> Result<()> {
    let mut options = fs::File::options();
    let opened = options.write(true).create(true).truncate(true).mode(0o600).open(file);
    let written = opened.and_then(|mut opened| opened.write_all(content.as_bytes()));
    written.with_context(|| format!("failed to write {}", file.display()))
}

impl Drop for Kubeconfig {
    fn drop(&mut self) {
        // It may have gone with the whole folder.
        fs::remove_file(&self.0).ok();
    }
}

fn start(place: &Place, program: &Path, kubeconfig: &Path) -> Result<Duration> {
    // Free a moment ago, so very likely still.
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    let system = place.system();
    let mut command = Command::new(program);
    command.args(["--lease-name", "rss-bench-start", "--namespace", &system, "--log-level", "error"]);
    command.args(["--listen", &address.to_string()]);
    command.env("KUBECONFIG", kubeconfig).env("POD_NAMESPACE", &system).stdin(Stdio::null());
    let begun = Instant::now();
    let mut operator = command.spawn().context("failed to start the operator")?;
    let ready = await_ready(&mut operator, address, begun);
    if let Some(pid) = i32::try_from(operator.id()).ok().and_then(Pid::from_raw) {
        // Asked to end it gives the lease back; the next start would wait for that otherwise.
        kill_process(pid, Signal::TERM).ok();
    }
    operator.wait()?;
    ready
}

fn await_ready(operator: &mut Child, address: SocketAddr, begun: Instant) -> Result<Duration> {
    while begun.elapsed() < PATIENCE {
        if is_ready(address) {
            return Ok(begun.elapsed());
        }
        ensure!(operator.try_wait()?.is_none(), "the operator ended before it was ready");
        std::thread::sleep(Duration::from_millis(5));
    }
    bail!("the operator was not ready within {} s", PATIENCE.as_secs())
}

/// An answer that does not come is one that it is not.
fn is_ready(address: SocketAddr) -> bool {
    let ask = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    ask().is_ok_and(|answer| answer.starts_with("HTTP/1.1 200 "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_read_in_bytes() {
        assert_eq!(resident("VmHWM:\t  20000 kB\nVmRSS:\t   15000 kB\n"), Some(15_360_000));
        assert_eq!(resident("Name:\trss-operator\n"), None);
    }

    #[test]
    fn just_thirty_million_bytes_are_too_many() {
        assert_eq!(bytes_target(29_999_999)["met"], true);
        assert_eq!(bytes_target(30_000_000)["met"], false);
    }
}
