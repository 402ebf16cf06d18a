//! What is asked of a registry one by one: the digest of a tag, what it says of an image, the bytes, the signatures.

use std::fmt;

use bytes::Bytes;

use super::{Claims, Credentials, FetchError, Image, MediaType, Registries};
use super::{claims, manifest, named, session, signatures};
use crate::api::VerifiedBy;
use crate::policy::signature::{Demand, Search, Unsigned};
use crate::policy::{Digest, limits};

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
            let layer = layer.of_size(&bytes)?;
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
}

/// Without the bytes.
impl fmt::Debug for Artifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { image, component, media_type, bytes: _ } = self;
        write!(f, "Artifact({image}, {component}, {})", media_type.as_str())
    }
}
