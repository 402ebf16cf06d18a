//! How long the operator takes to be ready.

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
use crate::demo::place::Place;
use crate::workspace;

/// Seconds from the start of the process to its first "ready".
const MOST_SECONDS: f64 = 1.0;
const STARTS: usize = 5;
const PATIENCE: Duration = Duration::from_secs(30);

/// How long it takes to be ready: as a process of this machine, with a lease of its own, in a namespace
/// without sets. In a pod the image and the probe's interval would be measured with it.
pub(super) fn ready(place: &Place, program: &Path) -> Result<Value> {
    let kubeconfig = Kubeconfig::write(place)?;
    let mut seconds = Vec::new();
    for _ in 0..STARTS {
        seconds.push(rounded(once(place, program, &kubeconfig.0)?.as_secs_f64()));
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

/// One start, from nothing to ready.
fn once(place: &Place, program: &Path, kubeconfig: &Path) -> Result<Duration> {
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
