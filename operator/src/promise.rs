//! What is about to be done is written down first: on the claims, where it travels with the data,
//! then in the status. Each write is bound to the version that the decision was made on.

use std::cmp::Reverse;
use std::sync::Arc;

use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt};
use planner::record::{HolderId, Record};
use planner::rehearsal::Heard;
use planner::{Memory, Observation, Plan};
use serde_json::json;

use crate::api::{ReplicatedStatefulSet, SetStatus};
use crate::observe::{ALLOW, Objects, RECORD, Written};

/// The API server keeps at most 256 KiB of annotations of an object, those of others among them. Three positions of the
/// greatest length take 192 KiB.
const LARGEST_RECORD: usize = 208 * 1024;

/// etcd keeps at most 1.5 MiB of an object; half of it leaves room for the rest of the resource.
const LARGEST_MEMORY: usize = 768 * 1024;

/// Why a promise could not be made. Nothing was done on it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The claim's annotation was not written.
    #[error("failed to write the record of claim {claim}")]
    Claim {
        /// Which claim.
        claim: String,
        /// Why.
        #[source]
        source: kube::Error,
    },
    /// The status was not written.
    #[error("failed to write the status")]
    Status(#[source] kube::Error),
    /// The record or the memory cannot be told as JSON.
    #[error("failed to tell the promise as JSON")]
    Json(#[source] serde_json::Error),
    /// More than an object can hold; it is never cut.
    #[error("{what} takes {bytes} bytes, more than {limit}")]
    TooLarge {
        /// The record of which replica, or the memory.
        what: String,
        /// Its size.
        bytes: usize,
        /// The bound.
        limit: usize,
    },
}

impl Error {
    /// Somebody else wrote first: the decision was made on what is no longer so. Look again.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        match self {
            Self::Claim { source, .. } | Self::Status(source) => is_stale(source),
            Self::Json(_) | Self::TooLarge { .. } => false,
        }
    }
}

/// The object was changed (409), is gone (404), or is another of the same name: a patch that names a UID
/// is then told that the UID cannot be changed (422).
pub(crate) fn is_stale(error: &kube::Error) -> bool {
    let kube::Error::Api(status) = error else { return false };
    let causes = status.details.iter().flat_map(|details| &details.causes);
    let is_another = || causes.into_iter().any(|cause| cause.field == "metadata.uid");
    matches!(status.code, 404 | 409) || (status.code == 422 && is_another())
}

/// A record that is to be written to a claim.
#[derive(Clone, Debug)]
pub struct ClaimWrite {
    /// Where to, at the version that the decision was made on.
    pub claim: Arc<PersistentVolumeClaim>,
    /// What.
    pub record: Record,
}

/// The claims whose record differs from what is promised; those confirmed in the newest epoch first,
/// for they are the proof that it began. A claim whose annotation cannot be read is left as it is:
/// a person has to look at it.
#[must_use]
pub fn claim_writes(objects: &Objects, observation: &Observation, plan: &Plan) -> Vec<ClaimWrite> {
    let mut writes = Vec::new();
    for replica in observation.replicas.values() {
        let Some(holder @ HolderId::Claims(_)) = planner::holder_of(replica, &observation.target) else {
            continue;
        };
        let Some(record) = plan.memory.holders.get(&holder) else { continue };
        let differing = replica.claims.iter().filter(|c| !c.unreadable && c.record.as_ref() != Some(record));
        let claims = differing.filter_map(|claim| objects.claim(&claim.uid));
        writes.extend(claims.map(|claim| ClaimWrite { claim: Arc::clone(claim), record: record.clone() }));
    }
    writes.sort_by_key(|write| Reverse(write.record.confirmed));
    writes
}

/// Writes the records, one after the other in their order.
pub async fn write_claims(
    client: &Client,
    writes: Vec<ClaimWrite>,
    written: &mut Written,
) -> Result<(), Error> {
    for ClaimWrite { claim, record } in writes {
        let text = serde_json::to_string(&record).map_err(Error::Json)?;
        within(LARGEST_RECORD, text.len(), || format!("the record of {}", record.replica))?;
        let api: Api<PersistentVolumeClaim> =
            Api::namespaced(client.clone(), &claim.namespace().unwrap_or_default());
        // UID and version in the body: the server refuses the patch if the claim is another by now.
        let patch = json!({"metadata": {
            "uid": claim.metadata.uid,
            "resourceVersion": claim.metadata.resource_version,
            "annotations": {RECORD: text},
        }});
        let name = claim.name_any();
        let answer = api.patch(&name, &PatchParams::default(), &Patch::Merge(patch)).await;
        let new = answer.map_err(|source| Error::Claim { claim: name, source })?;
        written.keep_claim(Arc::new(new));
    }
    Ok(())
}

/// The resources beside this one.
fn sets(client: &Client, set: &ReplicatedStatefulSet) -> Api<ReplicatedStatefulSet> {
    Api::namespaced(client.clone(), &set.namespace().unwrap_or_default())
}

/// Writes the status, and gives the resource as it is then.
pub async fn write_status(
    client: &Client,
    set: &ReplicatedStatefulSet,
    status: SetStatus,
    written: &mut Written,
) -> Result<Arc<ReplicatedStatefulSet>, Error> {
    // What stands there has room, whichever version wrote it.
    if status.memory.as_ref() != set.status.as_ref().and_then(|stands| stands.memory.as_ref()) {
        let memory = serde_json::to_string(&status.memory).map_err(Error::Json)?;
        within(LARGEST_MEMORY, memory.len(), || "the memory of the set".to_owned())?;
    }
    let mut body = ReplicatedStatefulSet::new(&set.name_any(), set.spec.clone());
    body.metadata.namespace.clone_from(&set.metadata.namespace);
    body.metadata.uid.clone_from(&set.metadata.uid);
    body.metadata.resource_version.clone_from(&set.metadata.resource_version);
    body.status = Some(status);
    let answer = sets(client, set).replace_status(&set.name_any(), &PostParams::default(), &body).await;
    let new = Arc::new(answer.map_err(Error::Status)?);
    written.keep_set(Arc::clone(&new));
    Ok(new)
}

/// Writes the status of a promise that stands on claims already: also where somebody changed something else of the resource
/// meanwhile, such as a label, or a key that was given beside. Half a promise would use up what a person allowed.
pub(crate) async fn write_promise(
    client: &Client,
    set: &Arc<ReplicatedStatefulSet>,
    status: SetStatus,
    written: &mut Written,
) -> Result<Arc<ReplicatedStatefulSet>, Error> {
    let mut set = Arc::clone(set);
    loop {
        match write_status(client, &set, status.clone(), written).await {
            Err(error) if error.is_conflict() => {
                let now = sets(client, &set).get_opt(&set.name_any()).await.map_err(Error::Status)?;
                // Each time it is at another version: it ends when nobody else writes.
                let is_other = |now: &ReplicatedStatefulSet| now.resource_version() != set.resource_version();
                let now = now.filter(|now| is_other(now) && is_as_decided_on(&set, now));
                set = now.map(Arc::new).ok_or(error)?;
            }
            other => return other,
        }
    }
}

/// Whether the resource still wants and remembers, at this moment, what was decided on. Where another process led a moment
/// ago a cache may be behind what that one wrote: on claims it would stand beside what is of now.
pub(crate) async fn is_current(client: &Client, set: &ReplicatedStatefulSet) -> kube::Result<bool> {
    let now = sets(client, set).get_opt(&set.name_any()).await?;
    Ok(now.is_some_and(|now| is_as_decided_on(set, &now)))
}

/// It is the same resource, and wants and remembers the same.
fn is_as_decided_on(then: &ReplicatedStatefulSet, now: &ReplicatedStatefulSet) -> bool {
    let (before, after) = (&then.metadata, &now.metadata);
    before.uid == after.uid
        && before.generation == after.generation
        && before.deletion_timestamp == after.deletion_timestamp
        && then.status == now.status
}

/// Writes what is left of the keys that people gave; nothing takes the annotation away. Gives the resource as it is then.
pub(crate) async fn write_allowed(
    client: &Client,
    set: &ReplicatedStatefulSet,
    left: Option<String>,
    written: &mut Written,
) -> kube::Result<Arc<ReplicatedStatefulSet>> {
    let patch = json!({"metadata": {
        "uid": set.metadata.uid,
        "resourceVersion": set.metadata.resource_version,
        "annotations": {ALLOW: left},
    }});
    let answer =
        sets(client, set).patch(&set.name_any(), &PatchParams::default(), &Patch::Merge(patch)).await;
    let new = Arc::new(answer?);
    written.keep_set(Arc::clone(&new));
    Ok(new)
}

/// The memory as it is written. What members said while they ran is for people alone: where there is no room for it, it
/// gives way to what is promised.
pub fn told(memory: &Memory) -> serde_json::Result<serde_json::Value> {
    let whole = serde_json::to_value(memory)?;
    if memory.rehearsals.is_empty() || whole.to_string().len() <= LARGEST_MEMORY {
        return Ok(whole);
    }
    let mut smaller = memory.clone();
    for rehearsal in smaller.rehearsals.values_mut() {
        rehearsal.heard = Heard::Nothing("there is no room in the status to keep what it said".to_owned());
    }
    serde_json::to_value(&smaller)
}

fn within(limit: usize, bytes: usize, what: impl FnOnce() -> String) -> Result<(), Error> {
    if bytes <= limit { Ok(()) } else { Err(Error::TooLarge { what: what(), bytes, limit }) }
}

#[cfg(test)]
mod tests;
