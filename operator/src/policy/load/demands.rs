//! Whose signatures are demanded of a set's policy.

use k8s_openapi::api::core::v1::Secret;
use kube::Api;

use super::{LoadError, Policies};
use crate::api::{Demander, PolicyStatus, SecretKey};
use crate::policy::signature::{Demand, Key, NotAKey, TooMany, at_most};
use crate::target::Source;

/// Why the keys that a resource names cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// One of the Secrets cannot be used.
    #[error("spec.policy.verification.publicKeys[{0}].secretKeyRef")]
    Secret(usize, #[source] SecretError),
    /// Together they hold more keys than a demand may have.
    #[error("spec.policy.verification.publicKeys: {0}")]
    TooMany(#[from] TooMany),
}

/// Why a Secret with keys cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// It is not there.
    #[error("Secret {0} is not in the namespace of the resource; create it there")]
    Missing(String),
    /// It cannot be read.
    #[error("failed to read Secret {0}")]
    Read(String, #[source] kube::Error),
    /// It has no such key.
    #[error("Secret {0} has no key {1}; kubectl create secret generic --from-file makes one")]
    NoKey(String, String),
    /// It holds no public key.
    #[error("Secret {0}, key {1}: {2}")]
    NotAKey(String, String, NotAKey),
}

impl Policies {
    /// What is demanded of what is named: by the administrator, and by the resource, whose keys are as its Secrets have
    /// them at the moment.
    pub(in crate::policy) async fn demands(
        &self,
        namespace: &str,
        source: &Source,
    ) -> Result<Vec<Demand>, LoadError> {
        let mut demands: Vec<Demand> = self.administrators().into_iter().collect();
        if let Source::Image { public_keys, .. } = source
            && !public_keys.is_empty()
        {
            let api = Api::namespaced(self.reads.clone(), namespace);
            let mut keys = Vec::new();
            for (place, named) in public_keys.iter().enumerate() {
                let read =
                    async { read(&api, named).await.map_err(|error| KeysError::Secret(place, error).into()) };
                keys.extend(self.in_time(read).await?);
            }
            let keys = at_most(keys).map_err(KeysError::from)?;
            demands.push(Demand { by: Demander::Resource, keys });
        }
        Ok(demands)
    }

    /// Whether what decided before this operator began has what its administrator demands by now.
    pub(in crate::policy) fn may_decide(&self, before: &PolicyStatus) -> bool {
        self.administrators().is_none_or(|demand| demand.is_met(&before.verified_by))
    }

    fn administrators(&self) -> Option<Demand> {
        let keys = self.keys.to_vec();
        (!keys.is_empty()).then_some(Demand { by: Demander::Administrator, keys })
    }
}

async fn read(api: &Api<Secret>, SecretKey { name, key }: &SecretKey) -> Result<Vec<Key>, SecretError> {
    let found = api.get_opt(name).await.map_err(|error| SecretError::Read(name.clone(), error))?;
    let data = found.ok_or_else(|| SecretError::Missing(name.clone()))?.data.unwrap_or_default();
    let value = data.get(key).ok_or_else(|| SecretError::NoKey(name.clone(), key.clone()))?;
    let wrong = |error| SecretError::NotAKey(name.clone(), key.clone(), error);
    Key::all(&value.0, &format!("Secret {name}, key {key}")).map_err(wrong)
}
