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
mod artifact;
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
mod proxy;
mod pull_secrets;
mod session;
mod signatures;
#[cfg(test)]
mod tests;
mod visit;

use std::time::Duration;

pub use access::{Access, Allowed};
pub use address::Forbidden;
pub use artifact::Artifact;
pub use authorities::NoAuthority;
pub use authority::{Authority, NotAnAuthority};
pub use claims::Claims;
pub use credentials::{Credentials, CredentialsError};
pub use error::{Absent, Cause, FetchError};
pub use gate::Refusal;
pub use image::{Image, NotAnImage};
pub use login::{Authentication, Unusable};
pub use manifest::{MediaType, NotAPolicy};
pub use proxy::{NotAProxy, Proxy};
pub use pull_secrets::PullSecrets;
pub use visit::{Visited, Wish};

use crate::policy::Digest;
use authorities::Authorities;
use patience::Patience;
use session::Session;

/// The registries of the world, as far as the administrator lets policies be fetched from them.
#[derive(Clone, Debug, Default)]
pub struct Registries {
    access: Access,
    authorities: Authorities,
    patience: Patience,
    proxy: Proxy,
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

    /// Reaches registries by this proxy.
    #[must_use]
    pub fn by_proxy(self, proxy: Proxy) -> Self {
        Self { proxy, ..self }
    }

    /// Also trusts the authorities whose certificates are in this text, in PEM.
    ///
    /// # Errors
    /// If there are none in it.
    pub fn trust(&mut self, pem: &[u8]) -> Result<(), NoAuthority> {
        self.authorities.add(pem)
    }

    async fn session(
        &self,
        image: &Image,
        credentials: &Credentials,
        traffic: usize,
    ) -> Result<Session, Cause> {
        let auth = credentials.for_image(image)?;
        let Self { access, authorities, patience, proxy } = self;
        Session::open((access, proxy), authorities, *patience, traffic, image.reference(), auth).await
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

fn named(wanted: Digest, found: Digest) -> Result<Digest, Cause> {
    if wanted == found { Ok(found) } else { Err(Cause::WrongDigest(wanted.to_string())) }
}
