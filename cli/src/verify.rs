//! `policy verify`: whether an image is signed, as the operator finds it.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, Result};
use operator::api::{Demander, VerifiedBy};
use operator::policy::signature::{Demand, Key, at_most};
use serde::Serialize;

use crate::access::Access;
use crate::output::Verdict;
use crate::terminal::in_line;
use crate::{fetch, file, image};

/// What was found of an image.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Verified {
    /// By its digest.
    image: String,
    /// The key that has signed it.
    verified_by: Option<Signer>,
    /// Why it would be refused, if so.
    refusal: Option<String>,
}

/// A key that has signed.
#[derive(Debug, Serialize)]
struct Signer {
    /// The SHA-256 of its SubjectPublicKeyInfo in DER.
    key: String,
    /// Where it is.
    from: String,
}

/// Looks at the signatures of an image.
///
/// # Errors
/// If a key cannot be read, or the registry does not answer.
pub(crate) fn verify(name: &str, files: &[PathBuf], access: &Access) -> Result<Verified> {
    let image = image::named(name)?;
    let mut keys = Vec::new();
    for path in files {
        let name = format!("--key {}", path.display());
        let pem = file::read(path, file::KEYS).with_context(|| format!("failed to read {name}"))?;
        keys.extend(Key::all(&pem, &name).context(name)?);
    }
    let demand = Demand { by: Demander::Resource, keys: at_most(keys).context("--key")? };
    let (digest, found) = fetch::verify(&image, &demand, access)?;
    let refusal = found.as_ref().err().map(ToString::to_string);
    let signer = |VerifiedBy { key, from, .. }| Signer { key: key.to_string(), from };
    let verified_by = found.ok().and_then(|by| by.into_iter().next()).map(signer);
    Ok(Verified { image: format!("{}@{digest}", image.repository()), verified_by, refusal })
}

// === impl Verified ===

impl Verdict for Verified {
    fn is_well(&self) -> bool {
        self.verified_by.is_some()
    }
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "image     {}", self.image)?;
        match (&self.verified_by, &self.refusal) {
            (Some(Signer { key, from }), _) => write!(f, "signed    by {key} ({})", in_line(from)),
            (None, why) => write!(f, "refused   {}", in_line(why.as_deref().unwrap_or("it is not signed"))),
        }
    }
}
