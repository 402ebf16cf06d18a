//! `policy push`: a component becomes an image that spec.policy.image can name.

mod artifact;
mod registry;

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use oci_client::Reference;
use operator::policy::Digest;
use serde::Serialize;

use crate::access::Access;
use crate::candidate::Candidate;
use crate::{image, login, output, progress};
use artifact::Artifact;
use registry::{Registry, Way};

/// What was pushed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pushed {
    /// By its digest, for spec.policy.image.
    image: String,
    /// Under which tag.
    tag: String,
    /// Of the manifest.
    digest: Digest,
    /// Of the component.
    component: Digest,
    /// Of the component, in bytes.
    size: usize,
}

/// Pushes the component of a file.
///
/// # Errors
/// If it is no policy, or the registry does not take it.
pub(crate) fn push(file: &Path, image: &str, access: &Access) -> Result<Pushed> {
    let (reference, named) = (tagged(image)?, image::named(image)?);
    let candidate = Candidate::read(file)?;
    let component = candidate.load()?;
    let artifact = Artifact::of(&component, candidate.bytes)?;
    let login = login::login(&named)?;
    let way = Way::new(access)?;
    output::say(&format!("pushing {reference}: {} bytes, {}", component.size(), login.words()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("failed to start what speaks to registries")?;
    let push = async {
        let registry = Registry::open(&reference, way, login).await?;
        registry.push(&artifact).await
    };
    progress::told("pushing", || runtime.block_on(push))?;
    Ok(Pushed {
        image: format!("{}/{}@{}", reference.registry(), reference.repository(), artifact.digest()),
        tag: reference.tag().unwrap_or_default().to_owned(),
        digest: artifact.digest(),
        component: *component.digest(),
        size: component.size(),
    })
}

/// A name with a tag: a digest is what comes out.
fn tagged(image: &str) -> Result<Reference> {
    if image::named(image)?.digest().is_some() {
        bail!("{image} names a digest, which pushing makes; name a tag: HOST/REPOSITORY:TAG");
    }
    image.parse().with_context(|| format!("{image:?} names no image"))
}

// === impl Pushed ===

impl fmt::Display for Pushed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pushed_is_named_by_a_tag() {
        assert_eq!(tagged("host:5000/team/p:1").unwrap().tag(), Some("1"));
        assert_eq!(tagged("host:5000/team/p").unwrap().tag(), Some("latest"));
        let digest = format!("host:5000/p@sha256:{}", "0".repeat(64));
        assert!(tagged(&digest).is_err_and(|error| error.to_string().contains("name a tag")));
        assert!(tagged("https://host/p:1").is_err());
    }
}
