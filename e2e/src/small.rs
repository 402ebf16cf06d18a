//! Volumes of the local cluster that hold no more than they say.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;
use xtask::cluster::Cluster;

use crate::Space;

/// A volume on each of some nodes, of a class of their own; they go with this.
pub struct SmallVolumes {
    /// What a claim names to get one of them.
    pub class: String,
    cluster: Cluster,
    /// Nodes, and where the volume is on each.
    places: Vec<(String, PathBuf)>,
}

// === impl SmallVolumes ===

impl SmallVolumes {
    /// Of so many mebibytes, on these nodes.
    ///
    /// # Errors
    /// If they cannot be made.
    pub fn make(space: &Space, nodes: &[String], mebibytes: u32) -> Result<Self> {
        let class = format!("small-{}", space.name);
        let mut made = Self { class, cluster: Cluster::attach()?, places: Vec::new() };
        for node in nodes {
            let path = made.cluster.bound_folder(node, &made.class, mebibytes)?;
            made.places.push((node.clone(), path));
        }
        let volumes: Vec<_> = made
            .places
            .iter()
            .map(|(node, path)| {
                json!({
                    "apiVersion": "v1",
                    "kind": "PersistentVolume",
                    "metadata": {"name": format!("{}-{node}", made.class), "labels": {"class": made.class}},
                    "spec": {
                        "capacity": {"storage": "10Gi"},
                        "accessModes": ["ReadWriteOnce"],
                        "storageClassName": made.class,
                        "persistentVolumeReclaimPolicy": "Retain",
                        "local": {"path": path},
                        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                            {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]},
                        ]}]}},
                    },
                })
            })
            .collect();
        let list = json!({"apiVersion": "v1", "kind": "List", "items": volumes});
        made.cluster.kubectl_with_input(&["create", "-f", "-"], &list.to_string())?;
        Ok(made)
    }
}

impl Drop for SmallVolumes {
    fn drop(&mut self) {
        // The claims are still there; the volumes go when they do. Nobody is left to tell of a failure.
        let of_class = format!("class={}", self.class);
        self.cluster.kubectl(&["delete", "persistentvolumes", "-l", &of_class, "--wait=false"]).ok();
        for (node, path) in &self.places {
            self.cluster.remove_bound_folder(node, path).ok();
        }
    }
}
