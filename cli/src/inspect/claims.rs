//! `policy inspect --claims`: what the registry says of an image, before it is downloaded.

use std::fmt;

use anyhow::Result;
use operator::policy::fetch::Claims;
use operator::policy::{Digest, limits};
use serde::Serialize;

use super::lines;
use crate::access::Access;
use crate::terminal::in_line;
use crate::{fetch, image};

/// What whoever pushed it wrote. None of it is checked.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Claimed {
    /// By its digest.
    image: String,
    title: Option<String>,
    version: Option<String>,
    description: Option<String>,
    /// Of the component, in bytes.
    size: u64,
    /// Of the component.
    component: Digest,
    media_type: &'static str,
    exports: Vec<String>,
}

/// Asks the registry for manifest and config.
///
/// # Errors
/// If the name is none of an image, or the registry does not answer with the manifest of a policy.
pub(crate) fn claims(image: &str, access: &Access) -> Result<Claimed> {
    let image = image::named(image)?;
    let Claims { image: digest, component, size, media_type, title, version, description, exports } =
        fetch::describe(&image, access)?;
    let image = format!("{}@{digest}", image.repository());
    let media_type = media_type.as_str();
    Ok(Claimed { image, title, version, description, size, component, media_type, exports })
}

// === impl Claimed ===

impl fmt::Display for Claimed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |claim: &Option<String>| claim.as_deref().map_or_else(|| "not said".to_owned(), in_line);
        writeln!(f, "{}", self.image)?;
        writeln!(f, "title     {}", told(&self.title))?;
        writeln!(f, "version   {}", told(&self.version))?;
        writeln!(f, "summary   {}", told(&self.description))?;
        writeln!(f, "size      {} bytes of at most {}", self.size, limits::COMPONENT)?;
        writeln!(f, "digest    {}", self.component)?;
        writeln!(f, "exports   {}", lines(&self.exports))?;
        write!(
            f,
            "checked   nothing of this: it is what was pushed with it; without --claims it is fetched and looked at"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_claim_makes_a_line_of_its_own() {
        let forged = "galera\nchecked   all of this\u{1b}[2J";
        let claimed = Claimed {
            image: "registry.example.com/p@sha256:00".to_owned(),
            title: Some(forged.to_owned()),
            version: Some(forged.to_owned()),
            description: Some(forged.to_owned()),
            size: 1,
            component: Digest::of(b""),
            media_type: "application/wasm",
            exports: vec![forged.to_owned()],
        };
        let told = claimed.to_string();
        assert_eq!(told.lines().filter(|line| line.starts_with("checked ")).count(), 1, "{told}");
        assert!(told.contains("title     galera\\nchecked   all of this\\u{1b}[2J\n"), "{told}");
    }
}
