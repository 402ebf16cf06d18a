//! Fetches policies from registries: a tag becomes a digest, and a digest bytes.
//!
//! An image's name and the Secrets are a tenant's, so is what answers: none of it makes the operator speak to what it
//! should not, hold more than [`COMPONENT`](super::limits::COMPONENT) of a policy, wait longer than half a minute, or use the login of
//! one tenant for another. Why that needs a gate is in docs/decisions/0008-oci-client.md.
//!
//! Two digests name a policy. That of the *manifest* is what people and tools call the digest of an image; that of its
//! one *layer* names the component, whichever way it came.

mod access;
mod address;
mod authorities;
mod authority;
pub mod below;
mod blob;
mod claims;
mod credentials;
mod error;
mod gate;
mod heard;
mod image;
mod login;
mod manifest;
mod patience;
mod session;
mod signatures;
#[cfg(test)]
mod tests;
mod visit;

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

pub use access::{Access, Allowed};
pub use address::Forbidden;
pub use authorities::NoAuthority;
pub use authority::{Authority, NotAnAuthority};
pub use claims::Claims;
pub use credentials::{Credentials, CredentialsError};
pub use error::{Cause, FetchError};
pub use gate::Refusal;
pub use image::{Image, NotAnImage};
pub use login::Unusable;
pub use manifest::{MediaType, NotAPolicy};
pub use visit::{Visited, Wish};

use crate::api::VerifiedBy;
use crate::policy::signature::{Demand, Search, Unsigned};
use crate::policy::{Digest, limits};
use authorities::Authorities;
use patience::Patience;
use session::Session;

/// The registries of the world, as far as the administrator lets policies be fetched from them.
#[derive(Clone, Debug, Default)]
pub struct Registries {
    access: Access,
    authorities: Authorities,
    patience: Patience,
}

/// A policy's bytes, which have the digest that they were asked for by.
#[derive(Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Of the manifest: the digest of the image.
    pub image: Digest,
    /// Of the bytes.
    pub component: Digest,
    /// What the manifest calls them.
    pub media_type: MediaType,
    /// The component itself.
    pub bytes: Bytes,
}

impl Registries {
    /// As far as `access` goes.
    #[must_use]
    pub fn new(access: Access) -> Self {
        Self { access, ..Self::default() }
    }

    /// Waits this long for all of one try, in the place of half a minute.
    #[must_use]
    pub fn waiting(self, whole: Duration) -> Self {
        Self { patience: Patience { whole, ..self.patience }, ..self }
    }

    /// Also trusts the authorities whose certificates are in this text, in PEM.
    ///
    /// # Errors
    /// If there are none in it.
    pub fn trust(&mut self, pem: &[u8]) -> Result<(), NoAuthority> {
        self.authorities.add(pem)
    }

    /// The digest that an image's tag has at the moment. It is seen to that a policy is behind it.
    ///
    /// # Errors
    /// If the registry does not say, or it is no policy.
    pub async fn resolve(&self, image: &Image, credentials: &Credentials) -> Result<Digest, FetchError> {
        self.within(image, async {
            let session = self.session(image, credentials, session::TRAFFIC).await?;
            let (digest, bytes) = session.manifest(image.reference()).await?;
            manifest::layer(&bytes)?;
            named(image.digest().unwrap_or(digest), digest)
        })
        .await
    }

    /// What the registry says of an image, without its component. None of it is checked.
    ///
    /// # Errors
    /// If the registry does not say, or it is no policy.
    pub async fn describe(&self, image: &Image, credentials: &Credentials) -> Result<Claims, FetchError> {
        self.within(image, async {
            let session = self.session(image, credentials, session::TRAFFIC).await?;
            let (found, bytes) = session.manifest(image.reference()).await?;
            let digest = named(image.digest().unwrap_or(found), found)?;
            let manifest::Layer { digest: component, media_type, size } = manifest::layer(&bytes)?;
            let beside = claims::beside(&bytes);
            let exports = match beside.config {
                Some(config) => {
                    claims::exports(&session.blob(&image.at(digest), config, claims::CONFIG).await?)
                }
                None => Vec::new(),
            };
            let [title, version, description] =
                ["title", "version", "description"].map(|name| beside.annotation(name));
            Ok(Claims { image: digest, component, size, media_type, title, version, description, exports })
        })
        .await
    }

    /// The policy whose manifest has this digest. The tag of `image` counts for nothing.
    ///
    /// # Errors
    /// If the registry does not give it, or it is no policy.
    pub async fn pull(
        &self,
        image: &Image,
        digest: Digest,
        credentials: &Credentials,
    ) -> Result<Artifact, FetchError> {
        self.within(image, async {
            let reference = image.at(digest);
            let session = self.session(image, credentials, session::TRAFFIC).await?;
            let (found, bytes) = session.manifest(&reference).await?;
            let image = named(digest, found)?;
            let layer = manifest::layer(&bytes)?;
            let bytes = session.blob(&reference, layer.digest, limits::COMPONENT).await?;
            Ok(Artifact { image, component: layer.digest, media_type: layer.media_type, bytes })
        })
        .await
    }

    /// By which keys the policy whose manifest has this digest is signed: one for each demand.
    ///
    /// # Errors
    /// If the registry does not say; within, if it says and a demand is not met.
    pub async fn verify(
        &self,
        image: &Image,
        digest: Digest,
        credentials: &Credentials,
        demands: &[Demand],
    ) -> Result<Result<Vec<VerifiedBy>, Box<Unsigned>>, FetchError> {
        self.within(image, async {
            let mut search = Search::new(digest, demands);
            if !search.is_over() {
                let session = self.session(image, credentials, signatures::TRAFFIC).await?;
                search = signatures::look(&session, &image.at(digest), digest, search).await?;
            }
            Ok(search.end(&image.repository()))
        })
        .await
    }

    async fn session(
        &self,
        image: &Image,
        credentials: &Credentials,
        traffic: usize,
    ) -> Result<Session, Cause> {
        let auth = credentials.for_image(image)?;
        let Self { access, authorities, patience } = self;
        Session::open(access, authorities, *patience, traffic, image.reference(), auth).await
    }

    async fn within<T>(
        &self,
        image: &Image,
        work: impl Future<Output = Result<T, Cause>>,
    ) -> Result<T, FetchError> {
        let whole = self.patience.whole;
        let done = match self.access.admits(image) {
            true => tokio::time::timeout(whole, work).await.unwrap_or(Err(Cause::Late(whole))),
            false => Err(Cause::NotAllowed(self.access.listed())),
        };
        done.map_err(|cause| FetchError { image: image.to_string(), cause })
    }
}

/// Without the bytes.
impl fmt::Debug for Artifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { image, component, media_type, bytes: _ } = self;
        write!(f, "Artifact({image}, {component}, {})", media_type.as_str())
    }
}

fn named(wanted: Digest, found: Digest) -> Result<Digest, Cause> {
    if wanted == found { Ok(found) } else { Err(Cause::WrongDigest(wanted.to_string())) }
}
