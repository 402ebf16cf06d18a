//! In what kinds of objects differ.

use serde_json::Value;

/// The rules of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kind {
    /// Written by the subresource alone, which takes nothing else.
    pub(crate) has_status: bool,
    /// Counts the changes of its spec.
    pub(crate) has_generation: bool,
    /// May be replaced without saying which version is meant.
    pub(crate) any_version: bool,
    /// A replacement of what is not there makes it.
    pub(crate) made_by_replace: bool,
    /// What is gone at once is told as it was.
    pub(crate) told_at_removal: bool,
    /// It is ended by a kubelet, in its time.
    pub(crate) is_graceful: bool,
    /// A resource that was defined: its schema knows no keys of lists.
    pub(crate) is_custom: bool,
    /// What keeps every new one until the cluster lets go.
    pub(crate) finalizer: Option<&'static str>,
}

/// The finalizers by which the cluster's own controllers hold something back, for a moment.
pub(crate) const OF_CONTROLLERS: [&str; 3] = [CLAIM_IN_USE, "orphan", "foregroundDeletion"];

const CLAIM_IN_USE: &str = "kubernetes.io/pvc-protection";

/// Of these a budget has one.
const LIMITS: [&str; 2] = ["minAvailable", "maxUnavailable"];

/// All that may be changed in the spec of a StatefulSet.
const OF_WORKLOAD: [&str; 7] = [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
];

impl Kind {
    /// By the plural. None: these rules do not know it.
    #[must_use]
    pub fn of(plural: &str) -> Option<Self> {
        let plain = Self { any_version: true, ..Self::default() };
        let counted = Self { has_generation: true, has_status: true, ..plain };
        Some(match plural {
            "configmaps" | "controllerrevisions" => plain,
            "services" => Self { has_status: true, told_at_removal: true, made_by_replace: true, ..plain },
            "leases" => Self { made_by_replace: true, any_version: false, ..plain },
            "statefulsets" => counted,
            "poddisruptionbudgets" => Self { any_version: false, ..counted },
            "pods" => Self { is_graceful: true, told_at_removal: true, ..counted },
            "persistentvolumeclaims" => {
                Self { has_status: true, told_at_removal: true, finalizer: Some(CLAIM_IN_USE), ..plain }
            }
            "replicatedstatefulsets" | "statefulclusters" => {
                Self { is_custom: true, any_version: false, ..counted }
            }
            _ => return None,
        })
    }
}

/// The field that may not be changed so, if there is one.
pub(crate) fn frozen(plural: &str, before: &Value, after: &Value) -> Option<&'static str> {
    let without = |object: &Value, fields: &[&str]| {
        let mut spec = object["spec"].clone();
        fields.iter().for_each(|field| spec[*field] = Value::Null);
        spec
    };
    let is_same = before["spec"] == after["spec"];
    let differs = |fields: &[&str]| !is_same && without(before, fields) != without(after, fields);
    match plural {
        "statefulsets" if differs(&OF_WORKLOAD) => Some("spec"),
        "pods" if !is_same && without_images(before) != without_images(after) => Some("spec"),
        "persistentvolumeclaims" if differs(&["resources"]) => Some("spec"),
        "poddisruptionbudgets" if LIMITS.iter().all(|limit| !after["spec"][limit].is_null()) => Some("spec"),
        "services" if before["spec"]["clusterIP"] != after["spec"]["clusterIP"] => Some("spec.clusterIPs[0]"),
        "controllerrevisions" if before["data"] != after["data"] => Some("data"),
        "configmaps" if before["immutable"] == true && before["data"] != after["data"] => Some("data"),
        _ => None,
    }
}

fn without_images(pod: &Value) -> Value {
    let mut spec = pod["spec"].clone();
    for container in spec["containers"].as_array_mut().into_iter().flatten() {
        container["image"] = Value::Null;
    }
    spec
}
