//! Bridges, forwarding and kernel settings: the part of the cluster that lies in the host.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::layout::{self, BRIDGE_PREFIX, CONTROL_PLANE, NFT_TABLE, Node, POD_NETWORK, SERVICE_NETWORK};
use crate::run;

/// What the nodes need, and what a kubelet sets by itself: all put back by `down`.
const SETTINGS: [(&str, &str); 8] = [
    ("net/ipv4/ip_forward", "1"),
    // Each container runtime and kubelet watches dozens of folders; the default is 128 for all of root.
    ("fs/inotify/max_user_instances", "4096"),
    ("fs/inotify/max_user_watches", "524288"),
    ("vm/overcommit_memory", "1"),
    ("kernel/panic", "10"),
    ("kernel/panic_on_oops", "1"),
    ("kernel/keys/root_maxkeys", "1000000"),
    ("kernel/keys/root_maxbytes", "25000000"),
];

/// Make the bridges, the rules and the settings.
pub(crate) fn create(nodes: u8) -> Result<()> {
    raise_settings()?;
    bridge(&format!("{BRIDGE_PREFIX}0"), &format!("{CONTROL_PLANE}/32"))?;
    for node in Node::all(nodes) {
        bridge(&node.bridge(), &format!("{}/24", node.address()))?;
    }
    let_forward()?;
    // Pods have the host's way out; among themselves and to services they keep their own address.
    // `add` before `delete` makes the removal of an older table succeed when there is none.
    apply_rules(&format!(
        "add table ip {NFT_TABLE}\n\
         delete table ip {NFT_TABLE}\n\
         table ip {NFT_TABLE} {{\n\
           chain outward {{\n\
             type nat hook postrouting priority srcnat; policy accept;\n\
             ip saddr {POD_NETWORK} ip daddr != {{ {POD_NETWORK}, {SERVICE_NETWORK} }} masquerade\n\
           }}\n\
         }}\n"
    ))
}

/// Remove all of it, whether or not `create` came to its end.
pub(crate) fn remove() -> Result<()> {
    for link in links()? {
        // Removed by someone else in between is removed.
        if let Err(error) = run::words(&["ip", "link", "delete", "dev", &link])
            && PathBuf::from("/sys/class/net").join(&link).exists()
        {
            return Err(error);
        }
    }
    if run::find("nft").is_some() {
        for table in ["ip rss-cluster", "ip kube-proxy", "ip6 kube-proxy"] {
            apply_rules(&format!("add table {table}\ndelete table {table}\n"))?;
        }
    }
    stop_forward();
    restore_settings()
}

/// A container engine may have told the host to forward nothing: then ours is let through by name.
/// In another table it would not help, for a packet must pass all of them.
fn let_forward() -> Result<()> {
    if !run::words(&["nft", "list", "chain", "ip", "filter", "FORWARD"])
        .is_ok_and(|t| t.contains("policy drop"))
    {
        return Ok(());
    }
    for direction in ["--source", "--destination"] {
        forward_rule("--insert", direction)
            .context("the host forwards nothing, and no exception can be made")?;
    }
    Ok(())
}

fn stop_forward() {
    // The comment of a rule is not in this list, but its network is.
    let rules = run::words(&["nft", "list", "chain", "ip", "filter", "FORWARD"]).unwrap_or_default();
    if !rules.contains(POD_NETWORK) {
        return;
    }
    for direction in ["--source", "--destination"] {
        // As often as a killed run may have made it; the last try finds nothing, and fails.
        while forward_rule("--delete", direction).is_ok() {}
    }
}

fn forward_rule(change: &str, direction: &str) -> Result<String> {
    let comment = ["--match", "comment", "--comment", NFT_TABLE, "--jump", "ACCEPT"];
    run::words(&[&["iptables", change, "FORWARD", direction, POD_NETWORK], comment.as_slice()].concat())
}

fn bridge(name: &str, address: &str) -> Result<()> {
    run::words(&["ip", "link", "add", "name", name, "type", "bridge"])?;
    run::words(&["ip", "address", "add", address, "dev", name])?;
    run::words(&["ip", "link", "set", "dev", name, "up"])?;
    Ok(())
}

/// Our bridges and the host's ends of our pods' cables, these first.
fn links() -> Result<Vec<String>> {
    let all: Value = serde_json::from_str(&run::words(&["ip", "-json", "link", "show"])?)?;
    let all = all.as_array().context("ip printed no list of links")?;
    let text = |link: &Value, field: &str| link[field].as_str().unwrap_or_default().to_owned();
    let cables = all.iter().filter(|link| text(link, "master").starts_with(BRIDGE_PREFIX));
    let bridges = all.iter().filter(|link| text(link, "ifname").starts_with(BRIDGE_PREFIX));
    Ok(cables.chain(bridges).map(|link| text(link, "ifname")).collect())
}

fn apply_rules(rules: &str) -> Result<()> {
    let nft = run::find("nft").context("nft is not installed")?;
    let mut child =
        Command::new(nft).args(["-f", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    child.stdin.take().context("nft has no standard input")?.write_all(rules.as_bytes())?;
    let done = child.wait_with_output()?;
    if !done.status.success() {
        bail!("nft refused our rules: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(())
}

fn raise_settings() -> Result<()> {
    fs::create_dir_all(saved_settings())?;
    for (name, wanted) in SETTINGS {
        let path = PathBuf::from("/proc/sys").join(name);
        let Ok(before) = fs::read_to_string(&path) else { continue };
        let number = |text: &str| text.trim().parse::<i64>().unwrap_or_default();
        fs::write(saved_settings().join(name.replace('/', ".")), &before)?;
        if number(&before) < number(wanted) {
            fs::write(&path, wanted)
                .with_context(|| format!("failed to set {} to {wanted}", path.display()))?;
        }
    }
    Ok(())
}

fn restore_settings() -> Result<()> {
    for (name, _) in SETTINGS {
        if let Ok(before) = fs::read_to_string(saved_settings().join(name.replace('/', "."))) {
            let path = PathBuf::from("/proc/sys").join(name);
            fs::write(&path, before).with_context(|| format!("failed to restore {}", path.display()))?;
        }
    }
    Ok(())
}

fn saved_settings() -> PathBuf {
    layout::state().join("settings")
}
