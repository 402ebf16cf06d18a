//! One try to have a policy: one session, in which each thing is asked for once, and one deadline for all of it.

use super::{
    Artifact, Cause, Credentials, FetchError, Image, Registries, manifest, named, session, signatures,
};
use crate::api::VerifiedBy;
use crate::policy::signature::{Demand, Search, Unsigned};
use crate::policy::{Digest, limits};

/// What is asked of a registry.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wish<'a> {
    /// The digest of the image that is meant, whatever its tag stands for by now.
    pub pinned: Option<Digest>,
    /// Digests of images that need not be fetched.
    pub known: &'a [Digest],
    /// Whose signatures it must have.
    pub demands: &'a [Demand],
}

/// What a registry has.
#[derive(Debug)]
pub enum Visited {
    /// What is known by this digest. Its signatures were not looked at.
    Known(Digest),
    /// Something else, with the keys by which it is signed: one for each demand.
    New(Artifact, Vec<VerifiedBy>),
    /// It has not the signatures that are demanded, and nothing more of it was fetched.
    Unsigned(Box<Unsigned>),
}

impl Registries {
    /// The policy that an image is, with the signatures that are demanded. The manifest comes first: an image that is not
    /// there is told as that, and not as one without signatures.
    ///
    /// # Errors
    /// If the registry does not give it, or it is no policy.
    pub async fn visit(
        &self,
        image: &Image,
        wish: Wish<'_>,
        credentials: &Credentials,
    ) -> Result<Visited, FetchError> {
        let visited = self.within(image, self.bring(image, wish, credentials)).await;
        visited.map_err(|error| match wish.pinned {
            Some(digest) => FetchError { image: format!("{}@{digest}", image.repository()), ..error },
            None => error,
        })
    }

    async fn bring(
        &self,
        image: &Image,
        wish: Wish<'_>,
        credentials: &Credentials,
    ) -> Result<Visited, Cause> {
        let session = self.session(image, credentials, session::TRAFFIC).await?;
        let reference = wish.pinned.map_or_else(|| image.reference().clone(), |digest| image.at(digest));
        let (found, bytes) = session.manifest(&reference).await?;
        let digest = named(wish.pinned.or(image.digest()).unwrap_or(found), found)?;
        let layer = manifest::layer(&bytes)?;
        if wish.known.contains(&digest) {
            return Ok(Visited::Known(digest));
        }
        let reference = image.at(digest);
        let mut search = Search::new(digest, wish.demands);
        if !search.is_over() {
            session.allow(signatures::TRAFFIC);
            search = signatures::look(&session, &reference, digest, search).await?;
            session.allow(session::TRAFFIC);
        }
        let verified_by = match search.end(&image.repository()) {
            Ok(verified_by) => verified_by,
            Err(unsigned) => return Ok(Visited::Unsigned(unsigned)),
        };
        let bytes = session.blob(&reference, layer.digest, limits::COMPONENT).await?;
        let artifact =
            Artifact { image: digest, component: layer.digest, media_type: layer.media_type, bytes };
        Ok(Visited::New(artifact, verified_by))
    }
}
