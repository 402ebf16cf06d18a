//! The older form: a text of Red Hat's "simple signing", and a signature over it.
//!
//! By cosign's [specification of signatures](https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md): under
//! the tag `sha256-DIGEST.sig` is an image; each of its layers is a text, and an annotation of it the signature.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::{Signed, Statement, WhyNot};
use crate::policy::Digest;

/// What a layer with a text is called.
pub const MEDIA_TYPE: &str = "application/vnd.dev.cosign.simplesigning.v1+json";

/// The annotation of the layer that has the signature, in base64.
pub const ANNOTATION: &str = "dev.cosignproject.cosign/signature";

/// What a text of cosign's is of.
const TYPE: &str = "cosign container image signature";

#[derive(Deserialize)]
struct Payload {
    critical: Critical,
}

#[derive(Deserialize)]
struct Critical {
    #[serde(rename = "type")]
    kind: String,
    image: Image,
}

#[derive(Deserialize)]
struct Image {
    #[serde(rename = "docker-manifest-digest")]
    digest: String,
}

/// What a layer with this annotation and these bytes holds.
///
/// # Errors
/// If the annotation is no base64.
pub fn read(annotation: &str, payload: &[u8]) -> Result<Signed, WhyNot> {
    let signature = STANDARD.decode(annotation).map_err(|_| WhyNot::Malformed)?;
    Ok(Signed { message: payload.to_vec(), signature, statement: Statement::SimpleSigning })
}

/// Whether a text is of this image. `docker-reference`, the name under which it was signed, is not asked for: an image is
/// its bytes, and a policy may be copied to another registry together with its signature.
pub(super) fn is_of(payload: &[u8], image: Digest) -> Result<(), WhyNot> {
    let Payload { critical } = serde_json::from_slice(payload).map_err(|_| WhyNot::Malformed)?;
    if critical.kind != TYPE {
        return Err(WhyNot::OtherKind);
    }
    if critical.image.digest == image.to_string() { Ok(()) } else { Err(WhyNot::OtherImage) }
}
