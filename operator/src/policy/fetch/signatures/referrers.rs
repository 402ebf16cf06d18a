//! The registry's own list of what names an image as its subject. What of it is not read is told with what was found: a
//! signature that is there and was not looked at is not taken for none.

use oci_client::Reference;

use super::TRAFFIC;
use super::forms::looked_at;
use super::listing::{Entry, Listing, MANIFEST};
use crate::policy::Digest;
use crate::policy::fetch::error::Cause;
use crate::policy::fetch::session::{Next, Page, Session};
use crate::policy::signature::{Search, WhyNot};

/// Pages that are asked for. Registries have from a hundred to a thousand entries on each.
const PAGES: usize = 8;

/// All that the list may take in: each page is read to its bound, and has a head. Of each only what may be looked at is
/// kept.
const LIST: usize = PAGES * (MANIFEST + (64 << 10));

/// What of the list may be looked at, that is none of those that were seen: what comes first, in the order in which it is
/// looked at.
pub(super) async fn referrers(
    session: &Session,
    reference: &Reference,
    digest: Digest,
    seen: &[&Entry],
    mut search: Search,
) -> Result<(Vec<Entry>, Search), Cause> {
    session.allow(LIST);
    let (pages, first) = session.referrers(reference, &digest.to_string(), MANIFEST).await?;
    let (mut listed, mut next) = (Vec::new(), Next::At(first));
    for number in 0..=PAGES {
        let at = match next {
            Next::End => break,
            Next::At(_) if number == PAGES => {
                search.take(Err(WhyNot::ListTooLong));
                break;
            }
            Next::At(at) => at,
            Next::Elsewhere => {
                search.take(Err(WhyNot::PageElsewhere));
                break;
            }
        };
        let page = match pages.at(&at).await {
            Ok(page) => page,
            // Registries from before there were such lists answer one thing or another, which is no list.
            Err(Cause::NotFound(_) | Cause::Answered(_)) if number == 0 => break,
            Err(Cause::NotFound(_) | Cause::Answered(_)) => {
                search.take(Err(WhyNot::PageMissing));
                break;
            }
            Err(cause) => return Err(cause),
        };
        let Page::Read(bytes, following) = page else {
            search.take(Err(WhyNot::PageTooLarge));
            break;
        };
        match serde_json::from_slice::<Listing>(&bytes) {
            Ok(Listing { manifests, .. }) => add(&mut listed, manifests, seen),
            Err(_) => search.take(Err(WhyNot::PageMalformed)),
        }
        next = following;
    }
    session.allow(TRAFFIC);
    Ok((listed, search))
}

/// Adds what may be looked at. No more is kept than that: a list is as long as a registry likes.
fn add(listed: &mut Vec<Entry>, entries: Vec<Entry>, seen: &[&Entry]) {
    let is_new = |entry: &Entry| seen.iter().all(|known| known.digest != entry.digest);
    listed.extend(entries.into_iter().filter(is_new));
    listed.sort_by_cached_key(Entry::rank);
    *listed = looked_at(listed).into_iter().cloned().collect();
}
