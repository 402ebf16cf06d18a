//! Where a registry has the signatures of an image, and how much of them is looked at.
//!
//! The older form is under a tag made of the image's digest. The newer one is what names the image as its subject: by the
//! [specification of registries](https://github.com/opencontainers/distribution-spec/blob/main/spec.md#listing-referrers)
//! they have a list of that (`/v2/NAME/referrers/DIGEST`), or, where they know of no such lists, an index under another
//! tag made of the digest. All three are looked at, the tags first: cosign writes where its version and the registry's
//! lead it, and who finds a signature under a tag asks for no list. That there is none is an answer; that a registry does
//! not answer is none. Under a tag the newest stand last, as cosign writes them; the order of a registry's list is its own
//! affair, and is not relied on.

mod forms;
mod listing;
mod referrers;

use oci_client::Reference;

use super::error::Cause;
use super::session::Session;
use crate::policy::Digest;
use crate::policy::signature::{Search, WhyNot};
use forms::{bundles, looked_at, simple_signatures, taken};
use listing::{Listing, listing};
use referrers::referrers;

/// All that the search for the signatures of an image may take in, but for the registry's list. The client holds a manifest
/// as a whole, and a dozen sets may be at it at one moment.
pub(super) const TRAFFIC: usize = 1 << 20;

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
    let seen = looked_at(&index.manifests);
    search = bundles(session, reference, &seen, search).await?;
    if search.is_over() {
        return Ok(search);
    }
    let listed;
    (listed, search) = referrers(session, reference, digest, &seen, search).await?;
    bundles(session, reference, &looked_at(&listed), search).await
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

fn tagged(reference: &Reference, tag: String) -> Reference {
    Reference::with_tag(reference.registry().to_owned(), reference.repository().to_owned(), tag)
}
