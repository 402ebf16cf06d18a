//! The newer form: a bundle of Sigstore's, which holds a signed statement of in-toto's about the image.
//!
//! By cosign's [specification of bundles](https://github.com/sigstore/cosign/blob/main/specs/BUNDLE_SPEC.md) it is the one
//! layer of an image that names what was signed as its subject; within, the
//! [bundle](https://github.com/sigstore/protobuf-specs/blob/main/protos/sigstore_bundle.proto) has an envelope of
//! [DSSE](https://github.com/secure-systems-lab/dsse/blob/master/protocol.md), and that a statement of
//! [in-toto](https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md). A bundle may hold a bare signature in
//! its place (`messageSignature`): cosign makes that of files and not of images, and it does not count.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::{Signed, Statement, WhyNot};
use crate::policy::Digest;

/// What a bundle is called: as a layer, as the type of its image, and within itself.
pub const MEDIA_TYPE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

/// The annotation of its image that says what is stated.
pub const PREDICATE_ANNOTATION: &str = "dev.sigstore.bundle.predicateType";

/// What a signature of an image states. An attestation by the same key says another thing: that a policy was scanned, for
/// one, and not that it is good.
pub const PREDICATE: &str = "https://sigstore.dev/cosign/sign/v1";

/// What an envelope with a statement is called.
const PAYLOAD: &str = "application/vnd.in-toto+json";

/// What a statement calls itself, in both versions.
const STATEMENTS: [&str; 2] = ["https://in-toto.io/Statement/v1", "https://in-toto.io/Statement/v0.1"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bundle {
    media_type: String,
    dsse_envelope: Option<Envelope>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    payload: String,
    payload_type: String,
    signatures: Vec<Signature>,
}

#[derive(Deserialize)]
struct Signature {
    sig: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InToto {
    #[serde(rename = "_type")]
    kind: String,
    predicate_type: String,
    subject: Vec<Subject>,
}

#[derive(Deserialize)]
struct Subject {
    digest: Digests,
}

#[derive(Deserialize)]
struct Digests {
    sha256: Option<String>,
}

/// What a bundle holds.
///
/// # Errors
/// If it is none with a signed statement.
pub fn read(bundle: &[u8]) -> Result<Signed, WhyNot> {
    let bundle: Bundle = serde_json::from_slice(bundle).map_err(|_| WhyNot::Malformed)?;
    if bundle.media_type != MEDIA_TYPE {
        return Err(WhyNot::OtherKind);
    }
    let envelope = bundle.dsse_envelope.ok_or(WhyNot::OtherKind)?;
    if envelope.payload_type != PAYLOAD {
        return Err(WhyNot::OtherKind);
    }
    // The bundle's own rule: one and no more.
    let [signature] = envelope.signatures.as_slice() else { return Err(WhyNot::Malformed) };
    let decoded = |text: &str| STANDARD.decode(text).map_err(|_| WhyNot::Malformed);
    let (payload, signature) = (decoded(&envelope.payload)?, decoded(&signature.sig)?);
    let message = pre_authentication_encoding(PAYLOAD, &payload);
    Ok(Signed { message, signature, statement: Statement::InToto(payload) })
}

/// What DSSE signs in the place of a payload: its type goes with it, and the lengths say where each ends.
fn pre_authentication_encoding(kind: &str, payload: &[u8]) -> Vec<u8> {
    let mut message = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len()).into_bytes();
    message.extend_from_slice(payload);
    message
}

/// Whether a statement is a signature of this image.
pub(super) fn is_of(statement: &[u8], image: Digest) -> Result<(), WhyNot> {
    let statement: InToto = serde_json::from_slice(statement).map_err(|_| WhyNot::Malformed)?;
    if !STATEMENTS.contains(&statement.kind.as_str()) || statement.predicate_type != PREDICATE {
        return Err(WhyNot::OtherKind);
    }
    let hex = image.hex();
    let is_subject = |subject: &Subject| subject.digest.sha256.as_ref() == Some(&hex);
    if statement.subject.iter().any(is_subject) { Ok(()) } else { Err(WhyNot::OtherImage) }
}
