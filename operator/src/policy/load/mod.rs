//! From what a resource names to a policy that decides: its bytes are brought, compiled, tried and kept.

mod demands;
mod error;
mod share;

use std::sync::Arc;

use bytes::Bytes;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, Client};
use tokio::sync::{Semaphore, SemaphorePermit};

pub(super) use error::Again;
pub use error::LoadError;
pub use share::Full;

use super::active::{Active, Origin};
use super::conform::conform;
use super::fetch::{Credentials, Registries};
use super::keep::{Keep, KeepError, Kept};
use super::signature::{Demand, Key};
use super::{Component, Digest, Host, Settings};
use crate::api::{ConfigMapKey, PolicyStatus, PolicyTrial, PullPolicy, VerifiedBy};
use crate::target::{Source, Wanted};
use share::{Purpose, Share, Uncompiled};

/// Sets whose policy is read back from the cluster at one moment: at its start an operator has to do so for all of them,
/// and each holds some 3 MiB meanwhile.
const RESTORED: usize = 4;

/// Sets whose policy is fetched or tried at one moment. More than that wait; a slow registry takes half a minute at most.
const FETCHED: usize = 16;

/// Sets whose candidate is fetched or tried at one moment, beside those.
const CANDIDATES: usize = 2;

/// Where policies come from, and those that are in use. Clones share them.
#[derive(Clone)]
pub struct Policies {
    registries: Registries,
    keep: Keep,
    reads: Client,
    /// The administrator's. Empty: nothing is demanded.
    keys: Arc<[Key]>,
    share: Arc<Share>,
    restoring: Arc<Semaphore>,
    fetching: Arc<Semaphore>,
    /// Whether what is brought is a candidate or decides.
    purpose: Purpose,
    candidates: Candidates,
}

/// What candidates have of their own, so that they take nothing from what decides.
#[derive(Clone)]
struct Candidates {
    fetching: Arc<Semaphore>,
    /// One is asked at a time.
    turn: Arc<Semaphore>,
}

/// Bytes that are named as the policy, and where they were.
pub(super) struct Brought {
    pub(super) bytes: Bytes,
    /// Of the image, if it is one.
    pub(super) image: Option<Digest>,
    /// Whose signatures it was found to have.
    pub(super) verified_by: Vec<VerifiedBy>,
    /// For people who look at what is kept.
    pub(super) whence: String,
}

/// What is behind a name.
pub(super) enum Found {
    /// What is known by this digest of an image, or of a component in a ConfigMap.
    Known(Digest),
    /// Something else.
    New(Brought),
}

impl Brought {
    /// The digest by which it is known: of the image, or of the component where there is none.
    pub(super) fn digest(&self) -> Digest {
        self.image.unwrap_or_else(|| Digest::of(&self.bytes))
    }
}

impl Policies {
    /// Run by this host, fetched from these registries, and kept there.
    #[must_use]
    pub fn new(host: Host, registries: Registries, keep: Keep, reads: Client) -> Self {
        let [restoring, fetching] = [RESTORED, FETCHED].map(|most| Arc::new(Semaphore::new(most)));
        let [of_candidates, turn] = [CANDIDATES, 1].map(|most| Arc::new(Semaphore::new(most)));
        let candidates = Candidates { fetching: of_candidates, turn };
        let (keys, share, purpose) = (Arc::new([]), Arc::new(Share::new(host)), Purpose::New);
        Self { registries, keep, reads, keys, share, restoring, fetching, purpose, candidates }
    }

    /// The same, for policies alone that one of these keys has signed. Without a key, any policy.
    #[must_use]
    pub fn demanding(self, keys: Vec<Key>) -> Self {
        Self { keys: keys.into(), ..self }
    }

    /// The same for what is only listened to: it takes no room and no turn of what decides, and is not kept.
    #[must_use]
    pub(super) fn for_candidates(&self) -> Self {
        let fetching = Arc::clone(&self.candidates.fetching);
        Self { purpose: Purpose::Candidate, fetching, ..self.clone() }
    }

    /// Whether what is brought is only listened to.
    pub(super) fn is_for_candidates(&self) -> bool {
        self.purpose == Purpose::Candidate
    }

    /// Whoever holds it asks a candidate.
    pub(super) fn turn(&self) -> Arc<Semaphore> {
        Arc::clone(&self.candidates.turn)
    }

    /// Room to fetch and try one. It is not closed; without it nothing is fetched.
    pub(super) async fn room(&self) -> Option<SemaphorePermit<'_>> {
        self.fetching.acquire().await.ok()
    }

    /// What is kept for a power cut.
    #[must_use]
    pub fn keep(&self) -> &Keep {
        &self.keep
    }

    /// What decided before this operator began, without a word to a registry. None: it is not kept.
    pub(super) async fn kept(
        &self,
        namespace: &str,
        pinned: &PolicyStatus,
    ) -> Result<Option<Active>, LoadError> {
        let Some(digest) = pinned.digest else { return Ok(None) };
        let _room = self.restoring.acquire().await;
        let bytes = match self.keep.get(digest, namespace).await {
            Ok(Kept::Bytes(bytes)) => bytes,
            Ok(Kept::Absent | Kept::Damaged) => return Ok(None),
            // The role that lets policies be kept was left out.
            Err(error) if error.is_forbidden() => return Ok(None),
            Err(error) => return Err(LoadError::Keep(error)),
        };
        let settings = Settings::new(pinned.settings.clone().unwrap_or_default().0)?;
        let component = self.compiled(Bytes::from(bytes), Purpose::Restored).await?;
        // It was tried when it was new, and took its settings then.
        let origin = Origin { status: pinned.clone() };
        Ok(Some(Active::new(component, settings, origin, pinned.conformed, true)))
    }

    /// The bytes of what is named, if they are none of those that are known by the digest of image or component. What
    /// has not the signatures that are demanded is not brought.
    pub(super) async fn bring(
        &self,
        namespace: &str,
        source: &Source,
        demands: &[Demand],
        pinned: Option<Digest>,
        known: &[Digest],
    ) -> Result<Found, LoadError> {
        let (image, pull_policy, secrets) = match source {
            Source::ConfigMap(named) if demands.is_empty() => {
                return self.read(namespace, named, known).await;
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
        let credentials = Credentials::read(&self.reads, namespace, secrets).await?;
        let digest = match pinned.filter(|_| pull_policy == PullPolicy::IfNotPresent) {
            Some(pinned) => pinned,
            None => self.registries.resolve(image, &credentials).await?,
        };
        if known.contains(&digest) {
            return Ok(Found::Known(digest));
        }
        let verified_by = self.registries.verify(image, digest, &credentials, demands).await??;
        let artifact = self.registries.pull(image, digest, &credentials).await?;
        let (bytes, whence) = (artifact.bytes, image.repository());
        Ok(Found::New(Brought { bytes, image: Some(digest), verified_by, whence }))
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
        Ok(Found::New(Brought { bytes, image: None, verified_by: Vec::new(), whence }))
    }

    /// The policy of these bytes, found to behave with its settings.
    pub(super) async fn taken(&self, brought: &Brought, wanted: &Wanted) -> Result<Active, LoadError> {
        let component = self.compiled(brought.bytes.clone(), self.purpose).await?;
        let conformed = self.tried(&component, &wanted.settings).await?;
        let origin = Origin::of(&wanted.source, brought.image, brought.verified_by.clone());
        Ok(Active::new(component, wanted.settings.clone(), origin, Some(conformed), false))
    }

    /// The same policy, found to behave with other settings.
    pub(super) async fn set(&self, active: &Active, settings: &Settings) -> Result<Active, LoadError> {
        let conformed = self.tried(active.component(), settings).await?;
        let (component, origin) =
            (Arc::clone(active.component()), Origin { status: active.status().clone() });
        Ok(Active::new(component, settings.clone(), origin, Some(conformed), active.status().kept))
    }

    async fn tried(&self, component: &Arc<Component>, settings: &Settings) -> Result<PolicyTrial, LoadError> {
        let (tried, settings) = (Arc::clone(component), settings.clone());
        let trial = move || {
            tried.accepts(&settings)?;
            conform(&tried, settings.text())
                .map_err(|broken| LoadError::Broken { digest: *tried.digest(), broken })
        };
        self.share.in_turn(self.purpose, trial).await.map_err(LoadError::Own)?.map(PolicyTrial::from)
    }

    /// Keeps bytes for a namespace that brought them.
    pub(super) async fn put(&self, namespace: &str, brought: &Brought) -> Result<(), KeepError> {
        self.keep.put(&brought.bytes, namespace, &brought.whence).await.map(drop)
    }

    async fn compiled(&self, bytes: Bytes, purpose: Purpose) -> Result<Arc<Component>, LoadError> {
        let digest = Digest::of(&bytes);
        self.share.component(bytes, purpose).await.map_err(|error| match error {
            Uncompiled::Full(full) => full.into(),
            Uncompiled::Refused(refusal) => LoadError::Refused { digest, refusal },
            Uncompiled::Own(error) => LoadError::Own(error),
        })
    }
}
