//! Keeps the bytes of policies in the cluster, in ConfigMaps of the operator's own namespace: a power cut takes the
//! operator's memory, and often the registry too.
//!
//! Who may use what is kept: a namespace may use a policy if it once *brought the bytes*: pulled them with its own
//! credentials, or has them in a ConfigMap of its own. That is written on the object, where tenants cannot write. That
//! a digest is known, or stands in a status, gives no right to what is behind it. The right ends an hour after no set of
//! the namespace uses the policy; that a registry takes back a login does not end it, for the sake of the next outage.

mod collect;
mod error;
mod garbage;
mod held;
mod object;
mod objects;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use serde_json::json;
use tokio::sync::Mutex;

pub use error::KeepError;
pub use garbage::{GRACE, InUse};
pub use held::Held;

use super::{Digest, limits};
use crate::clients::Clients;
use held::Holds;
use objects::Objects;

/// How often a write is begun anew when another gets in between.
const TRIES: usize = 3;

/// The policies that are kept in one namespace.
#[derive(Clone)]
pub struct Keep {
    objects: Objects,
    holds: Holds,
    /// Of those who put something there: two at one moment would each find the last place free.
    turn: Arc<Mutex<()>>,
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
        Self { objects: Objects::new(clients, home), holds: Holds::default(), turn: Arc::default() }
    }

    /// Keeps bytes that `namespace` brought from `source`, an image's repository for one; from then on it may use them.
    ///
    /// # Errors
    /// If the API server does not take them, or as many are kept for this namespace as may be.
    pub async fn put(&self, bytes: &[u8], namespace: &str, source: &str) -> Result<Held, KeepError> {
        let digest = Digest::of(bytes);
        let held = self.hold(digest, namespace);
        let _turn = self.turn.lock().await;
        for _ in 0..TRIES {
            if self.try_to_put(bytes, digest, namespace, source).await? {
                return Ok(held.found());
            }
        }
        Err(KeepError::Unsettled(object::name(digest)))
    }

    /// False if another got in between, or had put something else there, which is gone.
    async fn try_to_put(
        &self,
        bytes: &[u8],
        digest: Digest,
        namespace: &str,
        source: &str,
    ) -> Result<bool, KeepError> {
        let name = object::name(digest);
        let Some(found) = self.objects.read(&name).await? else {
            self.room(namespace).await?;
            return self.objects.create(&name, &object::of(bytes, digest, namespace, source)).await;
        };
        let metadata = found.metadata.clone();
        if object::bytes(found, digest).is_none() {
            self.objects.remove(&metadata).await?;
            return Ok(false);
        }
        if object::is_settled(&metadata, namespace) {
            return Ok(true);
        }
        if !object::is_kept_for(&metadata, namespace) {
            self.room(namespace).await?;
        }
        let annotations = json!({object::kept_for(namespace): source, object::unused_since(namespace): null});
        // Many may do so at one moment, so not as it was seen; but the very object.
        self.objects.annotate(&metadata, &json!({"uid": metadata.uid, "annotations": annotations})).await
    }

    /// Whether one more may be kept for this namespace.
    async fn room(&self, namespace: &str) -> Result<(), KeepError> {
        let kept = self.objects.list().await?;
        let of_namespace = kept.iter().filter(|found| object::is_kept_for(found, namespace)).count();
        match of_namespace < limits::KEPT {
            true => Ok(()),
            false => Err(KeepError::Many(namespace.to_owned())),
        }
    }

    /// What is kept for this namespace under this digest.
    ///
    /// # Errors
    /// If the API server does not say.
    pub async fn get(&self, digest: Digest, namespace: &str) -> Result<Kept, KeepError> {
        let held = self.hold(digest, namespace);
        let Some(found) = self.objects.read(&object::name(digest)).await? else { return Ok(Kept::Absent) };
        if !object::is_kept_for(&found.metadata, namespace) {
            return Ok(Kept::Absent);
        }
        let metadata = found.metadata.clone();
        if let Some(bytes) = object::bytes(found, digest) {
            return Ok(Kept::Bytes(bytes, held.found()));
        }
        self.objects.remove(&metadata).await?;
        Ok(Kept::Damaged)
    }

    /// One use of what is taken for kept. Whether it is there is known once somebody has looked.
    #[must_use]
    pub fn hold(&self, digest: Digest, namespace: &str) -> Held {
        self.holds.hold(namespace, digest)
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
