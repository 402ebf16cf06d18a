//! From bytes to a policy that decides: compiled, and found to behave.

use std::sync::Arc;

use bytes::Bytes;

use super::share::{Purpose, Uncompiled};
use super::{Brought, LoadError, Policies};
use crate::api::{PolicyStatus, PolicyTrial};
use crate::policy::active::{Active, Origin};
use crate::policy::conform::{Progress, Underway};
use crate::policy::keep::Kept;
use crate::policy::{Component, Digest, Settings, limits};
use crate::target::Wanted;

impl Policies {
    /// What decided before this operator began, without a word to a registry. None: it is not kept. `goes_first`: what is
    /// new waits for it.
    pub(in crate::policy) async fn kept(
        &self,
        namespace: &str,
        pinned: &PolicyStatus,
        goes_first: bool,
    ) -> Result<Option<Active>, LoadError> {
        let Some(digest) = pinned.digest else { return Ok(None) };
        let purpose = if goes_first { Purpose::Restored } else { Purpose::RestoredAgain };
        let _announced = goes_first.then(|| self.share.announce());
        let _room = self.restoring.turn(purpose, namespace).await;
        let get = async { self.keep.get(digest, namespace).await.map_err(LoadError::Keep) };
        let (bytes, held) = match self.in_time(get).await? {
            Kept::Bytes(bytes, held) => (bytes, Arc::new(held)),
            Kept::Absent | Kept::Damaged => return Ok(None),
        };
        let settings = Settings::new(pinned.settings.clone().unwrap_or_default().0)?;
        let component = self.compiled(Bytes::from(bytes), purpose, namespace).await?;
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

    /// Tries it, slice by slice: in between others have their turns.
    pub(super) async fn tried(
        &self,
        component: &Arc<Component>,
        settings: &Settings,
        namespace: &str,
    ) -> Result<PolicyTrial, LoadError> {
        self.share.check(component, settings, self.purpose, namespace).await??;
        let (tried, accepted, slice) = (Arc::clone(component), settings.clone(), self.slice);
        let begin = move || {
            tried.accepts(&accepted)?;
            Ok::<_, LoadError>(Underway::new(tried, accepted.text()).go_on(slice))
        };
        let begun = self.share.in_turn(self.purpose, namespace, begin).await;
        let mut progress = begun.map_err(LoadError::Own)??;
        loop {
            let rest = match progress {
                Progress::Done(Ok(conformed)) => return Ok(conformed.into()),
                Progress::Done(Err(broken)) => {
                    return Err(LoadError::Broken { digest: *component.digest(), broken });
                }
                Progress::More(rest) if rest.took() > limits::TRIAL => {
                    return Err(LoadError::Slow { digest: *component.digest(), after: limits::TRIAL });
                }
                Progress::More(rest) => rest,
            };
            let next = self.share.in_turn(self.purpose, namespace, move || rest.go_on(slice)).await;
            progress = next.map_err(LoadError::Own)?;
        }
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
            Uncompiled::NoVerdict(error) => error.into(),
            Uncompiled::Own(error) => LoadError::Own(error),
        })
    }
}
