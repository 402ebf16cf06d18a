//! Which pods and claims belong to a set: by name, because labels can be lost and a claim that was
//! restored by hand has none. Names that are given once tell nothing: there an owner tells it, and of claims, which have
//! none, their labels.

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::{Resource, ResourceExt};
use planner::names::ReplicaName;

use crate::api::{NAME_LABEL, StatefulCluster};
use crate::cluster::IDENTITY;

/// The StatefulSet of a set.
#[must_use]
pub fn workload(set: &str) -> String {
    format!("rss-{set}")
}

/// The pod of a set with this number.
#[must_use]
pub fn replica(set: &str, ordinal: u32) -> ReplicaName {
    ReplicaName(format!("rss-{set}-{ordinal}"))
}

/// The number of a pod of this set.
#[must_use]
pub fn pod_ordinal(set: &str, pod: &str) -> Option<u32> {
    number(pod.strip_prefix("rss-")?.strip_prefix(set)?.strip_prefix('-')?)
}

/// The number of a claim made from this template for a pod of this set.
#[must_use]
pub fn claim_ordinal(set: &str, template: &str, claim: &str) -> Option<u32> {
    pod_ordinal(set, claim.strip_prefix(template)?.strip_prefix('-')?)
}

/// The set that a pod of this name belongs to, if it is one's.
#[must_use]
pub fn set_of_pod(pod: &str) -> Option<&str> {
    let (set, ordinal) = pod.strip_prefix("rss-")?.rsplit_once('-')?;
    number(ordinal).map(|_| set)
}

/// Every set that a claim of this name could belong to: a template's name may hold "-rss-" itself.
pub fn sets_of_claim(claim: &str) -> impl Iterator<Item = &str> {
    claim.match_indices("-rss-").filter_map(|(at, _)| set_of_pod(&claim[at + 1..]))
}

/// The set whose StatefulCluster made this pod.
#[must_use]
pub fn set_of_identity(pod: &Pod) -> Option<&str> {
    let kind = StatefulCluster::kind(&());
    let is_made_by = |owner: &&_| is_controller(owner, &kind);
    pod.owner_references().iter().find(is_made_by)?.name.strip_prefix("rss-")
}

fn is_controller(owner: &OwnerReference, kind: &str) -> bool {
    owner.controller == Some(true) && owner.kind == kind
}

/// The set whose StatefulCluster made this claim, and for whom.
#[must_use]
pub fn identity_of_claim(claim: &PersistentVolumeClaim) -> Option<(&str, ReplicaName)> {
    let set = claim.labels().get(NAME_LABEL)?.strip_prefix("rss-")?;
    Some((set, ReplicaName(claim.labels().get(IDENTITY)?.clone())))
}

/// A StatefulSet writes its numbers without leading zeros: `rss-x-00` is not its pod.
fn number(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    plain.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_pod_belongs_to_the_set_whose_whole_name_it_carries() {
        for (pod, ordinal) in [
            ("rss-a-0", Some(0)),
            ("rss-a-12", Some(12)),
            ("rss-a-1-0", None),
            ("rss-ab-0", None),
            ("a-0", None),
            ("rss-a-", None),
            ("rss-a-00", None),
            ("rss-a-+1", None),
        ] {
            assert_eq!(pod_ordinal("a", pod), ordinal, "{pod}");
        }
        assert_eq!(pod_ordinal("a-1", "rss-a-1-0"), Some(0));
    }

    #[test]
    fn who_was_given_its_name_once_belongs_to_the_set_whose_statefulcluster_made_it() {
        let pod = |kind: &str, name: &str, controller: bool| -> Pod {
            let owner =
                json!({"apiVersion": "v1", "kind": kind, "name": name, "uid": "u", "controller": controller});
            serde_json::from_value(json!({"metadata": {"name": "p", "ownerReferences": [owner]}})).unwrap()
        };
        assert_eq!(set_of_identity(&pod("StatefulCluster", "rss-a", true)), Some("a"));
        for other in [
            pod("StatefulCluster", "rss-a", false),
            pod("StatefulCluster", "a", true),
            pod("StatefulSet", "rss-a", true),
        ] {
            assert_eq!(set_of_identity(&other), None, "{other:?}");
        }
        let claim = |labels: serde_json::Value| -> PersistentVolumeClaim {
            serde_json::from_value(json!({"metadata": {"name": "c", "labels": labels}})).unwrap()
        };
        let made = claim(json!({"enge.me/statefulcluster": "rss-a", "enge.me/identity": "rss-a-x7"}));
        assert_eq!(identity_of_claim(&made), Some(("a", "rss-a-x7".into())));
        for other in [
            json!({"enge.me/statefulcluster": "a", "enge.me/identity": "a-x7"}),
            json!({"enge.me/statefulcluster": "rss-a"}),
        ] {
            assert_eq!(identity_of_claim(&claim(other.clone())), None, "{other}");
        }
    }

    #[test]
    fn a_claim_belongs_to_its_template_and_set() {
        assert_eq!(claim_ordinal("a", "data", "data-rss-a-3"), Some(3));
        assert_eq!(claim_ordinal("a", "data", "data2-rss-a-3"), None);
        assert_eq!(claim_ordinal("a", "data-rss-b", "data-rss-b-rss-a-3"), Some(3));
    }

    #[test]
    fn a_change_is_told_to_every_set_that_it_may_concern() {
        assert_eq!(set_of_pod("rss-a-1-0"), Some("a-1"));
        assert_eq!(set_of_pod("rss-a"), None);
        let sets: Vec<&str> = sets_of_claim("data-rss-b-rss-a-3").collect();
        assert_eq!(sets, ["b-rss-a", "a"]);
    }
}
