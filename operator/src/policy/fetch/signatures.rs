//! Where a registry has the signatures of an image, and how much of them is looked at.
//!
//! The older form is under a tag made of the image's digest. The newer one is what names the image as its subject: by the
//! [specification of registries](https://github.com/opencontainers/distribution-spec/blob/main/spec.md#listing-referrers)
//! they have a list of that (`/v2/NAME/referrers/DIGEST`), or, where they know of no such lists, an index under another
//! tag made of the digest. All three are looked at, the tags first: cosign writes where its version and the registry's
//! lead it, and who finds a signature under a tag asks for no list. That there is none is an answer; that a registry does
//! not answer is none. Under a tag the newest stand last, as cosign writes them; the order of a registry's list is its own
//! affair, and is not relied on.

mod listing;

use std::collections::BTreeMap;

use bytes::Bytes;
use oci_client::Reference;

use super::error::Cause;
use super::session::Session;
use crate::policy::Digest;
use crate::policy::signature::{Search, Signed, WhyNot, bundle, simple_signing};
use listing::{Entry, Listing, MANIFEST, blob, listing};

/// All that the search for the signatures of an image may take in. The client holds a manifest as a whole, and a dozen
/// sets may be at it at one moment.
pub(super) const TRAFFIC: usize = 1 << 20;

/// Signatures of one form and place that are looked at, the newest first. cosign adds one each time that an image is
/// signed anew.
const LOOKED_AT: usize = 16;

/// Pages of a registry's list that are asked for. Registries have from a hundred to a thousand entries on each.
const PAGES: usize = 8;

/// Looks at signatures until nothing is left to look for. `reference` names the image by this digest.
pub(super) async fn look(
    session: &Session,
    reference: &Reference,
    digest: Digest,
    mut search: Search,
) -> Result<Search, Cause> {
    let tag = format!("sha256-{}", digest.hex());
    let layers;
    (layers, search) = at_tag(session, &tagged(reference, format!("{tag}.sig")), search).await?;
    search = simple_signatures(session, reference, &layers.layers, search).await?;
    if search.is_over() {
        return Ok(search);
    }
    let mut index;
    (index, search) = at_tag(session, &tagged(reference, tag), search).await?;
    index.manifests.reverse();
    search = bundles(session, reference, &index.manifests, search).await?;
    if search.is_over() {
        return Ok(search);
    }
    let mut listed = referrers(session, reference, digest).await?;
    listed.retain(|entry| index.manifests.iter().all(|known| known.digest != entry.digest));
    listed.sort_by_cached_key(Entry::rank);
    bundles(session, reference, &listed, search).await
}

/// The older form: each layer is a text, and the signature is an annotation of it.
async fn simple_signatures(
    session: &Session,
    reference: &Reference,
    layers: &[Entry],
    mut search: Search,
) -> Result<Search, Cause> {
    // Several signatures are often of one and the same text.
    let mut texts: BTreeMap<&str, Result<Bytes, WhyNot>> = BTreeMap::new();
    let named = layers.iter().rev().filter(|layer| layer.media_type == simple_signing::MEDIA_TYPE);
    for layer in named.take(LOOKED_AT) {
        if !texts.contains_key(layer.digest.as_str()) {
            texts.insert(&layer.digest, blob(session, reference, layer).await?);
        }
        let annotation = layer.annotation(simple_signing::ANNOTATION).unwrap_or_default();
        let text = texts[layer.digest.as_str()].as_ref().map_err(|why| *why);
        let found = text.and_then(|text| simple_signing::read(annotation, text));
        search = taken(search, found).await?;
        if search.is_over() {
            break;
        }
    }
    Ok(search)
}

/// The newer form: each entry is an image with a bundle as its one layer. The first of them are looked at.
async fn bundles(
    session: &Session,
    reference: &Reference,
    entries: &[Entry],
    mut search: Search,
) -> Result<Search, Cause> {
    let mut named: Vec<&Entry> = Vec::new();
    for entry in entries.iter().filter(|entry| entry.may_be_a_signature()) {
        if named.len() < LOOKED_AT && named.iter().all(|known| known.digest != entry.digest) {
            named.push(entry);
        }
    }
    for entry in named {
        if search.is_over() {
            break;
        }
        match bundle_of(session, reference, entry).await? {
            Ok(Some(bytes)) => search = taken(search, bundle::read(&bytes)).await?,
            Ok(None) => {}
            Err(why) => search = taken(search, Err(why)).await?,
        }
    }
    Ok(search)
}

/// Checks what was found, on a thread that may block: a signature takes part of a millisecond with each key.
async fn taken(mut search: Search, found: Result<Signed, WhyNot>) -> Result<Search, Cause> {
    let check = move || {
        search.take(found);
        search
    };
    tokio::task::spawn_blocking(check).await.map_err(|error| Cause::Own(error.to_string()))
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

/// What is under a tag; nothing, if there is no such tag.
async fn at_tag(
    session: &Session,
    reference: &Reference,
    search: Search,
) -> Result<(Listing, Search), Cause> {
    Ok(match listing(session, reference).await? {
        Ok(found) => (found, search),
        Err(WhyNot::Missing) => (Listing::default(), search),
        Err(why) => (Listing::default(), taken(search, Err(why)).await?),
    })
}

/// The registry's own list. Those from before there were such lists answer one thing or another, which is no list.
async fn referrers(session: &Session, reference: &Reference, digest: Digest) -> Result<Vec<Entry>, Cause> {
    let pages = match session.referrers(reference, &digest.to_string(), PAGES, MANIFEST).await {
        Ok(pages) => pages,
        Err(Cause::NotFound | Cause::Answered(_)) => return Ok(Vec::new()),
        Err(cause) => return Err(cause),
    };
    let entries = |page: &Bytes| serde_json::from_slice::<Listing>(page).unwrap_or_default().manifests;
    Ok(pages.iter().flat_map(entries).collect())
}

fn tagged(reference: &Reference, tag: String) -> Reference {
    Reference::with_tag(reference.registry().to_owned(), reference.repository().to_owned(), tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_checked_where_a_thread_may_block() {
        let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        runtime.block_on(async {
            let (ends, waits) = std::sync::mpsc::channel::<()>();
            let busy = tokio::task::spawn_blocking(move || waits.recv());
            let search = Search::new(Digest::of(b""), &[]);
            let mut check = std::pin::pin!(taken(search, Err(WhyNot::Malformed)));
            assert!(futures::poll!(&mut check).is_pending(), "the one such thread is busy");
            drop(ends);
            assert!(check.await.is_ok() && busy.await.is_ok());
        });
    }
}
