//! Templates: told apart, and made into pods and claims.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    PersistentVolumeClaim, PersistentVolumeClaimVolumeSource, Pod, PodTemplateSpec, Volume,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};
use stateful_cluster::names::{ClaimTemplate, Identity, PodUid};
use stateful_cluster::target::Revision;

use super::Wanted;
use super::eviction;
use super::names::{self, CLAIM_TEMPLATE, CLUSTER_UID, IDENTITY, POD_UID, REVISION};
use crate::children::stable_hash;

/// What of a template needs another pod if it changes, and what is written into one that lives.
pub(super) fn revision(template: &PodTemplateSpec) -> Revision {
    let mut lasting = template.spec.clone().unwrap_or_default();
    let mut images = BTreeMap::new();
    for container in &mut lasting.containers {
        images.insert(container.name.clone(), container.image.take());
    }
    let meta = template.metadata.clone().unwrap_or_default();
    let in_place = json!({"labels": meta.labels, "annotations": meta.annotations, "images": images});
    Revision {
        lasting: stable_hash(&as_json(&lasting)).as_str().into(),
        in_place: stable_hash(&in_place).as_str().into(),
    }
}

/// The pod of an identity.
pub(super) fn pod(wanted: &Wanted, template: &PodTemplateSpec, identity: &Identity) -> Pod {
    let meta = template.metadata.clone().unwrap_or_default();
    let mut spec = template.spec.clone().unwrap_or_default();
    spec.hostname = Some(identity.0.clone());
    spec.subdomain = wanted.service.clone().or(spec.subdomain);
    let volumes = spec.volumes.get_or_insert_default();
    for claim in &wanted.heart.claims {
        volumes.retain(|volume| volume.name != claim.0);
        volumes.push(claim_volume(identity, claim));
    }
    eviction::leave_to_us(&mut spec);
    Pod {
        metadata: ObjectMeta {
            name: Some(identity.0.clone()),
            namespace: Some(wanted.namespace.clone()),
            labels: Some(labels(wanted, template, identity)),
            annotations: meta.annotations,
            finalizers: meta.finalizers,
            owner_references: Some(vec![names::owner(&wanted.name, &wanted.uid)]),
            ..ObjectMeta::default()
        },
        spec: Some(spec),
        status: None,
    }
}

/// The template's, the selector's and our own.
pub(super) fn labels(
    wanted: &Wanted,
    template: &PodTemplateSpec,
    identity: &Identity,
) -> BTreeMap<String, String> {
    let mut labels = found_by(wanted, template);
    labels.insert(IDENTITY.into(), identity.0.clone());
    labels.insert(REVISION.into(), names::revision_label(&revision(template)));
    labels
}

/// Those by which services may find a pod: withdrawn when it is set aside.
pub(super) fn found_by(wanted: &Wanted, template: &PodTemplateSpec) -> BTreeMap<String, String> {
    let of_template = template.metadata.as_ref().and_then(|meta| meta.labels.clone());
    let mut labels = of_template.unwrap_or_default();
    labels.extend(wanted.labels.clone());
    labels
}

fn claim_volume(identity: &Identity, template: &ClaimTemplate) -> Volume {
    Volume {
        name: template.0.clone(),
        persistent_volume_claim: Some(PersistentVolumeClaimVolumeSource {
            claim_name: names::claim(identity, template),
            read_only: None,
        }),
        ..Volume::default()
    }
}

/// A claim for the pod that is seen, and for no other.
pub(super) fn claim(
    wanted: &Wanted,
    identity: &Identity,
    template: &ClaimTemplate,
    pod: &PodUid,
) -> Option<PersistentVolumeClaim> {
    let found = wanted.claims.iter().find(|claim| claim.metadata.name.as_ref() == Some(&template.0))?;
    let mut labels = found.metadata.labels.clone().unwrap_or_default();
    labels.extend(wanted.labels.clone());
    labels.insert(IDENTITY.into(), identity.0.clone());
    labels.insert(CLUSTER_UID.into(), wanted.uid.clone());
    labels.insert(CLAIM_TEMPLATE.into(), template.0.clone());
    let mut annotations = found.metadata.annotations.clone().unwrap_or_default();
    annotations.insert(POD_UID.into(), pod.0.clone());
    let owner = || vec![names::owner(&wanted.name, &wanted.uid)];
    Some(PersistentVolumeClaim {
        metadata: ObjectMeta {
            name: Some(names::claim(identity, template)),
            namespace: Some(wanted.namespace.clone()),
            labels: Some(labels),
            annotations: Some(annotations),
            owner_references: wanted.claims_go_with_it.then(owner),
            ..ObjectMeta::default()
        },
        spec: found.spec.clone(),
        status: None,
    })
}

fn as_json<K: serde::Serialize>(object: &K) -> Value {
    serde_json::to_value(object).expect("an object of Kubernetes is plain JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::target::fixture::{template_of as of, wanted};

    #[test]
    fn labels_annotations_and_images_are_changed_in_place_and_nothing_else() {
        let before = revision(&of("a", "x", "run"));
        for (changed, in_place) in
            [(of("b", "x", "run"), true), (of("a", "y", "run"), true), (of("a", "x", "walk"), false)]
        {
            let after = revision(&changed);
            assert_ne!(before, after);
            assert_eq!(before.lasting == after.lasting, in_place, "{changed:?}");
        }
        assert_eq!(before, revision(&of("a", "x", "run")));
    }

    #[test]
    fn a_pod_is_found_by_the_selectors_labels_and_mounts_claims_of_its_own() {
        let pod = pod(&wanted(json!({"serviceName": "peers"})), &of("a", "x", "run"), &"coder-r4nd0m".into());
        let labels = pod.metadata.labels.unwrap();
        let has = |key: &str| labels.get(key).map(String::as_str);
        assert_eq!(
            (has("app"), has("tier"), has(IDENTITY)),
            (Some("coder"), Some("x"), Some("coder-r4nd0m"))
        );
        assert_eq!(has("enge.me/statefulcluster"), Some("coder"));
        let spec = pod.spec.unwrap();
        assert_eq!(
            (spec.hostname.as_deref(), spec.subdomain.as_deref()),
            (Some("coder-r4nd0m"), Some("peers"))
        );
        let volumes = spec.volumes.unwrap();
        assert_eq!(volumes.len(), 1, "the claim takes the place of a volume of its name");
        let claim = volumes[0].persistent_volume_claim.as_ref().unwrap();
        assert_eq!(claim.claim_name, "data-coder-r4nd0m");
        assert_eq!(spec.tolerations.unwrap().len(), 2, "it stays where nothing is heard of its node");
    }

    #[test]
    fn a_claim_goes_with_the_resource_only_where_that_is_asked_for() {
        let of = |policy: Value| {
            let wanted = wanted(json!({"persistentVolumeClaimRetentionPolicy": policy}));
            claim(&wanted, &"coder-r4nd0m".into(), &"data".into(), &"u1".into()).unwrap().metadata
        };
        assert!(of(json!({"whenScaled": "Delete"})).owner_references.is_none());
        assert!(of(json!({"whenDeleted": "Delete"})).owner_references.is_some());
        assert_eq!(of(json!({})).annotations.unwrap()[POD_UID], "u1");
    }
}
