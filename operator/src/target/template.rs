//! The pod that is wanted, and where its data lives.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use k8s_openapi::api::core::v1::{
    Affinity, Container, LocalObjectReference, PersistentVolumeClaim, PodSecurityContext, PodSpec,
    ResourceRequirements, Toleration, TopologySpreadConstraint, Volume,
};

use super::invalid::Problems;
use crate::api::{Pod, SetSpec};

/// Seconds that a deleted pod has to end by itself: a database may have much to write.
const DEFAULT_GRACE: i64 = 600;

/// Names of volumes that begin so are the operator's.
const OWN_VOLUMES: &str = "rss-";

/// Names of environment variables that begin so are the operator's: the guard of a command rests on them.
const OWN_VARIABLES: &str = "RSS_";

/// Folders that the operator mounts.
const OWN_FOLDERS: [&str; 3] = ["/run/rss", "/etc/podinfo", "/etc/rss/secrets"];

/// The pod that is wanted, before the operator adds what is its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Template {
    /// At least one; commands run in the first.
    pub containers: Vec<Container>,
    /// Containers that run before the others.
    pub init_containers: Vec<Container>,
    /// Volumes beside the claims.
    pub volumes: Vec<Volume>,
    /// A claim of its own for each replica.
    pub claims: Vec<PersistentVolumeClaim>,
    /// Security attributes of the pod.
    pub security_context: Option<PodSecurityContext>,
    /// From both places where it can be written.
    pub node_selector: BTreeMap<String, String>,
    /// Whether the token of the service account is mounted; `None` as the account says.
    pub automount_token: Option<bool>,
    /// Whether two replicas may never share a node.
    pub anti_affinity: bool,
    /// Time to end after a deletion; whole seconds.
    pub grace: Duration,
    /// How replicas are spread.
    pub spread: Vec<TopologySpreadConstraint>,
    /// Names of secrets to be mounted.
    pub secrets: Vec<String>,
    /// The first container's, where it has none.
    pub resources: Option<ResourceRequirements>,
    /// The service account; `None` is the namespace's default.
    pub service_account: Option<String>,
    /// Credentials for pulling images.
    pub image_pull_secrets: Vec<LocalObjectReference>,
    /// Scheduling constraints beside `anti_affinity`.
    pub affinity: Option<Affinity>,
    /// Taints that are borne.
    pub tolerations: Vec<Toleration>,
    /// Fields of the pod that the operator only hands on.
    pub passed_on: Box<PodSpec>,
    /// From 1 to 19 where applications are to test themselves.
    pub chaos_level: Option<u32>,
}

/// Where the data of a replica lives, and with it what identifies the holder of that data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// On claims of its own: it outlives pods.
    Claims {
        /// Where the first container mounts the first of them: the folder that carries the volume lock.
        lock_mount: Option<String>,
    },
    /// In an emptyDir that the first container mounts: it lives as long as the pod.
    Pod,
    /// In the first container's own file system: it lives as long as that container.
    Container,
}

/// The fields of the pod that the operator only hands on.
fn passed_on(pod: &Pod) -> PodSpec {
    PodSpec {
        priority_class_name: pod.priority_class_name.clone(),
        runtime_class_name: pod.runtime_class_name.clone(),
        scheduler_name: pod.scheduler_name.clone(),
        host_aliases: (!pod.host_aliases.is_empty()).then(|| pod.host_aliases.clone()),
        dns_policy: pod.dns_policy.clone(),
        dns_config: pod.dns_config.clone(),
        enable_service_links: pod.enable_service_links,
        host_users: pod.host_users,
        ..PodSpec::default()
    }
}

impl Template {
    pub(super) fn parse(spec: &SetSpec, problems: &mut Problems) -> Self {
        let pod = &spec.pod;
        if pod.containers.is_empty() {
            problems.add(
                "spec.pod.containers",
                "it is empty",
                "name at least one; commands run in the first",
            );
        }
        refuse_unnamed(pod, problems);
        refuse_own_names(pod, problems);
        refuse_claims_of_one_name(pod, problems);
        refuse_claims_that_hold_nothing(pod, problems);
        refuse_relative_mounts(pod, problems);
        let grace = pod.termination_grace_period_seconds.unwrap_or(DEFAULT_GRACE);
        if grace < 0 {
            problems.add(
                "spec.pod.terminationGracePeriodSeconds",
                format!("{grace} is less than 0"),
                "write a number of seconds",
            );
        }
        if spec.chaos_level.is_some_and(|level| level > 19) {
            problems.add("spec.chaosLevel", "it is above 19", "write 0 to 19: CHAOS_MODULO is 20 less it");
        }
        Self {
            containers: pod.containers.clone(),
            init_containers: pod.init_containers.clone(),
            volumes: pod.volumes.clone(),
            claims: pod.volume_claim_templates.clone(),
            security_context: pod.security_context.clone(),
            node_selector: node_selector(spec, problems),
            automount_token: pod.automount_service_account_token,
            anti_affinity: pod.anti_affinity.unwrap_or(false),
            grace: Duration::from_secs(grace.unsigned_abs()),
            spread: pod.topology_spread_constraints.clone(),
            passed_on: Box::new(passed_on(pod)),
            secrets: spec.secrets.clone(),
            resources: spec.resources.clone(),
            service_account: spec.service_account_name.clone(),
            image_pull_secrets: spec.image_pull_secrets.clone(),
            affinity: spec.affinity.clone(),
            tolerations: spec.tolerations.clone(),
            chaos_level: spec
                .chaos_level
                .and_then(|level| u32::try_from(level).ok())
                .filter(|level| *level > 0),
        }
    }

    /// Where the data lives.
    #[must_use]
    pub fn storage(&self) -> Storage {
        let mounts =
            self.containers.first().and_then(|first| first.volume_mounts.as_deref()).unwrap_or_default();
        let mount = |name: Option<&str>| mounts.iter().find(|mount| Some(mount.name.as_str()) == name);
        if !self.claims.is_empty() {
            let lock = self.claims.iter().find_map(|claim| mount(claim.metadata.name.as_deref()));
            return Storage::Claims { lock_mount: lock.map(|mount| mount.mount_path.clone()) };
        }
        let scratch = |volume: &Volume| volume.empty_dir.is_some() && mount(Some(&volume.name)).is_some();
        if self.volumes.iter().any(scratch) { Storage::Pod } else { Storage::Container }
    }
}

fn node_selector(spec: &SetSpec, problems: &mut Problems) -> BTreeMap<String, String> {
    let mut joined = spec.node_selector.clone().unwrap_or_default();
    for (key, value) in spec.pod.node_selector.iter().flatten() {
        if joined.get(key).is_some_and(|other| other != value) {
            problems.add(
                format!("spec.pod.nodeSelector[{key}]"),
                "spec.nodeSelector has another value for this key",
                "write it in one of the two places",
            );
        }
        joined.insert(key.clone(), value.clone());
    }
    joined
}

/// A member is known by its claims: where its application writes elsewhere, its data would be gone while all are there.
fn refuse_claims_that_hold_nothing(pod: &Pod, problems: &mut Problems) {
    let mounts =
        pod.containers.iter().flat_map(|of| of.volume_mounts.iter().flatten()).map(|mount| &mount.name);
    let devices =
        pod.containers.iter().flat_map(|of| of.volume_devices.iter().flatten()).map(|device| &device.name);
    let used: BTreeSet<_> = mounts.chain(devices).collect();
    let mut claims = pod.volume_claim_templates.iter().filter_map(|claim| claim.metadata.name.as_ref());
    if !pod.containers.is_empty()
        && !pod.volume_claim_templates.is_empty()
        && !claims.any(|name| used.contains(name))
    {
        problems.add(
            "spec.pod.volumeClaimTemplates",
            "no container mounts any of them, and what the application writes would end with its pod",
            "mount one where the application keeps its data, or name no claims",
        );
    }
}

/// The API server takes two claim templates of one name, and then no pod can be made.
fn refuse_claims_of_one_name(pod: &Pod, problems: &mut Problems) {
    let mut seen = BTreeSet::new();
    for name in pod.volume_claim_templates.iter().filter_map(|claim| claim.metadata.name.as_deref()) {
        if !seen.insert(name) {
            problems.add(
                format!("spec.pod.volumeClaimTemplates[{name}]"),
                "two templates have this name",
                "give each a name of its own",
            );
        }
    }
}

/// Taken from `/` by one runtime and refused by another; the volume lock is asked for at this path.
fn refuse_relative_mounts(pod: &Pod, problems: &mut Problems) {
    for (list, containers) in [("containers", &pod.containers), ("initContainers", &pod.init_containers)] {
        for container in containers {
            let mounts = container.volume_mounts.iter().flatten();
            for mount in mounts.filter(|mount| !mount.mount_path.starts_with('/')) {
                problems.add(
                    format!("spec.pod.{list}[{}].volumeMounts[{}].mountPath", container.name, mount.name),
                    format!("{:?} is no absolute path", mount.mount_path),
                    "begin it with /",
                );
            }
        }
    }
}

/// The schema takes an empty name, and then no pod can be made.
fn refuse_unnamed(pod: &Pod, problems: &mut Problems) {
    for (list, containers) in [("containers", &pod.containers), ("initContainers", &pod.init_containers)] {
        for (at, _) in containers.iter().enumerate().filter(|(_, container)| container.name.is_empty()) {
            problems.add(format!("spec.pod.{list}[{at}].name"), "it is empty", "write a DNS label");
        }
    }
}

fn refuse_own_names(pod: &Pod, problems: &mut Problems) {
    let claims = pod.volume_claim_templates.iter().filter_map(|claim| claim.metadata.name.as_deref());
    let volumes = pod.volumes.iter().map(|volume| volume.name.as_str());
    let named =
        volumes.map(|name| ("volumes", name)).chain(claims.map(|name| ("volumeClaimTemplates", name)));
    for (list, name) in named.filter(|(_, name)| name.starts_with(OWN_VOLUMES)) {
        problems.add(
            format!("spec.pod.{list}[{name}]"),
            "names that begin with \"rss-\" are the operator's",
            "choose another",
        );
    }
    for (list, containers) in [("containers", &pod.containers), ("initContainers", &pod.init_containers)] {
        for container in containers {
            let at = format!("spec.pod.{list}[{}]", container.name);
            for variable in container.env.iter().flatten().filter(|v| v.name.starts_with(OWN_VARIABLES)) {
                problems.add(
                    format!("{at}.env[{}]", variable.name),
                    "names that begin with \"RSS_\" are the operator's",
                    "choose another",
                );
            }
            for mount in container.volume_mounts.iter().flatten() {
                let path = mount.mount_path.trim_end_matches('/');
                if OWN_FOLDERS.iter().any(|own| path == *own || path.starts_with(&format!("{own}/"))) {
                    problems.add(
                        format!("{at}.volumeMounts[{}]", mount.name),
                        format!("{path} is where the operator mounts something"),
                        "mount it elsewhere",
                    );
                }
            }
        }
    }
}
