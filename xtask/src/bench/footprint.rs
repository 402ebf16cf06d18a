//! What the operator weighs: its program, and what is resident of it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::phases::{merge, target};
use crate::demo::place::{Place, Where};

/// Bytes, of the program and of what is resident.
const MOST_BYTES: f64 = 45e6;

/// How large the program is.
pub(super) fn size(program: &Path) -> Result<Value> {
    let bytes = fs::metadata(program)?.len();
    let mut line = json!({"bench": "size", "bytes": bytes});
    merge(&mut line, Some(bytes_target(bytes)));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_read_in_bytes() {
        assert_eq!(resident("VmHWM:\t  20000 kB\nVmRSS:\t   15000 kB\n"), Some(15_360_000));
        assert_eq!(resident("Name:\trss-operator\n"), None);
    }

    #[test]
    fn just_forty_five_million_bytes_are_too_many() {
        assert_eq!(bytes_target(44_999_999)["met"], true);
        assert_eq!(bytes_target(45_000_000)["met"], false);
    }
}
