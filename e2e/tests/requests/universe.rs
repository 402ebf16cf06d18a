//! The objects of the sequences: of each kind that the operator touches, and such that no controller of a cluster does
//! more to them than what is waited for.

use serde_json::{Value, json};

/// A kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    ConfigMap,
    Lease,
    Revision,
    Service,
    Budget,
    Claim,
    Pod,
    Workload,
    Set,
    Cluster,
}

/// A finalizer that nobody but a sequence takes away.
pub(crate) const HOLD: &str = "rss.test/hold";
/// A label that has several values, or is not there.
pub(crate) const LABEL: &str = "rss.test/label";
/// An annotation that has several values.
pub(crate) const NOTE: &str = "rss.test/note";

// === impl Kind ===

impl Kind {
    pub(crate) const ALL: [Self; 10] = [
        Self::ConfigMap,
        Self::Lease,
        Self::Revision,
        Self::Service,
        Self::Budget,
        Self::Claim,
        Self::Pod,
        Self::Workload,
        Self::Set,
        Self::Cluster,
    ];

    fn group(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::ConfigMap => ("v1", "ConfigMap", "configmaps"),
            Self::Lease => ("coordination.k8s.io/v1", "Lease", "leases"),
            Self::Revision => ("apps/v1", "ControllerRevision", "controllerrevisions"),
            Self::Service => ("v1", "Service", "services"),
            Self::Budget => ("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"),
            Self::Claim => ("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
            Self::Pod => ("v1", "Pod", "pods"),
            Self::Workload => ("apps/v1", "StatefulSet", "statefulsets"),
            Self::Set => ("clusterlabs.org/v1alpha1", "ReplicatedStatefulSet", "replicatedstatefulsets"),
            Self::Cluster => ("enge.me/v1alpha1", "StatefulCluster", "statefulclusters"),
        }
    }

    /// The path of all of them in a namespace.
    pub(crate) fn path(self, namespace: &str) -> String {
        let (version, _, plural) = self.group();
        let root = if version.contains('/') { "apis" } else { "api" };
        format!("/{root}/{version}/namespaces/{namespace}/{plural}")
    }

    /// A resource of ours.
    pub(crate) fn is_custom(self) -> bool {
        matches!(self, Self::Set | Self::Cluster)
    }

    /// An object as a person or an operator makes it, in one of four ways.
    pub(crate) fn body(self, name: &str, way: u64) -> Value {
        let (version, kind, _) = self.group();
        let mut body = json!({"apiVersion": version, "kind": kind, "metadata": {"name": name}});
        if way.is_multiple_of(2) {
            body["metadata"]["labels"] = json!({LABEL: format!("v{way}")});
        }
        if way > 1 {
            body["metadata"]["annotations"] = json!({NOTE: format!("n{way}")});
        }
        let fields = self.fields(name, way);
        for (key, value) in fields.as_object().into_iter().flatten() {
            body[key] = value.clone();
        }
        body
    }

    fn fields(self, name: &str, way: u64) -> Value {
        let replicas = way % 2 + 1;
        match self {
            Self::ConfigMap => json!({"data": {"k": format!("d{way}")}}),
            Self::Lease => json!({"spec": {"holderIdentity": format!("h{way}"), "leaseTransitions": way}}),
            Self::Revision => json!({"revision": way, "data": {"spec": {"n": way}}}),
            Self::Service => {
                let mut spec = json!({"clusterIP": "None", "selector": {"app": format!("a{way}")},
                    "ports": [{"name": format!("p{way}"), "port": 80 + way}]});
                // What is false a real one stores as nothing, and finds another value in the next false.
                if way > 1 {
                    spec["publishNotReadyAddresses"] = json!(true);
                }
                json!({"spec": spec})
            }
            Self::Budget => {
                json!({"spec": {"maxUnavailable": way, "selector": {"matchLabels": {"app": name}}}})
            }
            // Of a class that nobody has: nothing is bound.
            Self::Claim => {
                json!({"spec": {"storageClassName": "rss-nobodys", "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Mi"}}}})
            }
            Self::Pod => {
                let mut spec = pod_spec(way);
                // On a node that is not there no kubelet ends it, nor does anybody else within 40 seconds of the first
                // one that is placed on it.
                if way > 0 {
                    spec["nodeName"] = json!(format!("rss-nowhere-{name}"));
                }
                json!({"spec": spec})
            }
            Self::Workload => json!({"spec": {"replicas": 0, "serviceName": name,
                "podManagementPolicy": "Parallel", "updateStrategy": {"type": "OnDelete"},
                "selector": {"matchLabels": {"app": name}},
                "template": {"metadata": {"labels": {"app": name}, "annotations": {NOTE: format!("t{way}")}},
                    "spec": pod_spec(way)}}}),
            Self::Set => {
                let command = |name: &str| json!({"command": [name]});
                json!({"spec": {"replicas": replicas, "pod": {
                    "commands": {"sequence": command("a"), "seed": command("b"), "primary": command("c"),
                        "status": command("d"), "stop": command("e")},
                    "containers": [{"name": "db", "image": "db"}]}}})
            }
            Self::Cluster => {
                json!({"spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}},
                "template": {"metadata": {"labels": {"app": name}}, "spec": pod_spec(way)}}})
            }
        }
    }

    /// A merge patch of what may be changed at any time.
    pub(crate) fn change(self, live: &Value, number: u64) -> Value {
        match self {
            Self::ConfigMap => json!({"data": {"k": format!("c{number}"), "l": null}}),
            Self::Lease => json!({"spec": {"holderIdentity": format!("c{number}")}}),
            Self::Revision => json!({"revision": number}),
            Self::Service => {
                json!({"spec": {"publishNotReadyAddresses": number.is_multiple_of(2).then_some(true)}})
            }
            Self::Budget => json!({"spec": {"maxUnavailable": number, "minAvailable": null}}),
            Self::Claim => json!({"metadata": {"annotations": {NOTE: format!("c{number}")}}}),
            Self::Pod => {
                let mut containers = live["spec"]["containers"].clone();
                containers[0]["image"] = json!(format!("i{number}"));
                json!({"spec": {"containers": containers}})
            }
            Self::Workload => {
                json!({"spec": {"template": {"metadata": {"annotations": {NOTE: format!("c{number}")}}}}})
            }
            Self::Set | Self::Cluster => json!({"spec": {"replicas": number % 3 + 1}}),
        }
    }

    /// A merge patch of what may not be changed.
    pub(crate) fn forbidden(self) -> Option<Value> {
        Some(match self {
            Self::Revision => json!({"data": {"spec": {"n": "other"}}}),
            Self::Service => json!({"spec": {"clusterIP": "10.96.1.77", "clusterIPs": ["10.96.1.77"]}}),
            Self::Claim => json!({"spec": {"storageClassName": "rss-nobodys-other"}}),
            Self::Pod => json!({"spec": {"hostname": "other"}}),
            Self::Workload => json!({"spec": {"serviceName": "other"}}),
            Self::ConfigMap | Self::Lease | Self::Budget | Self::Set | Self::Cluster => return None,
        })
    }

    /// What the operator applies of it, in one of four ways: some leave out what others have.
    pub(crate) fn applied(self, name: &str, way: u64) -> Option<Value> {
        let mut body = self.body(name, way);
        match self {
            Self::Service => {
                if way == 3 {
                    body["spec"]["ports"] = json!([{"name": "p0", "port": 80}, {"name": "q", "port": 90}]);
                }
            }
            Self::Budget => {
                if way == 3 {
                    let limit = body["spec"].as_object_mut()?.remove("maxUnavailable");
                    body["spec"]["minAvailable"] = limit.unwrap_or_default();
                }
            }
            Self::Workload => {
                body["spec"].as_object_mut()?.remove("replicas");
                if way == 3 {
                    let container = &mut body["spec"]["template"]["spec"]["containers"][0];
                    container["env"] = json!([{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]);
                }
            }
            _ => return None,
        }
        Some(body)
    }
}

/// A pod that nobody places.
fn pod_spec(way: u64) -> Value {
    json!({"schedulerName": "rss-nobody", "nodeSelector": {"rss.test/node": "none"},
        "automountServiceAccountToken": false, "terminationGracePeriodSeconds": 20,
        "containers": [{"name": "db", "image": format!("i{way}"), "env": [{"name": "A", "value": format!("{way}")}]}]})
}
