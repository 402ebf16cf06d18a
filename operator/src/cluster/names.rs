//! Names and labels of what is made for a `StatefulCluster`.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::{Resource, ResourceExt};
use stateful_cluster::names::{ClaimTemplate, Identity};
use stateful_cluster::target::Revision;

use super::Wanted;
use crate::api::{NAME_LABEL, StatefulCluster};

/// On every pod and claim: whose it is. It is never withdrawn, so that a pod that is set aside is still seen.
pub(crate) const IDENTITY: &str = "enge.me/identity";

/// On every claim: the UID of the resource. Another one of the same name has no right to it.
pub(crate) const CLUSTER_UID: &str = "enge.me/statefulcluster-uid";

/// On every claim: the template that it was made from.
pub(crate) const CLAIM_TEMPLATE: &str = "enge.me/claim-template";

/// On every claim, as an annotation: the UID of the pod that it was made for.
pub(super) const POD_UID: &str = "enge.me/pod-uid";

/// On a pod whose images were changed, as an annotation: the containers, by their IDs, that end for it. While they are
/// reported, what is reported of the pod is of before.
pub(super) const ENDING: &str = "enge.me/ending-containers";

/// On every pod: the template that it was made from or brought to.
pub(super) const REVISION: &str = "controller-revision-hash";

/// Labels and annotations that a template may not have: they are written here, and read back.
pub(super) const RESERVED: [&str; 6] = [IDENTITY, CLUSTER_UID, CLAIM_TEMPLATE, REVISION, POD_UID, ENDING];

/// The claim of an identity.
pub(super) fn claim(identity: &Identity, template: &ClaimTemplate) -> String {
    format!("{template}-{identity}")
}

/// A template as the label of a pod has it.
pub(super) fn revision_label(revision: &Revision) -> String {
    format!("{}-{}", revision.lasting, revision.in_place)
}

/// The template that a label names. What is none of ours equals no template that is wanted.
pub(super) fn revision_of(label: &str) -> Revision {
    let (lasting, in_place) = label.split_once('-').unwrap_or((label, ""));
    Revision { lasting: lasting.into(), in_place: in_place.into() }
}

/// The ControllerRevision of a template.
pub(super) fn revision_name(cluster: &str, revision: &Revision) -> String {
    format!("{cluster}-{}", revision_label(revision))
}

/// The label of the pods whose template is kept under this name.
pub(crate) fn label_of_revision<'a>(name: &'a str, cluster: &str, uid: &str) -> &'a str {
    let label = name.strip_prefix(cluster).and_then(|rest| rest.strip_prefix('-')).unwrap_or(name);
    label.strip_suffix(uid).and_then(|rest| rest.strip_suffix('-')).unwrap_or(label)
}

/// Under which names the template of pods with this label may be kept: the second, where another resource has the first, for
/// nobody else has its UID.
pub(crate) fn kept_as(label: &str, cluster: &str, uid: &str) -> [String; 2] {
    let name = format!("{cluster}-{label}");
    let own = format!("{name}-{uid}");
    [name, own]
}

/// The label that everything of a StatefulCluster has.
pub(super) fn own_label(cluster: &str) -> BTreeMap<String, String> {
    [(NAME_LABEL.to_owned(), cluster.to_owned())].into()
}

/// Without `blockOwnerDeletion`: it would ask for the right to change finalizers.
pub(super) fn owner(name: &str, uid: &str) -> OwnerReference {
    OwnerReference {
        api_version: StatefulCluster::api_version(&()).into_owned(),
        kind: StatefulCluster::kind(&()).into_owned(),
        name: name.to_owned(),
        uid: uid.to_owned(),
        controller: Some(true),
        block_owner_deletion: None,
    }
}

/// The object was made for the resource of this UID.
pub(super) fn is_owned(meta: &ObjectMeta, uid: &str) -> bool {
    meta.owner_references.iter().flatten().any(|owner| owner.controller == Some(true) && owner.uid == uid)
}

/// The object was made for some resource of this name, of now or of before.
pub(super) fn is_of_name(meta: &ObjectMeta, name: &str) -> bool {
    let kind = StatefulCluster::kind(&());
    let is_made_by =
        |owner: &OwnerReference| owner.controller == Some(true) && owner.kind == kind && owner.name == name;
    meta.owner_references.iter().flatten().any(is_made_by)
}

/// By which label the API server finds the claims of a resource, and more.
pub(super) fn selector_of_claims(wanted: &Wanted) -> String {
    match wanted.takes_over {
        true => format!("{NAME_LABEL}={}", wanted.name),
        false => format!("{CLUSTER_UID}={}", wanted.uid),
    }
}

/// It was made for this resource or, where that takes over what is left of a former one, for one of its name.
pub(super) fn is_claim_of(claim: &PersistentVolumeClaim, wanted: &Wanted) -> bool {
    let label = |name: &str| claim.labels().get(name);
    let is_left = || {
        let made = label(IDENTITY).zip(label(CLAIM_TEMPLATE));
        let made = made.map(|(of, template)| self::claim(&of.as_str().into(), &template.as_str().into()));
        label(NAME_LABEL) == Some(&wanted.name) && made.is_some() && made == claim.metadata.name
    };
    label(CLUSTER_UID) == Some(&wanted.uid) || (wanted.takes_over && is_left())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::target::fixture::wanted;
    use serde_json::json;

    #[test]
    fn claims_of_a_former_resource_of_the_name_are_taken_over_only_where_an_owner_decides() {
        let claim = |uid: &str, name: &str| -> PersistentVolumeClaim {
            serde_json::from_value(json!({"metadata": {"name": name, "labels": {NAME_LABEL: "coder",
                CLUSTER_UID: uid, IDENTITY: "coder-a", CLAIM_TEMPLATE: "data"}}}))
            .unwrap()
        };
        let alone = wanted(json!({}));
        let owned = Wanted { takes_over: true, ..alone.clone() };
        for (sentence, claim, by_alone, by_owned) in [
            ("its own", claim("c0", "data-coder-a"), true, true),
            ("of a former one", claim("former", "data-coder-a"), false, true),
            ("of none that its pods would mount", claim("former", "copy-of-data"), false, false),
        ] {
            let found = [&alone, &owned].map(|wanted| is_claim_of(&claim, wanted));
            assert_eq!(found, [by_alone, by_owned], "{sentence}");
        }
        let mut other = claim("former", "data-coder-a");
        other.labels_mut().insert(NAME_LABEL.into(), "other".into());
        assert!(!is_claim_of(&other, &owned), "of another name");
    }

    #[test]
    fn a_template_is_read_back_from_its_label() {
        let revision = Revision { lasting: "a1".into(), in_place: "b2".into() };
        assert_eq!(revision_of(&revision_label(&revision)), revision);
        let label = revision_label(&revision);
        for kept in kept_as(&label, "db", "u-1") {
            assert_eq!(label_of_revision(&kept, "db", "u-1"), label);
        }
        assert_ne!(revision_of("somebody's"), revision);
    }
}
