//! From a name to bytes.

use bytes::Bytes;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;

use super::{LoadError, Policies};
use crate::api::{ConfigMapKey, PullPolicy, VerifiedBy};
use crate::policy::Digest;
use crate::policy::fetch::{Visited, Wish};
use crate::policy::signature::Demand;
use crate::target::Source;

/// Bytes that are named as the policy, and where they were.
pub(in crate::policy) struct Brought {
    pub(in crate::policy) bytes: Bytes,
    /// Of the bytes.
    pub(in crate::policy) component: Digest,
    /// Of the image, if it is one.
    pub(in crate::policy) image: Option<Digest>,
    /// Whose signatures it was found to have.
    pub(in crate::policy) verified_by: Vec<VerifiedBy>,
    /// For people who look at what is kept.
    pub(in crate::policy) whence: String,
}

/// What is behind a name.
pub(in crate::policy) enum Found {
    /// What is known by this digest of an image, or of a component in a ConfigMap.
    Known(Digest),
    /// Something else.
    New(Brought),
}

impl Brought {
    /// The digest by which it is known: of the image, or of the component where there is none.
    pub(in crate::policy) fn digest(&self) -> Digest {
        self.image.unwrap_or(self.component)
    }
}

impl Policies {
    /// The bytes of what is named, if they are none of those that are known by the digest of image or component. What
    /// has not the signatures that are demanded is not brought.
    pub(in crate::policy) async fn bring(
        &self,
        namespace: &str,
        source: &Source,
        demands: &[Demand],
        pinned: Option<Digest>,
        known: &[Digest],
    ) -> Result<Found, LoadError> {
        let (image, pull_policy, secrets) = match source {
            Source::ConfigMap(named) if demands.is_empty() => {
                return self.in_time(self.read(namespace, named, known)).await;
            }
            Source::ConfigMap(named) => return Err(LoadError::Unsignable(named.name.clone())),
            Source::Image { image, pull_policy, pull_secrets, .. } => (image, *pull_policy, pull_secrets),
        };
        if pull_policy == PullPolicy::Never {
            let is_here = pinned.is_some() && !demands.is_empty();
            let why = match self.is_for_candidates() {
                true => LoadError::NeverFetched,
                false if is_here => LoadError::Unverified,
                false => LoadError::Never,
            };
            return Err(why(image.to_string()));
        }
        let pinned = pinned.filter(|_| pull_policy == PullPolicy::IfNotPresent);
        if let Some(pinned) = pinned.filter(|pinned| known.contains(pinned)) {
            return Ok(Found::Known(pinned));
        }
        let read = async { Ok(secrets.read(&self.reads, namespace, image).await?) };
        let credentials = self.in_time(read).await?;
        let (artifact, verified_by) =
            match self.registries.visit(image, Wish { pinned, known, demands }, &credentials).await? {
                Visited::Known(digest) => return Ok(Found::Known(digest)),
                Visited::Unsigned(unsigned) => return Err(unsigned.into()),
                Visited::New(artifact, verified_by) => (artifact, verified_by),
            };
        let (bytes, component, whence) = (artifact.bytes, artifact.component, image.repository());
        Ok(Found::New(Brought { bytes, component, image: Some(artifact.image), verified_by, whence }))
    }

    async fn read(
        &self,
        namespace: &str,
        named: &ConfigMapKey,
        known: &[Digest],
    ) -> Result<Found, LoadError> {
        let ConfigMapKey { name, key } = named;
        let api: Api<ConfigMap> = Api::namespaced(self.reads.clone(), namespace);
        let found = api.get_opt(name).await.map_err(|error| LoadError::ConfigMap(name.clone(), error))?;
        let found = found.ok_or_else(|| LoadError::NoConfigMap(name.clone()))?;
        let bytes = found.binary_data.and_then(|mut data| data.remove(key));
        let bytes = Bytes::from(bytes.ok_or_else(|| LoadError::NoKey(name.clone(), key.clone()))?.0);
        let digest = Digest::of(&bytes);
        if known.contains(&digest) {
            return Ok(Found::Known(digest));
        }
        let whence = format!("ConfigMap {name}, key {key}");
        Ok(Found::New(Brought { bytes, component: digest, image: None, verified_by: Vec::new(), whence }))
    }
}
