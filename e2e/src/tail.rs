//! What a container of the local cluster writes, as it writes it: without the API server, and without its delay.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use xtask::cluster::Cluster;

/// Between two looks at a file that nobody tells of.
const PAUSE: Duration = Duration::from_millis(1);

/// The lines of a container's log that were not there when this was made.
pub struct Tail {
    lines: BufReader<File>,
    line: String,
}

// === impl Tail ===

impl Tail {
    /// Of the first container of a pod, from now on.
    ///
    /// # Errors
    /// If it has no log on this machine.
    pub fn of(pod: &Pod) -> Result<Self> {
        let path = file(pod).with_context(|| format!("{} has no log on this machine", pod.name_any()))?;
        let mut file = File::open(path)?;
        std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0))?;
        Ok(Self { lines: BufReader::new(file), line: String::new() })
    }

    /// The next line that holds one of these words; none, if there is none for so long.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn next(&mut self, words: &[&str], patience: Duration) -> Result<Option<String>> {
        let begun = Instant::now();
        while begun.elapsed() < patience {
            if self.lines.read_line(&mut self.line)? == 0 {
                sleep(PAUSE);
            } else if self.line.ends_with('\n') {
                let line = std::mem::take(&mut self.line);
                if words.iter().any(|word| line.contains(word)) {
                    return Ok(Some(line));
                }
            }
        }
        Ok(None)
    }
}

/// The kubelet calls the folder by namespace, name and UID of the pod.
fn file(pod: &Pod) -> Result<PathBuf> {
    let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_ref()).context("it has no node")?;
    let folder = format!(
        "{}_{}_{}",
        pod.namespace().unwrap_or_default(),
        pod.name_any(),
        pod.uid().unwrap_or_default()
    );
    let logs = Cluster::attach()?.pod_logs(node)?.join(folder);
    newest(&logs)?.with_context(|| format!("nothing is in {}", logs.display()))
}

fn newest(logs: &Path) -> Result<Option<PathBuf>> {
    let Some(container) = std::fs::read_dir(logs)?.flatten().map(|entry| entry.path()).next() else {
        bail!("no container has a log in {}", logs.display())
    };
    Ok(std::fs::read_dir(container)?.flatten().map(|entry| entry.path()).max())
}
