//! Pods that a start was sent to and that the cache does not show. That a pod is gone can close a
//! start, so it is not taken from a cache: the label that the watch selects by can be lost, and a
//! cache can be behind. The API server is asked, once for each pod, because a UID never comes back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube::{Api, Client};
use planner::names::{PodUid, ReplicaName};
use planner::record::Record;

use super::Objects;

/// Pods that the API server said are gone.
#[derive(Clone, Debug, Default)]
pub struct Gone(BTreeSet<PodUid>);

/// Adds to the objects each pod that an open start was sent to, if it is there after all.
pub async fn find_unseen(
    client: &Client,
    objects: &mut Objects,
    records: &[Record],
    gone: &mut Gone,
) -> kube::Result<()> {
    let api: Api<Pod> = Api::namespaced(client.clone(), objects.namespace());
    for (uid, replica) in unseen(objects, records, gone) {
        let found = api.get_opt(&replica.0).await?;
        match found.filter(|pod| pod.metadata.uid.as_ref() == Some(&uid.0)) {
            Some(pod) => {
                objects.pods.insert(replica, Arc::new(pod));
            }
            None => {
                gone.0.insert(uid);
            }
        }
    }
    Ok(())
}

fn unseen(objects: &Objects, records: &[Record], gone: &Gone) -> BTreeMap<PodUid, ReplicaName> {
    let mut all = BTreeMap::new();
    for record in records {
        if objects.may_be_named(&record.replica) {
            all.extend(record.open.iter().map(|start| (start.pod.clone(), record.replica.clone())));
        }
    }
    let shown: BTreeSet<&str> = objects.pods.values().filter_map(|pod| pod.metadata.uid.as_deref()).collect();
    all.retain(|uid, _| !shown.contains(uid.0.as_str()) && !gone.0.contains(uid));
    all
}

#[cfg(test)]
mod tests;
