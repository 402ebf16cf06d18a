//! Removes what no set has used for a while.

use k8s_openapi::jiff::Timestamp;
use kube::api::ObjectMeta;
use serde_json::json;

use super::garbage::{self, Next};
use super::object::{self, Annotations};
use super::{InUse, Keep, KeepError};

impl Keep {
    /// Removes what no set has used for [`GRACE`](super::GRACE). `in_use` has every set of the namespaces that are covered.
    /// What is held is in use too. One that cannot be changed keeps no other.
    ///
    /// # Errors
    /// The first, if the API server refuses.
    pub async fn collect(
        &self,
        in_use: &InUse,
        covers: impl Fn(&str) -> bool,
        now: Timestamp,
    ) -> Result<(), KeepError> {
        let held = self.holds.all();
        let in_use = &in_use.union(&held).cloned().collect();
        let kept = self.objects.list().await?;
        self.holds.seen(&held, &kept.iter().flat_map(object::uses).collect());
        let mut done = Ok(());
        for found in kept {
            let none = Annotations::new();
            let annotations = found.annotations.as_ref().unwrap_or(&none);
            let next = garbage::next(annotations, object::digest(&found), in_use, &covers, now);
            done = done.and(self.collect_one(&found, next).await);
        }
        done
    }

    async fn collect_one(&self, found: &ObjectMeta, next: Next) -> Result<(), KeepError> {
        match next {
            Next::Leave => Ok(()),
            Next::Annotate(changes) => {
                let version = &found.resource_version;
                let metadata = json!({"resourceVersion": version, "annotations": changes});
                self.objects.annotate(found, &metadata).await.map(drop)
            }
            Next::Delete => self.objects.remove(found).await,
        }
    }
}
