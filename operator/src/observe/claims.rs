//! Claims: the identity of the data, and the record that travels with it.

use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use planner::Memory;
use planner::names::ClaimUid;
use planner::observation::Claim;
use planner::record::Record;

use super::Objects;

/// The annotation that carries a holder's record.
pub(crate) const RECORD: &str = "clusterlabs.org/record";

/// What the API shows of a claim.
pub(crate) fn claim(claim: &PersistentVolumeClaim) -> Claim {
    let text = claim.metadata.annotations.as_ref().and_then(|all| all.get(RECORD));
    let record = text.map(|text| serde_json::from_str::<Record>(text));
    Claim {
        uid: ClaimUid(claim.metadata.uid.clone().unwrap_or_default()),
        bound: claim.status.as_ref().and_then(|status| status.phase.as_deref()) == Some("Bound"),
        created_at: claim
            .metadata
            .creation_timestamp
            .as_ref()
            .and_then(|at| at.0.as_second().try_into().ok()),
        terminating: claim.metadata.deletion_timestamp.is_some(),
        unreadable: matches!(record, Some(Err(_))),
        record: record.and_then(Result::ok),
    }
}

/// Every record that there is: those of Memory, and those that claims carry.
#[must_use]
pub fn records(objects: &Objects, memory: &Memory) -> Vec<Record> {
    let on_claims = objects.claims.values().flatten().filter_map(|held| claim(held).record);
    memory.holders.values().cloned().chain(on_claims).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use planner::memory::Epoch;
    use planner::record::HolderId;
    use serde_json::json;

    fn of(annotation: Option<&str>) -> Claim {
        let mut value =
            json!({"metadata": {"name": "data-rss-x-0", "uid": "k0"}, "status": {"phase": "Bound"}});
        if let Some(text) = annotation {
            value["metadata"]["annotations"] = json!({ RECORD: text });
        }
        claim(&serde_json::from_value(value).unwrap())
    }

    #[test]
    fn a_record_is_read_back_from_its_annotation() {
        let record = Record::new(
            HolderId::Claims(vec!["k0".into()]),
            "rss-x-0".into(),
            Epoch { number: 4, ..Epoch::default() },
        );
        let seen = of(Some(&serde_json::to_string(&record).unwrap()));
        assert_eq!(seen.record, Some(record));
        assert!(seen.bound && !seen.unreadable && !seen.terminating);
    }

    #[test]
    fn an_annotation_that_cannot_be_read_is_not_the_same_as_none() {
        assert!(of(Some("{")).unreadable && of(Some("{}")).unreadable);
        assert_eq!((of(None).unreadable, of(None).record), (false, None));
    }
}
