//! What a set must be like whose members are given their identities once.

use std::collections::BTreeMap;

use super::invalid::Problems;
use crate::api::{LONGEST_CLUSTER_NAME, Retention, SetSpec};
use crate::cluster::ends_on_silent_nodes;

/// Before the name of the set.
const PREFIX: usize = "rss-".len();

pub(super) fn check(name: &str, labels: &BTreeMap<String, String>, spec: &SetSpec, problems: &mut Problems) {
    let longest = LONGEST_CLUSTER_NAME - PREFIX;
    if name.len() > longest {
        problems.add(
            "metadata.name",
            "with spec.workload StatefulCluster it is part of the names of pods",
            format!("at most {longest} characters"),
        );
    }
    if spec.pod.volume_claim_templates.is_empty() {
        problems.add(
            "spec.pod.volumeClaimTemplates",
            "it is empty, and with spec.workload StatefulCluster a member is known by its claims",
            "name at least one claim, or leave spec.workload out",
        );
    }
    let retention = spec.persistent_volume_claim_retention_policy.as_ref();
    if retention.and_then(|policy| policy.when_scaled) == Some(Retention::Delete) {
        problems.add(
            "spec.persistentVolumeClaimRetentionPolicy.whenScaled",
            "it is Delete, and with spec.workload StatefulCluster a claim that was given up may hold what never came to the others",
            "leave it out, and delete such claims yourself",
        );
    }
    for key in labels.keys().filter(|key| key.starts_with("enge.me/")) {
        problems.add(
            format!("spec.metadata.labels[{key}]"),
            "with spec.workload StatefulCluster the labels `enge.me/` of pods and claims are the operator's",
            "choose another key",
        );
    }
    // Evicted from a node that is silent for a while, none of its pods would come back to their claims.
    if ends_on_silent_nodes(&spec.tolerations) {
        problems.add(
            "spec.tolerations",
            "one bears not-ready or unreachable nodes for a while, and then all data would lie in claims that no pod mounts",
            "leave tolerationSeconds out",
        );
    }
}
