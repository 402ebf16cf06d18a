//! The StatefulSet as it is, and whether it is already what the resource asks for.

use std::collections::BTreeSet;

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use planner::names::Revision;
use planner::observation::Workload;

/// The StatefulSet was compared with what the resource asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// `metadata.generation` of the resource.
    pub generation: i64,
    /// `metadata.uid` of the StatefulSet, if it was found to be that, apart from what cannot be changed: of one that had to be
    /// written, or could not be, none.
    pub uid: Option<String>,
    /// Fields that differ and cannot be changed in place.
    pub immutable: Option<String>,
}

/// What the API shows of the StatefulSet.
pub(crate) fn workload(seen: &StatefulSet, wanted_generation: i64, applied: Option<&Applied>) -> Workload {
    let same = applied.filter(|applied| applied.uid == seen.metadata.uid);
    let replicas = seen.spec.as_ref().and_then(|spec| spec.replicas).unwrap_or(1);
    let revision = seen.status.as_ref().and_then(|status| status.update_revision.clone());
    let observed = seen.status.as_ref().and_then(|status| status.observed_generation);
    Workload {
        replicas: u32::try_from(replicas).unwrap_or(0),
        revision: Revision(revision.unwrap_or_default()),
        immutable: same.and_then(|applied| applied.immutable.clone()),
        current: is_current(&seen.metadata, observed, wanted_generation, applied),
        released: BTreeSet::new(),
    }
}

/// Whether it is what the resource asks for, and its own controller has seen that; none if it was not compared yet.
pub(super) fn is_current(
    meta: &ObjectMeta,
    observed: Option<i64>,
    wanted_generation: i64,
    applied: Option<&Applied>,
) -> Option<bool> {
    let applied = applied.filter(|applied| applied.generation == wanted_generation)?;
    let is_seen = observed.unwrap_or_default() >= meta.generation.unwrap_or_default();
    match &applied.uid {
        None => Some(false),
        same if *same == meta.uid => Some(is_seen),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn seen(generation: i64, observed: i64) -> StatefulSet {
        serde_json::from_value(json!({"metadata": {"uid": "w", "generation": generation},
            "spec": {"replicas": 3, "selector": {}, "serviceName": "", "template": {}},
            "status": {"replicas": 3, "observedGeneration": observed, "updateRevision": "r2"}}))
        .unwrap()
    }

    #[test]
    fn the_revision_is_that_of_the_wanted_template_only_once_all_have_caught_up() {
        let applied = |generation| Applied { generation, uid: Some("w".into()), immutable: None };
        let cases = [
            ("it was not compared yet", 2, 2, None, None),
            ("it is as wanted, and its controller has seen it", 2, 2, Some(applied(7)), Some(true)),
            ("the resource changed since", 2, 2, Some(applied(6)), None),
            ("its controller is behind", 2, 1, Some(applied(7)), Some(false)),
            ("it was made anew", 2, 2, Some(Applied { uid: Some("other".into()), ..applied(7) }), None),
            ("it is not as wanted", 2, 2, Some(Applied { uid: None, ..applied(7) }), Some(false)),
        ];
        for (sentence, generation, observed, applied, expected) in cases {
            let view = workload(&seen(generation, observed), 7, applied.as_ref());
            assert_eq!(view.current, expected, "{sentence}");
            assert_eq!((view.replicas, view.revision), (3, "r2".into()));
        }
    }
}
