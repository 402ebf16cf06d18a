//! The two forms of a signature, and what is looked at of each.

use std::collections::BTreeMap;

use bytes::Bytes;
use oci_client::Reference;

use super::listing::{Entry, blob, listing};
use crate::policy::Digest;
use crate::policy::fetch::error::Cause;
use crate::policy::fetch::session::Session;
use crate::policy::signature::{Search, Signed, WhyNot, bundle, simple_signing};

/// Signatures of one form and place that are looked at, the newest first. cosign adds one each time that an image is
/// signed anew.
const LOOKED_AT: usize = 16;

/// The older form: each layer is a text, and the signature is an annotation of it.
pub(super) async fn simple_signatures(
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

/// Those that are looked at, of entries of the newer form: the first of them, each once.
pub(super) fn looked_at(entries: &[Entry]) -> Vec<&Entry> {
    let mut named: Vec<&Entry> = Vec::new();
    for entry in entries.iter().filter(|entry| entry.may_be_a_signature()) {
        if named.len() == LOOKED_AT {
            break;
        }
        if named.iter().all(|known| known.digest != entry.digest) {
            named.push(entry);
        }
    }
    named
}

/// The newer form: each entry is an image with a bundle as its one layer.
pub(super) async fn bundles(
    session: &Session,
    reference: &Reference,
    named: &[&Entry],
    mut search: Search,
) -> Result<Search, Cause> {
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
pub(super) async fn taken(mut search: Search, found: Result<Signed, WhyNot>) -> Result<Search, Cause> {
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
