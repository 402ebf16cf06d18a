//! Where a registry has the signatures of an image, and how much of them is looked at.
//!
//! The older form is under a tag made of the image's digest. The newer one is what names the image as its subject: by the
//! [specification of registries](https://github.com/opencontainers/distribution-spec/blob/main/spec.md#listing-referrers)
//! they have a list of that (`/v2/NAME/referrers/DIGEST`), or, where they know of no such lists, an index under another
//! tag made of the digest. All three are looked at, the tags first: cosign writes where its version and the registry's
//! lead it. That there is none is an answer; that a registry does not answer is none.

use std::collections::BTreeMap;

use bytes::Bytes;
use oci_client::Reference;
use serde::Deserialize;

use super::error::Cause;
use super::manifest::NotAPolicy;
use super::session::Session;
use crate::policy::Digest;
use crate::policy::signature::{Search, WhyNot, bundle, simple_signing};

/// All that the search for the signatures of an image may take in. The client reads the registry's list as a whole, at up
/// to ten times its length in memory, and a dozen sets may be at it at one moment.
pub(super) const TRAFFIC: usize = 1 << 20;

/// Signatures of one form that are looked at, the newest first. cosign adds one each time that an image is signed anew.
const LOOKED_AT: usize = 16;

/// Bytes of what holds a signature. A text to sign has 250, a bundle without certificates 1500; with certificates, time
/// stamps and a proof of being in a log, which are not asked for but may be there, 10 KiB.
const SIGNATURE: usize = 32 << 10;

/// Bytes of a manifest or an index on the way to one. A layer's annotations may hold certificates, 4 KiB each.
const MANIFEST: usize = 256 << 10;

/// A manifest or an index: of each only what leads to signatures.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listing {
    #[serde(default)]
    layers: Vec<Entry>,
    #[serde(default)]
    manifests: Vec<Entry>,
}

/// What a manifest or an index names.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default)]
    media_type: String,
    #[serde(default)]
    artifact_type: Option<String>,
    digest: String,
    size: u64,
    #[serde(default)]
    annotations: Option<BTreeMap<String, String>>,
}

/// Looks at signatures until nothing is left to look for. `reference` names the image by this digest.
pub(super) async fn look(
    session: &Session,
    reference: &Reference,
    digest: Digest,
    search: &mut Search,
) -> Result<(), Cause> {
    let tag = format!("sha256-{}", digest.hex());
    let layers = at_tag(session, &tagged(reference, format!("{tag}.sig")), search).await?.layers;
    simple_signatures(session, reference, &layers, search).await?;
    if search.is_over() {
        return Ok(());
    }
    let mut entries = at_tag(session, &tagged(reference, tag), search).await?.manifests;
    entries.extend(referrers(session, reference).await?);
    bundles(session, reference, &entries, search).await
}

/// The older form: each layer is a text, and the signature is an annotation of it.
async fn simple_signatures(
    session: &Session,
    reference: &Reference,
    layers: &[Entry],
    search: &mut Search,
) -> Result<(), Cause> {
    // Several signatures are often of one and the same text.
    let mut texts: BTreeMap<&str, Result<Bytes, WhyNot>> = BTreeMap::new();
    let named = layers.iter().rev().filter(|layer| layer.media_type == simple_signing::MEDIA_TYPE);
    for layer in named.take(LOOKED_AT) {
        if !texts.contains_key(layer.digest.as_str()) {
            texts.insert(&layer.digest, blob(session, reference, layer).await?);
        }
        let annotation = layer.annotation(simple_signing::ANNOTATION).unwrap_or_default();
        let text = texts[layer.digest.as_str()].as_ref().map_err(|why| *why);
        search.take(text.and_then(|text| simple_signing::read(annotation, text)));
        if search.is_over() {
            break;
        }
    }
    Ok(())
}

/// The newer form: each entry is an image with a bundle as its one layer.
async fn bundles(
    session: &Session,
    reference: &Reference,
    entries: &[Entry],
    search: &mut Search,
) -> Result<(), Cause> {
    let mut named: Vec<&Entry> = Vec::new();
    for entry in entries.iter().rev().filter(|entry| entry.may_be_a_signature()) {
        if named.len() < LOOKED_AT && named.iter().all(|known| known.digest != entry.digest) {
            named.push(entry);
        }
    }
    for entry in named {
        if search.is_over() {
            break;
        }
        match bundle_of(session, reference, entry).await? {
            Ok(Some(bytes)) => search.take(bundle::read(&bytes)),
            Ok(None) => {}
            Err(why) => search.take(Err(why)),
        }
    }
    Ok(())
}

/// The bundle that is the one layer of this image. None: it is something else.
async fn bundle_of(
    session: &Session,
    reference: &Reference,
    entry: &Entry,
) -> Result<Result<Option<Bytes>, WhyNot>, Cause> {
    let Ok(digest) = entry.digest.parse::<Digest>() else { return Ok(Err(WhyNot::Malformed)) };
    let found = match listing(session, &reference.clone_with_digest(digest.to_string())).await? {
        Ok(found) => found,
        Err(why) => return Ok(Err(why)),
    };
    match found.layers.as_slice() {
        [layer] if layer.media_type == bundle::MEDIA_TYPE => {
            Ok(blob(session, reference, layer).await?.map(Some))
        }
        _ => Ok(Ok(None)),
    }
}

impl Entry {
    fn annotation(&self, name: &str) -> Option<&str> {
        self.annotations.as_ref()?.get(name).map(String::as_str)
    }

    /// What is known to be something else is not fetched. Some lists say nothing, or what the image's configuration is.
    fn may_be_a_signature(&self) -> bool {
        const UNDECIDED: [&str; 2] =
            ["application/vnd.oci.empty.v1+json", "application/vnd.oci.image.config.v1+json"];
        let kind = self.artifact_type.as_deref().unwrap_or(bundle::MEDIA_TYPE);
        let stated = self.annotation(bundle::PREDICATE_ANNOTATION).unwrap_or(bundle::PREDICATE);
        (kind == bundle::MEDIA_TYPE || UNDECIDED.contains(&kind)) && stated == bundle::PREDICATE
    }
}

/// What is under a tag; nothing, if there is no such tag.
async fn at_tag(session: &Session, reference: &Reference, search: &mut Search) -> Result<Listing, Cause> {
    let found = listing(session, reference).await?;
    Ok(found.unwrap_or_else(|why| {
        if why != WhyNot::Missing {
            search.take(Err(why));
        }
        Listing::default()
    }))
}

/// What is there; within, why it leads nowhere.
async fn listing(session: &Session, reference: &Reference) -> Result<Result<Listing, WhyNot>, Cause> {
    let bytes = match session.manifest(reference).await {
        Ok((_, bytes)) => bytes,
        Err(Cause::NotFound) => return Ok(Err(WhyNot::Missing)),
        Err(Cause::WrongDigest(_)) => return Ok(Err(WhyNot::Malformed)),
        Err(cause) => return Err(cause),
    };
    if bytes.len() > MANIFEST {
        return Ok(Err(WhyNot::TooLarge));
    }
    Ok(serde_json::from_slice(&bytes).map_err(|_| WhyNot::Malformed))
}

/// The registry's own list. Those from before there were such lists answer one thing or another, which is no list.
async fn referrers(session: &Session, reference: &Reference) -> Result<Vec<Entry>, Cause> {
    let entries = match session.referrers(reference).await {
        Ok(entries) => entries,
        Err(Cause::NotFound | Cause::Answered(_)) => return Ok(Vec::new()),
        Err(cause) => return Err(cause),
    };
    let entry = |entry: oci_client::manifest::ImageIndexEntry| Entry {
        media_type: entry.media_type,
        artifact_type: entry.artifact_type,
        digest: entry.digest,
        size: u64::try_from(entry.size).unwrap_or_default(),
        annotations: entry.annotations,
    };
    Ok(entries.into_iter().map(entry).collect())
}

/// The bytes of a layer; within, why there are none.
async fn blob(
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
        Err(Cause::NotFound) => Ok(Err(WhyNot::Missing)),
        Err(Cause::WrongDigest(_)) => Ok(Err(WhyNot::Malformed)),
        Err(Cause::NotAPolicy(NotAPolicy::TooLarge)) => Ok(Err(WhyNot::TooLarge)),
        Err(cause) => Err(cause),
    }
}

fn tagged(reference: &Reference, tag: String) -> Reference {
    Reference::with_tag(reference.registry().to_owned(), reference.repository().to_owned(), tag)
}
