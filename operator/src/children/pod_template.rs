//! The pod: the containers of the resource, and beside them what the commands and their guard need.

use k8s_openapi::api::core::v1::{
    Affinity, Container, DownwardAPIVolumeFile, DownwardAPIVolumeSource, EmptyDirVolumeSource, EnvVar,
    EnvVarSource, ObjectFieldSelector, PodAffinityTerm, PodSpec, PodTemplateSpec, ResourceRequirements,
    SecretVolumeSource, Volume, VolumeMount,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};

use super::names::{ACTIVE_MEMBER, ROLE, RUN_FOLDER, headless_service_name, pod_labels};
use super::readiness;
use crate::target::{Target, Template};

const RUN_VOLUME: &str = "rss-run";
const INFO_VOLUME: &str = "rss-podinfo";
const INFO_FOLDER: &str = "/etc/podinfo";
const SECRET_FOLDER: &str = "/etc/rss/secrets";

/// CHAOS_MODULO is this, less the level.
const CHAOS_RANGE: u32 = 20;

/// The pod of every replica.
pub(super) fn build(target: &Target) -> PodTemplateSpec {
    let template = &target.template;
    PodTemplateSpec {
        metadata: Some(metadata(target)),
        spec: Some(PodSpec {
            containers: containers(target),
            init_containers: none_if_empty(
                template.init_containers.iter().map(|container| equipped(target, container)).collect(),
            ),
            volumes: Some(volumes(template)),
            security_context: template.security_context.clone(),
            node_selector: (!template.node_selector.is_empty()).then(|| template.node_selector.clone()),
            automount_service_account_token: template.automount_token,
            termination_grace_period_seconds: i64::try_from(template.grace.as_secs()).ok(),
            topology_spread_constraints: none_if_empty(template.spread.clone()),
            service_account_name: template.service_account.clone(),
            image_pull_secrets: none_if_empty(template.image_pull_secrets.clone()),
            affinity: affinity(target),
            tolerations: none_if_empty(template.tolerations.clone()),
            readiness_gates: Some(readiness::gates()),
            ..PodSpec::clone(&template.passed_on)
        }),
    }
}

fn none_if_empty<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

/// A new pod serves nobody, whatever its predecessor did.
fn metadata(target: &Target) -> ObjectMeta {
    let mut labels = target.labels.clone();
    labels.extend(pod_labels(target));
    labels.insert(ACTIVE_MEMBER.into(), "false".into());
    labels.insert(ROLE.into(), "stopped".into());
    ObjectMeta {
        labels: Some(labels),
        annotations: (!target.annotations.is_empty()).then(|| target.annotations.clone()),
        ..ObjectMeta::default()
    }
}

fn containers(target: &Target) -> Vec<Container> {
    let mut all: Vec<_> =
        target.template.containers.iter().map(|container| equipped(target, container)).collect();
    if let Some(first) = all.first_mut() {
        // The guard compares it with the pod that a command was meant for.
        first.env.get_or_insert_default().insert(0, field("RSS_POD_UID", "metadata.uid"));
        first.volume_mounts.get_or_insert_default().push(mount(RUN_VOLUME, RUN_FOLDER, false));
        first.readiness_probe.get_or_insert_with(|| readiness::probe(target));
        let none = ResourceRequirements::default();
        if first.resources.as_ref().is_none_or(|resources| *resources == none) {
            first.resources.clone_from(&target.template.resources);
        }
    }
    all
}

/// What every container gets. A variable that the resource sets itself stays as it is.
fn equipped(target: &Target, container: &Container) -> Container {
    let mut container = container.clone();
    let given = container.env.take().unwrap_or_default();
    let ours =
        environment(target).into_iter().filter(|ours| given.iter().all(|theirs| theirs.name != ours.name));
    // Ours come first, so that theirs may refer to them.
    container.env = Some(ours.chain(given.iter().cloned()).collect());
    let mounts = container.volume_mounts.get_or_insert_default();
    mounts.push(mount(INFO_VOLUME, INFO_FOLDER, true));
    for (index, secret) in target.template.secrets.iter().enumerate() {
        mounts.push(mount(&secret_volume(index), &format!("{SECRET_FOLDER}/{secret}"), true));
    }
    container
}

fn environment(target: &Target) -> Vec<EnvVar> {
    let mut all = vec![
        value("SERVICE_NAME", headless_service_name(target)),
        field("POD_NAME", "metadata.name"),
        field("POD_NAMESPACE", "metadata.namespace"),
    ];
    if let Some(level) = target.template.chaos_level {
        all.push(value("CHAOS_LEVEL", level.to_string()));
        all.push(value("CHAOS_MODULO", CHAOS_RANGE.saturating_sub(level).to_string()));
    }
    all
}

fn value(name: &str, value: String) -> EnvVar {
    EnvVar { name: name.into(), value: Some(value), value_from: None }
}

fn field(name: &str, path: &str) -> EnvVar {
    let source = EnvVarSource { field_ref: Some(field_ref(path)), ..EnvVarSource::default() };
    EnvVar { name: name.into(), value: None, value_from: Some(source) }
}

/// The version is written out: the server would add it, and the comparison see a difference.
fn field_ref(path: &str) -> ObjectFieldSelector {
    ObjectFieldSelector { api_version: Some("v1".into()), field_path: path.into() }
}

fn mount(volume: &str, path: &str, read_only: bool) -> VolumeMount {
    VolumeMount {
        name: volume.into(),
        mount_path: path.into(),
        read_only: read_only.then_some(true),
        ..VolumeMount::default()
    }
}

/// By position: the name of a secret may be longer than that of a volume, and have dots.
fn secret_volume(index: usize) -> String {
    format!("rss-secret-{index}")
}

fn volumes(template: &Template) -> Vec<Volume> {
    let mut all = template.volumes.clone();
    // On disk, not in memory: a reboot of the node keeps the pod, and must keep the traces of its commands.
    all.push(Volume {
        name: RUN_VOLUME.into(),
        empty_dir: Some(EmptyDirVolumeSource::default()),
        ..Volume::default()
    });
    let files = ["labels", "annotations"].map(|name| DownwardAPIVolumeFile {
        path: name.into(),
        field_ref: Some(field_ref(&format!("metadata.{name}"))),
        ..DownwardAPIVolumeFile::default()
    });
    let info = DownwardAPIVolumeSource { items: Some(files.into()), default_mode: None };
    all.push(Volume { name: INFO_VOLUME.into(), downward_api: Some(info), ..Volume::default() });
    for (index, secret) in template.secrets.iter().enumerate() {
        let source =
            SecretVolumeSource { secret_name: Some(secret.clone()), ..SecretVolumeSource::default() };
        all.push(Volume { name: secret_volume(index), secret: Some(source), ..Volume::default() });
    }
    all
}

fn affinity(target: &Target) -> Option<Affinity> {
    let template = &target.template;
    if !template.anti_affinity {
        return template.affinity.clone();
    }
    let mut affinity = template.affinity.clone().unwrap_or_default();
    let apart = PodAffinityTerm {
        topology_key: "kubernetes.io/hostname".into(),
        label_selector: Some(LabelSelector {
            match_labels: Some(pod_labels(target)),
            ..LabelSelector::default()
        }),
        ..PodAffinityTerm::default()
    };
    let terms = affinity.pod_anti_affinity.get_or_insert_default();
    terms.required_during_scheduling_ignored_during_execution.get_or_insert_default().push(apart);
    Some(affinity)
}
