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

/// Whether a key counts it as a signature of the image.
fn counts(signed: &Signed) -> bool {
    let keys: Vec<Key> = [ECDSA, RSA].iter().flat_map(|pem| Key::all(pem, "k").expect("keys")).collect();
    assert!(signed.by(&keys, Digest::of(b"another image")).is_err(), "nobody signed that one");
    signed.by(&keys, Digest::of(IMAGE)).is_ok()
}

#[test]
fn a_bundle_counts_only_where_what_was_signed_is_what_it_holds() {
    let bundles = fuzz::Target {
        name: "bundle",
        seeds: [BUNDLE, RSA_BUNDLE, ATTESTATION].map(<[u8]>::to_vec).to_vec(),
        tokens: &["dsseEnvelope", "payload", "payloadType", "signatures", "sig", "messageSignature", "AAAA"],
        most: 64 << 10,
    };
    let message = |bytes: &[u8]| bundle::read(bytes).map(|signed| signed.message);
    let known = [BUNDLE, RSA_BUNDLE].map(message);
    bundles.hold(|bytes| {
        let Ok(signed) = bundle::read(bytes) else { return };
        assert!(!counts(&signed) || known.contains(&Ok(signed.message.clone())), "nobody signed that");
    });
}

#[test]
fn a_text_counts_only_as_it_was_signed() {
    let annotation =
        serde_json::from_slice::<Value>(SIGNATURES).expect("a manifest")["layers"][0]["annotations"]
            [simple_signing::ANNOTATION]
            .as_str()
            .expect("a signature")
            .to_owned();
    let seed = |annotation: &str| [annotation.as_bytes(), b"\n", PAYLOAD].concat();
    assert!(counts(&simple_signing::read(&annotation, PAYLOAD).expect("base64")));
    let texts = fuzz::Target {
        name: "simple-signing",
        seeds: vec![seed(&annotation), seed("AAAA")],
        tokens: &["critical", "image", "docker-manifest-digest", "cosign container image signature", "="],
        most: 32 << 10,
    };
    texts.hold(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let (annotation, payload) = text.split_once('\n').unwrap_or((&text, ""));
        let Ok(signed) = simple_signing::read(annotation, payload.as_bytes()) else { return };
        assert!(!counts(&signed) || payload.as_bytes() == PAYLOAD, "nobody signed that");
    });
}

#[test]
fn a_text_with_keys_holds_some_that_verify_or_is_refused() {
    let keys = fuzz::Target {
        name: "keys",
        seeds: vec![ECDSA.to_vec(), RSA.to_vec(), [ECDSA, RSA].concat(), kept!("ed25519.pub").to_vec()],
        tokens: &["-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----", "MFkw", "AQAB", "\n", "===="],
        most: 20 << 10,
    };
    keys.hold(|bytes| {
        let Ok(found) = Key::all(bytes, "k") else { return };
        assert!((1..=16).contains(&found.len()), "{found:?}");
    });
}
