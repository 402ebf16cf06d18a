//! What leads to signatures: manifests, indexes and lists, of each only what is needed, and no more than a bound of it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use bytes::Bytes;
use oci_client::Reference;
use serde::Deserialize;

use crate::policy::fetch::error::Cause;
use crate::policy::fetch::manifest::NotAPolicy;
use crate::policy::fetch::session::Session;
use crate::policy::signature::{WhyNot, bundle};

/// Bytes of what holds a signature. A text to sign has 250, a bundle without certificates 1500; with certificates, time
/// stamps and a proof of being in a log, which are not asked for but may be there, 10 KiB.
const SIGNATURE: usize = 32 << 10;

/// Bytes of a manifest or an index on the way to one. A layer's annotations may hold certificates, 4 KiB each.
pub(super) const MANIFEST: usize = 256 << 10;

/// A manifest or an index: of each only what leads to signatures.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listing {
    #[serde(default)]
    pub(super) layers: Vec<Entry>,
    #[serde(default)]
    pub(super) manifests: Vec<Entry>,
}

/// What a manifest or an index names.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    #[serde(default)]
    pub(super) media_type: String,
    #[serde(default)]
    artifact_type: Option<String>,
    pub(super) digest: String,
    pub(super) size: u64,
    #[serde(default)]
    annotations: Option<BTreeMap<String, String>>,
}

impl Entry {
    pub(super) fn annotation(&self, name: &str) -> Option<&str> {
        self.annotations.as_ref()?.get(name).map(String::as_str)
    }

    /// What is known to be something else is not fetched. Some lists say nothing, or what the image's configuration is.
    pub(super) fn may_be_a_signature(&self) -> bool {
        const UNDECIDED: [&str; 2] =
            ["application/vnd.oci.empty.v1+json", "application/vnd.oci.image.config.v1+json"];
        let kind = self.artifact_type.as_deref().unwrap_or(bundle::MEDIA_TYPE);
        let stated = self.annotation(bundle::PREDICATE_ANNOTATION).unwrap_or(bundle::PREDICATE);
        (kind == bundle::MEDIA_TYPE || UNDECIDED.contains(&kind)) && stated == bundle::PREDICATE
    }

    /// What comes first of a list whose order is the registry's own affair: what is stated to be a signature, the newest,
    /// and of those that say no more the least digest.
    pub(super) fn rank(&self) -> impl Ord + use<> {
        let is_stated = self.annotation(bundle::PREDICATE_ANNOTATION).is_some();
        // As RFC 3339 has it, in UTC by all that write it: later ones are greater.
        let created = self.annotation("org.opencontainers.image.created").unwrap_or_default().to_owned();
        (Reverse(is_stated), Reverse(created), self.digest.clone())
    }
}

/// What is there; within, why it leads nowhere.
pub(super) async fn listing(
    session: &Session,
    reference: &Reference,
) -> Result<Result<Listing, WhyNot>, Cause> {
    let bytes = match session.manifest(reference).await {
        Ok((_, bytes)) => bytes,
        Err(Cause::NotFound(_)) => return Ok(Err(WhyNot::Missing)),
        Err(Cause::WrongDigest(_)) => return Ok(Err(WhyNot::Malformed)),
        Err(cause) => return Err(cause),
    };
    match bytes.len() > MANIFEST {
        true => Ok(Err(WhyNot::TooLarge)),
        false => Ok(serde_json::from_slice(&bytes).map_err(|_| WhyNot::Malformed)),
    }
}

/// The bytes of a layer; within, why there are none.
pub(super) async fn blob(
    session: &Session,
    reference: &Reference,
    layer: &Entry,
) -> Result<Result<Bytes, WhyNot>, Cause> {
    if layer.size > SIGNATURE as u64 {
        return Ok(Err(WhyNot::TooLarge));
    }
    let Ok(digest) = layer.digest.parse() else { return Ok(Err(WhyNot::Malformed)) };
    match session.blob(reference, digest, SIGNATURE).await {
        Ok(bytes) => Ok(Ok(bytes)),
        Err(Cause::NotFound(_)) => Ok(Err(WhyNot::Missing)),
        Err(Cause::WrongDigest(_)) => Ok(Err(WhyNot::Malformed)),
        Err(Cause::NotAPolicy(NotAPolicy::TooLarge)) => Ok(Err(WhyNot::TooLarge)),
        Err(cause) => Err(cause),
    }
}
