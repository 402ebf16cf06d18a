//! Volumes that are attached no more to the node where a start on them may be alive. That can close a
//! start, so it is not taken from a cache, and it is asked only where a set wants it to count.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use k8s_openapi::api::core::v1::PersistentVolume;
use k8s_openapi::api::storage::v1::{CSIDriver, VolumeAttachment};
use kube::api::ListParams;
use kube::{Api, Client};
use planner::names::{ClaimUid, NodeName};
use planner::record::{HolderId, Record};
use planner::start::Start;
use tokio::time::Instant;

use super::Objects;
use crate::api::DetachedVolume;
use crate::target::Target;

/// How often it is asked: every attachment of the cluster is in the answer, and a lost node's are taken
/// away minutes after it was lost.
const PERIOD: Duration = Duration::from_secs(5);

/// A volume at a node, by its claim.
pub(super) type Place = (ClaimUid, NodeName);

/// When it was asked last.
#[derive(Clone, Debug, Default)]
pub struct Attachments {
    asked: Option<Instant>,
}

impl Attachments {
    /// The claims whose volume is surely not attached to the node of an open start whose pod is gone.
    /// What cannot be learnt is not among them.
    pub async fn find_detached(
        &mut self,
        client: &Client,
        objects: &Objects,
        target: &Target,
        records: &[Record],
        now: Instant,
    ) -> BTreeSet<Place> {
        let asked = questions(objects, records);
        let is_early = self.asked.is_some_and(|before| now.duration_since(before) < PERIOD);
        if target.recovery.detached_volume == DetachedVolume::Hold || asked.is_empty() || is_early {
            return BTreeSet::new();
        }
        self.asked = Some(now);
        detached(client, asked).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "failed to learn where volumes are attached");
            BTreeSet::new()
        })
    }
}

/// Where a volume may be attached because a start on it is open there.
pub(super) fn possible(records: &[Record]) -> BTreeSet<Place> {
    places(records, |_| true)
}

/// Volumes by name, of starts whose pod is not there.
fn questions(objects: &Objects, records: &[Record]) -> BTreeMap<Place, String> {
    let is_gone =
        |start: &Start| objects.pods.values().all(|pod| pod.metadata.uid.as_ref() != Some(&start.pod.0));
    let places = places(records, is_gone);
    let volume = |(claim, _): &Place| objects.claim(claim)?.spec.as_ref()?.volume_name.clone();
    places.into_iter().filter_map(|place| Some((place.clone(), volume(&place)?))).collect()
}

fn places(records: &[Record], counts: impl Fn(&Start) -> bool) -> BTreeSet<Place> {
    let mut places = BTreeSet::new();
    for record in records {
        let HolderId::Claims(uids) = &record.holder else { continue };
        for start in record.open.iter().filter(|start| counts(start)) {
            places.extend(uids.iter().map(|uid| (uid.clone(), start.node.clone())));
        }
    }
    places
}

async fn detached(client: &Client, asked: BTreeMap<Place, String>) -> kube::Result<BTreeSet<Place>> {
    // No version is asked for, so the answer is of this moment and not out of the server's cache.
    let all = Api::<VolumeAttachment>::all(client.clone()).list(&ListParams::default()).await?;
    let attached: BTreeSet<(&str, &str)> = all
        .iter()
        .filter_map(|a| Some((a.spec.source.persistent_volume_name.as_deref()?, a.spec.node_name.as_str())))
        .collect();
    let mut detached = BTreeSet::new();
    for (place, volume) in asked {
        if !attached.contains(&(volume.as_str(), place.1.0.as_str()))
            && is_attachable(client, &volume).await?
        {
            detached.insert(place);
        }
    }
    Ok(detached)
}

/// Whether this volume has an attachment wherever it is used. A local one, a path of the node and a share
/// of the network have none: that theirs is missing proves nothing.
async fn is_attachable(client: &Client, volume: &str) -> kube::Result<bool> {
    let volume = Api::<PersistentVolume>::all(client.clone()).get_opt(volume).await?;
    let csi = volume.and_then(|volume| volume.spec?.csi);
    let Some(csi) = csi else { return Ok(false) };
    let driver = Api::<CSIDriver>::all(client.clone()).get_opt(&csi.driver).await?;
    Ok(driver.is_some_and(|driver| driver.spec.attach_required != Some(false)))
}
