//! Keeps the bytes of what decides in the cluster. Until then it decides all the same.

use std::sync::Arc;

use super::state::locked;
use super::task::{Task, chance};
use crate::policy::keep::KeepError;
use crate::policy::load::Brought;
use crate::reconcile::chain;

impl Task {
    /// What has not been kept yet, however long that takes; it ends when something else is to be kept.
    pub(super) async fn keep(&self) {
        let unkept = locked(&self.state).unkept.clone();
        let Some(brought) = unkept else { return };
        for failures in 1.. {
            if !locked(&self.state).is_unkept(&brought) {
                return;
            }
            match self.policies.put(&self.namespace, &brought).await {
                Ok(held) => {
                    locked(&self.state).kept(&brought, held);
                    return (self.wake)();
                }
                Err(error) => {
                    self.unkept(&error, failures);
                    if error.is_forbidden() {
                        return self.give_up(&brought);
                    }
                    let why = error.is_refusal().then(|| chain(&error));
                    let is_news = locked(&self.state).refuse(&brought, why);
                    if is_news {
                        (self.wake)();
                    }
                    tokio::time::sleep(error.again().after(failures, chance())).await;
                }
            }
        }
    }

    /// Nothing is kept by an operator that has no right to, and its memory is not for that.
    fn give_up(&self, brought: &Arc<Brought>) {
        locked(&self.state).forget(brought);
    }

    fn unkept(&self, error: &KeepError, failures: u32) {
        let (namespace, cure) = (&self.namespace, if error.is_forbidden() { RIGHT } else { "" });
        let error = chain(error);
        if failures == 1 {
            tracing::warn!(namespace, error, cure, "a policy is not kept for a power cut");
        } else {
            tracing::debug!(namespace, error, cure, "a policy is still not kept for a power cut");
        }
    }
}

/// What helps where the operator may not keep anything.
const RIGHT: &str = "apply deploy/policies-role.yaml and restart the operator";
