//! Keeps the bytes of policies in the cluster, in ConfigMaps of the operator's own namespace: a power cut takes the
//! operator's memory, and often the registry too.
//!
//! Who may use what is kept: a namespace may use a policy if it once *brought the bytes*: pulled them with its own
//! credentials, or has them in a ConfigMap of its own. That is written on the object, where tenants cannot write. That
//! a digest is known, or stands in a status, gives no right to what is behind it. The right ends an hour after no set of
//! the namespace uses the policy; that a registry takes back a login does not end it, for the sake of the next outage.

mod error;
mod garbage;
mod held;
mod object;
#[cfg(test)]
mod tests;

use std::fmt;

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions};
use serde_json::json;

pub use error::KeepError;
pub use garbage::{GRACE, InUse};
pub use held::Held;

use super::Digest;
use crate::clients::Clients;
use error::has_code;
use garbage::Next;
use held::Holds;
use object::Annotations;

/// How often a write is begun anew when another gets in between.
const TRIES: usize = 3;

/// The policies that are kept in one namespace.
#[derive(Clone)]
pub struct Keep {
    reads: Api<ConfigMap>,
    writes: Api<ConfigMap>,
    holds: Holds,
}

/// What is kept under a digest for a namespace.
pub enum Kept {
    /// These bytes, which have that digest, for as long as they are held.
    Bytes(Vec<u8>, Held),
    /// Nothing, or nothing for this namespace.
    Absent,
    /// Other bytes, which were removed. Somebody deleted and made anew what cannot be changed.
    Damaged,
}

impl Keep {
    /// In the operator's own namespace.
    #[must_use]
    pub fn new(clients: &Clients, home: &str) -> Self {
        Self {
            reads: Api::namespaced(clients.reads.clone(), home),
            writes: Api::namespaced(clients.writes.clone(), home),
            holds: Holds::default(),
        }
    }

    /// Keeps bytes that `namespace` brought from `source`, an image's repository for one; from then on it may use them.
    ///
    /// # Errors
    /// If the API server does not take them.
    pub async fn put(&self, bytes: &[u8], namespace: &str, source: &str) -> Result<Held, KeepError> {
        let digest = Digest::of(bytes);
        let held = self.holds.hold(namespace, digest);
        let name = object::name(digest);
        for _ in 0..TRIES {
            let wanted = object::of(bytes, digest, namespace, source);
            match self.writes.create(&PostParams::default(), &wanted).await {
                Ok(_) => return Ok(held.found()),
                Err(error) if has_code(&error, 409) => {}
                Err(error) => return Err(KeepError::of_create(name, error)),
            }
            if self.admit(&name, digest, namespace, source).await? {
                return Ok(held.found());
            }
        }
        Err(KeepError::Unsettled(name))
    }

    /// Lets a namespace use what is there; false if that is not what it should be, and gone.
    async fn admit(
        &self,
        name: &str,
        digest: Digest,
        namespace: &str,
        source: &str,
    ) -> Result<bool, KeepError> {
        let Some(found) = self.read(name).await? else { return Ok(false) };
        if object::bytes(found.clone(), digest).is_none() {
            self.remove(&found).await?;
            return Ok(false);
        }
        if object::is_settled(&found, namespace) {
            return Ok(true);
        }
        let annotations = json!({object::kept_for(namespace): source, object::unused_since(namespace): null});
        // Many may do so at one moment, so not as it was seen; but the very object.
        self.annotate(&found, &json!({"uid": found.metadata.uid, "annotations": annotations})).await
    }

    /// What is kept for this namespace under this digest.
    ///
    /// # Errors
    /// If the API server does not say.
    pub async fn get(&self, digest: Digest, namespace: &str) -> Result<Kept, KeepError> {
        let held = self.holds.hold(namespace, digest);
        let Some(found) = self.read(&object::name(digest)).await? else { return Ok(Kept::Absent) };
        if !object::is_kept_for(&found, namespace) {
            return Ok(Kept::Absent);
        }
        if let Some(bytes) = object::bytes(found.clone(), digest) {
            return Ok(Kept::Bytes(bytes, held.found()));
        }
        self.remove(&found).await?;
        Ok(Kept::Damaged)
    }

    /// Removes what no set has used for [`GRACE`]. `in_use` has every set of the namespaces that are covered. What is held
    /// is in use too. One that cannot be changed keeps no other.
    ///
    /// # Errors
    /// The first, if the API server refuses.
    pub async fn collect(
        &self,
        in_use: &InUse,
        covers: impl Fn(&str) -> bool,
        now: Timestamp,
    ) -> Result<(), KeepError> {
        let selected = ListParams::default().labels(object::SELECTOR);
        let held = self.holds.all();
        let in_use = &in_use.union(&held).cloned().collect();
        let kept = self.reads.list_metadata(&selected).await.map_err(KeepError::List)?;
        self.holds.seen(&held, &kept.iter().flat_map(|found| object::uses(&found.metadata)).collect());
        let mut done = Ok(());
        for found in kept {
            let found = ConfigMap { metadata: found.metadata, ..ConfigMap::default() };
            let none = Annotations::new();
            let annotations = found.metadata.annotations.as_ref().unwrap_or(&none);
            let next = garbage::next(annotations, object::digest(&found.metadata), in_use, &covers, now);
            done = done.and(self.collect_one(&found, next).await);
        }
        done
    }

    async fn collect_one(&self, found: &ConfigMap, next: Next) -> Result<(), KeepError> {
        match next {
            Next::Leave => Ok(()),
            Next::Annotate(changes) => {
                let version = &found.metadata.resource_version;
                let metadata = json!({"resourceVersion": version, "annotations": changes});
                self.annotate(found, &metadata).await.map(drop)
            }
            Next::Delete => self.remove(found).await,
        }
    }

    async fn read(&self, name: &str) -> Result<Option<ConfigMap>, KeepError> {
        self.reads.get_opt(name).await.map_err(|error| KeepError::Read(name.to_owned(), error))
    }

    /// False if it is not there any more, or not what the metadata says it was: the next look tells.
    async fn annotate(&self, seen: &ConfigMap, metadata: &serde_json::Value) -> Result<bool, KeepError> {
        let name = seen.metadata.name.clone().unwrap_or_default();
        let patch = Patch::Merge(json!({"metadata": metadata}));
        match self.writes.patch(&name, &PatchParams::default(), &patch).await {
            Ok(_) => Ok(true),
            Err(error) if has_code(&error, 404) || has_code(&error, 409) => Ok(false),
            Err(error) => Err(KeepError::Write(name, error)),
        }
    }

    /// As it was seen: what another has taken into use since stays.
    async fn remove(&self, seen: &ConfigMap) -> Result<(), KeepError> {
        let name = seen.metadata.name.clone().unwrap_or_default();
        let preconditions = Preconditions {
            uid: seen.metadata.uid.clone(),
            resource_version: seen.metadata.resource_version.clone(),
        };
        let delete = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() };
        match self.writes.delete(&name, &delete).await {
            Ok(_) => Ok(()),
            Err(error) if has_code(&error, 404) || has_code(&error, 409) => Ok(()),
            Err(error) => Err(KeepError::Write(name, error)),
        }
    }
}

/// Without the bytes.
impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes, _) => write!(f, "Bytes({})", Digest::of(bytes)),
            Self::Absent => f.write_str("Absent"),
            Self::Damaged => f.write_str("Damaged"),
        }
    }
}
