//! From bytes to a policy that decides: compiled, and found to behave.

use std::sync::Arc;

use bytes::Bytes;

use super::share::{Purpose, Uncompiled};
use super::{Brought, LoadError, Policies};
use crate::api::{PolicyStatus, PolicyTrial};
use crate::policy::active::{Active, Origin};
use crate::policy::conform::conform;
use crate::policy::keep::Kept;
use crate::policy::{Component, Digest, Settings};
use crate::target::Wanted;

impl Policies {
    /// What decided before this operator began, without a word to a registry. None: it is not kept.
    pub(in crate::policy) async fn kept(
        &self,
        namespace: &str,
        pinned: &PolicyStatus,
    ) -> Result<Option<Active>, LoadError> {
        let Some(digest) = pinned.digest else { return Ok(None) };
        let _announced = self.share.announce();
        let _room = self.restoring.turn(Purpose::Restored, namespace).await;
        let get = async { self.keep.get(digest, namespace).await.map_err(LoadError::Keep) };
        let (bytes, held) = match self.in_time(get).await? {
            Kept::Bytes(bytes, held) => (bytes, Arc::new(held)),
            Kept::Absent | Kept::Damaged => return Ok(None),
        };
        let settings = Settings::new(pinned.settings.clone().unwrap_or_default().0)?;
        let component = self.compiled(Bytes::from(bytes), Purpose::Restored, namespace).await?;
        // It was tried when it was new, and took its settings then.
        let origin = Origin { status: pinned.clone() };
        Ok(Some(Active::new(component, settings, origin, pinned.conformed, Some(held))))
    }

    /// The policy of these bytes, found to behave with its settings.
    pub(in crate::policy) async fn taken(
        &self,
        namespace: &str,
        brought: &Brought,
        wanted: &Wanted,
    ) -> Result<Active, LoadError> {
        let component = self.compiled(brought.bytes.clone(), self.purpose, namespace).await?;
        let conformed = self.tried(&component, &wanted.settings, namespace).await?;
        let origin = Origin::of(&wanted.source, brought.image, brought.verified_by.clone());
        Ok(Active::new(component, wanted.settings.clone(), origin, Some(conformed), None))
    }

    /// The same policy, found to behave with other settings.
    pub(in crate::policy) async fn set(
        &self,
        namespace: &str,
        active: &Active,
        settings: &Settings,
    ) -> Result<Active, LoadError> {
        let conformed = self.tried(active.component(), settings, namespace).await?;
        let (component, origin) =
            (Arc::clone(active.component()), Origin { status: active.status().clone() });
        Ok(Active::new(component, settings.clone(), origin, Some(conformed), active.held()))
    }

    async fn tried(
        &self,
        component: &Arc<Component>,
        settings: &Settings,
        namespace: &str,
    ) -> Result<PolicyTrial, LoadError> {
        let (tried, settings) = (Arc::clone(component), settings.clone());
        let trial = move || {
            tried.accepts(&settings)?;
            conform(&tried, settings.text())
                .map_err(|broken| LoadError::Broken { digest: *tried.digest(), broken })
        };
        let tried = self.share.in_turn(self.purpose, namespace, trial).await;
        tried.map_err(LoadError::Own)?.map(PolicyTrial::from)
    }

    async fn compiled(
        &self,
        bytes: Bytes,
        purpose: Purpose,
        namespace: &str,
    ) -> Result<Arc<Component>, LoadError> {
        let digest = Digest::of(&bytes);
        self.share.component(bytes, purpose, namespace).await.map_err(|error| match error {
            Uncompiled::Full(full) => full.into(),
            Uncompiled::Refused(refusal) => LoadError::Refused { digest, refusal },
            Uncompiled::Own(error) => LoadError::Own(error),
        })
    }
}
