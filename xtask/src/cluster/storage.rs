//! Claims that stay on their node: folders made in advance, each behind a `local` volume.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::Cluster;
use super::layout::{self, Node};

/// Enough for a dozen sets of claims at a time; a test run recycles what it released.
const SHARED_PER_NODE: u8 = 24;
/// A volume for ReadWriteOncePod may list no other access mode, so these are apart.
const EXCLUSIVE_PER_NODE: u8 = 8;
/// What a volume claims to hold; a folder enforces no size.
const SIZE: &str = "10Gi";
/// The storage class, which is also the default one.
const CLASS: &str = "local";

/// Make the class and every node's volumes.
pub(crate) fn create(cluster: &Cluster) -> Result<()> {
    let mut items = vec![json!({
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": CLASS, "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
        "provisioner": "kubernetes.io/no-provisioner",
        "volumeBindingMode": "WaitForFirstConsumer",
        "reclaimPolicy": "Retain",
    })];
    for node in Node::all(cluster.nodes) {
        for number in 1..=SHARED_PER_NODE + EXCLUSIVE_PER_NODE {
            let mode = if number <= SHARED_PER_NODE { "ReadWriteOnce" } else { "ReadWriteOncePod" };
            let name = format!("{}-{number:02}", node.name());
            let folder = node.volumes().join(&name);
            make_folder(&folder)?;
            items.push(volume(&name, node, mode, &folder));
        }
    }
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    cluster.kubectl_with_input(&["create", "--validate=false", "-f", "-"], &serde_json::to_string(&list)?)?;
    Ok(())
}

/// Empty the volumes whose claims are gone and offer them again; how many there were.
pub(crate) fn recycle(cluster: &Cluster) -> Result<usize> {
    let volumes: Value =
        serde_json::from_str(&cluster.kubectl(&["get", "persistentvolumes", "-o", "json"])?)?;
    let volumes = volumes["items"].as_array().context("the list of volumes has no items")?;
    let released = volumes
        .iter()
        .filter(|v| v["status"]["phase"] == "Released" && v["spec"]["storageClassName"] == CLASS);
    let mut patched = Vec::new();
    for volume in released {
        let name = volume["metadata"]["name"].as_str().context("a volume without name")?;
        let folder = Path::new(volume["spec"]["local"]["path"].as_str().context("a volume without path")?);
        anyhow::ensure!(
            folder.starts_with(layout::state()),
            "volume {name} is not ours: {}",
            folder.display()
        );
        // A new folder, not an emptied one: an orphan that still writes into the old cannot reach the next claim.
        fs::remove_dir_all(folder).with_context(|| format!("failed to empty volume {name}"))?;
        make_folder(folder)?;
        patched.push(format!("persistentvolume/{name}"));
    }
    if !patched.is_empty() {
        let mut words =
            vec!["patch", "--type=json", r#"--patch=[{"op": "remove", "path": "/spec/claimRef"}]"#];
        words.extend(patched.iter().map(String::as_str));
        cluster.kubectl(&words)?;
    }
    Ok(patched.len())
}

/// Any user may write: containers that do not run as root need no step to change the owner.
fn make_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777))?;
    Ok(())
}

fn volume(name: &str, node: Node, mode: &str, folder: &Path) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": SIZE},
            "accessModes": [mode],
            "storageClassName": CLASS,
            "persistentVolumeReclaimPolicy": "Retain",
            "local": {"path": folder},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                {"key": "kubernetes.io/hostname", "operator": "In", "values": [node.name()]},
            ]}]}},
        },
    })
}
