//! Names and labels of what is made for a `StatefulCluster`.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::Resource;
use stateful_cluster::names::{ClaimTemplate, Identity};
use stateful_cluster::target::Revision;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_read_back_from_its_label() {
        let revision = Revision { lasting: "a1".into(), in_place: "b2".into() };
        assert_eq!(revision_of(&revision_label(&revision)), revision);
        assert_ne!(revision_of("somebody's"), revision);
    }
}
