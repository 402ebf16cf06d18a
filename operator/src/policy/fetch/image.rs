//! The name of an image, in full.

use std::fmt;
use std::str::FromStr;

use oci_client::{ParseError, Reference};

use super::authority::Authority;
use crate::policy::Digest;

/// An image by tag or by digest. A name without a host is one of Docker Hub, one without a tag means `latest`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    reference: Reference,
    authority: Authority,
    digest: Option<Digest>,
}

/// A text that names no image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} names no image: {why}; write HOST/REPOSITORY:TAG or HOST/REPOSITORY@sha256:DIGEST")]
pub struct NotAnImage {
    text: String,
    why: String,
}

impl NotAnImage {
    /// What is wrong with the text.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }
}

impl Image {
    /// The digest that the name itself has.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        self.digest
    }

    /// Host and repository, without tag and digest: what rights and credentials are about.
    #[must_use]
    pub fn repository(&self) -> String {
        format!("{}/{}", self.reference.registry(), self.reference.repository())
    }

    pub(super) fn path(&self) -> &str {
        self.reference.repository()
    }

    pub(super) fn authority(&self) -> &Authority {
        &self.authority
    }

    pub(super) fn reference(&self) -> &Reference {
        &self.reference
    }

    /// The same by its digest alone.
    pub(super) fn at(&self, digest: Digest) -> Reference {
        self.reference.clone_with_digest(digest.to_string())
    }
}

impl FromStr for Image {
    type Err = NotAnImage;

    fn from_str(text: &str) -> Result<Self, NotAnImage> {
        let wrong = |why: String| NotAnImage { text: text.chars().take(300).collect(), why };
        let reference: Reference = text.parse().map_err(|error: ParseError| wrong(error.to_string()))?;
        let digest = reference.digest().map(str::parse).transpose();
        let digest = digest.map_err(|error: crate::policy::NotADigest| wrong(error.to_string()))?;
        let authority = reference.registry().parse();
        let authority = authority.map_err(|error: super::NotAnAuthority| wrong(error.to_string()))?;
        Ok(Self { reference, authority, digest })
    }
}

impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reference.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn image(text: &str) -> String {
        text.parse::<Image>().unwrap().to_string()
    }

    #[test]
    fn a_short_name_is_completed() {
        assert_eq!(image("galera"), "docker.io/library/galera:latest");
        assert_eq!(image("team/galera:1"), "docker.io/team/galera:1");
        assert_eq!(image("index.docker.io/team/galera"), "docker.io/team/galera:latest");
        assert_eq!(image("host:5000/galera:1"), "host:5000/galera:1");
    }

    #[test]
    fn a_digest_is_one_that_policies_are_named_by() {
        let named: Image = format!("host.example/p@{DIGEST}").parse().unwrap();
        assert_eq!(named.digest(), Some(DIGEST.parse().unwrap()));
        assert_eq!(named.repository(), "host.example/p");
        let longer = format!("host.example/p@sha512:{}", "0".repeat(128));
        let capitals = format!("host.example/p@{}", DIGEST.replace("ba78", "BA78"));
        for wrong in [longer.as_str(), &capitals, "", "UPPER", "http://host/p", "host.example/p:"] {
            let error = wrong.parse::<Image>().unwrap_err();
            assert!(error.to_string().contains("names no image"), "{error}");
        }
    }
}
