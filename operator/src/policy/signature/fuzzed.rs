//! Whatever is held out as a signature or a key: nothing counts that was not signed.

use serde_json::Value;

use super::{Key, Signed, bundle, simple_signing};
use crate::fuzz;
use crate::policy::Digest;

macro_rules! kept {
    ($part:literal) => {
        include_bytes!(concat!("../fetch/tests/signed/", $part)).as_slice()
    };
}

const IMAGE: &[u8] = kept!("image.json");
const ECDSA: &[u8] = kept!("ecdsa.pub");
const RSA: &[u8] = kept!("rsa.pub");
const BUNDLE: &[u8] = kept!("cosign3/bundle.json");
const RSA_BUNDLE: &[u8] = kept!("cosign3-rsa/bundle.json");
const ATTESTATION: &[u8] = kept!("attestation/bundle.json");
const PAYLOAD: &[u8] = kept!("cosign2/payload.json");
const SIGNATURES: &[u8] = kept!("cosign2/signatures.json");

/// Whether one of these keys signed it, and of this image.
type IsSigned = fn(&Signed, &[Key], Digest) -> bool;

const BY: IsSigned = |signed, keys, image| signed.by(keys, image).is_ok();

/// Verifiers that let pass what nobody signed.
const CREDULOUS: [(&str, IsSigned); 3] = [
    ("everything is signed", |_, _, _| true),
    ("every signature is one of that image", |_, _, image| image == Digest::of(IMAGE)),
    ("every key's signature is one of every image", |signed, keys, _| {
        [IMAGE, ANOTHER].iter().any(|image| signed.by(keys, Digest::of(image)).is_ok())
    }),
];

const ANOTHER: &[u8] = b"another image";

/// Whether a key counts it as a signature of the image.
fn counts(signed: &Signed, by: IsSigned) -> bool {
    let keys: Vec<Key> = [ECDSA, RSA].iter().flat_map(|pem| Key::all(pem, "k").expect("keys")).collect();
    assert!(!by(signed, &keys, Digest::of(ANOTHER)), "nobody signed that one");
    by(signed, &keys, Digest::of(IMAGE))
}

fn bundles() -> fuzz::Target<'static> {
    fuzz::Target {
        name: "bundle",
        seeds: [BUNDLE, RSA_BUNDLE, ATTESTATION].map(<[u8]>::to_vec).to_vec(),
        tokens: &["dsseEnvelope", "payload", "payloadType", "signatures", "sig", "messageSignature", "AAAA"],
        most: 64 << 10,
    }
}

fn is_a_known_bundle(bytes: &[u8], by: IsSigned) {
    let message = |bytes: &[u8]| bundle::read(bytes).map(|signed| signed.message);
    let Ok(signed) = bundle::read(bytes) else { return };
    let is_known = [BUNDLE, RSA_BUNDLE].map(message).contains(&Ok(signed.message.clone()));
    assert!(!counts(&signed, by) || is_known, "nobody signed that");
}

#[test]
fn a_bundle_counts_only_where_what_was_signed_is_what_it_holds() {
    bundles().hold(|bytes| is_a_known_bundle(bytes, BY));
}

fn annotation() -> String {
    let manifest: Value = serde_json::from_slice(SIGNATURES).expect("a manifest");
    let annotation = manifest["layers"][0]["annotations"][simple_signing::ANNOTATION].as_str();
    annotation.expect("a signature").to_owned()
}

fn texts() -> fuzz::Target<'static> {
    let seed = |annotation: &str| [annotation.as_bytes(), b"\n", PAYLOAD].concat();
    fuzz::Target {
        name: "simple-signing",
        seeds: vec![seed(&annotation()), seed("AAAA")],
        tokens: &["critical", "image", "docker-manifest-digest", "cosign container image signature", "="],
        most: 32 << 10,
    }
}

fn is_the_known_text(bytes: &[u8], by: IsSigned) {
    let text = String::from_utf8_lossy(bytes);
    let (annotation, payload) = text.split_once('\n').unwrap_or((&text, ""));
    let Ok(signed) = simple_signing::read(annotation, payload.as_bytes()) else { return };
    assert!(!counts(&signed, by) || payload.as_bytes() == PAYLOAD, "nobody signed that");
}

#[test]
fn a_text_counts_only_as_it_was_signed() {
    assert!(counts(&simple_signing::read(&annotation(), PAYLOAD).expect("base64"), BY));
    texts().hold(|bytes| is_the_known_text(bytes, BY));
}

#[test]
fn signatures_that_nobody_made_are_found_out() {
    for (sentence, by) in CREDULOUS {
        assert!(bundles().finds(|bytes| is_a_known_bundle(bytes, by)), "a bundle, {sentence}");
        assert!(texts().finds(|bytes| is_the_known_text(bytes, by)), "a text, {sentence}");
    }
}

fn keys() -> fuzz::Target<'static> {
    fuzz::Target {
        name: "keys",
        seeds: vec![ECDSA.to_vec(), RSA.to_vec(), [ECDSA, RSA].concat(), kept!("ed25519.pub").to_vec()],
        tokens: &["-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----", "MFkw", "AQAB", "\n", "===="],
        most: 20 << 10,
    }
}

fn are_some(bytes: &[u8], told: fn(Vec<Key>) -> Vec<Key>) {
    let Ok(found) = Key::all(bytes, "k").map(told) else { return };
    assert!((1..=16).contains(&found.len()), "{found:?}");
}

#[test]
fn a_text_with_keys_holds_some_that_verify_or_is_refused() {
    keys().hold(|bytes| are_some(bytes, |found| found));
}

#[test]
fn a_text_that_is_taken_without_a_key_or_with_too_many_is_found_out() {
    assert!(keys().finds(|bytes| are_some(bytes, |_| Vec::new())));
    assert!(keys().finds(|bytes| are_some(bytes, |found| (0..17).flat_map(|_| found.clone()).collect())));
}
