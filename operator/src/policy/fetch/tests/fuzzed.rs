//! Whatever a registry or a Secret is made of: what is refused is refused by name.

use super::*;
use crate::fuzz;
use crate::policy::limits;

const IMAGE: &[u8] = include_bytes!("signed/image.json");
const SIGNATURES: &[u8] = include_bytes!("signed/cosign2/signatures.json");

fn manifests() -> fuzz::Target<'static> {
    let index = include_bytes!("signed/cosign3/index.json");
    fuzz::Target {
        name: "manifest",
        seeds: vec![IMAGE.to_vec(), index.to_vec(), SIGNATURES.to_vec()],
        tokens: &["application/wasm", "schemaVersion", "layers", "sha256:", "size", "manifests"],
        most: 80 << 10,
    }
}

type Read = fn(&[u8]) -> Result<manifest::Layer, NotAPolicy>;

fn names_a_layer(bytes: &[u8], layer: Read) {
    let Ok(found) = layer(bytes) else { return };
    assert!(found.size <= limits::COMPONENT as u64 && bytes.len() <= 64 << 10, "{found:?}");
    assert_eq!(layer(bytes), Ok(found));
}

#[test]
fn a_manifest_names_one_layer_within_bounds_or_is_refused() {
    manifests().hold(|bytes| names_a_layer(bytes, manifest::layer));
}

#[test]
fn layers_beyond_their_bounds_are_found_out() {
    let wrong: [(&str, Read); 2] = [
        ("a layer of any size", |bytes| {
            manifest::layer(bytes).map(|layer| manifest::Layer { size: u64::MAX, ..layer })
        }),
        ("a manifest of any size", |_| manifest::layer(IMAGE)),
    ];
    for (sentence, layer) in wrong {
        assert!(manifests().finds(|bytes| names_a_layer(bytes, layer)), "{sentence}");
    }
}

fn configs() -> fuzz::Target<'static> {
    let config = br#"{"auths": {"h.example/team": {"auth": "dXNlcjpzM2NyM3Q="}, "*.example:5000":
        {"username": "user", "password": "s3cr3t"}, "b.example": {"identitytoken": "s3cr3t"}},
        "credHelpers": {"c.example": "helper"}, "credsStore": "store"}"#;
    let legacy =
        br#"{"https://index.docker.io/v1/": {"auth": "dXNlcjpzM2NyM3Q=", "registrytoken": "s3cr3t"}}"#;
    fuzz::Target {
        name: "docker-config",
        seeds: vec![config.to_vec(), legacy.to_vec()],
        tokens: &["auths", "auth", "*", "https://", "/v1/", "dXNlcjo=", "s3cr3t", "h.example"],
        most: 32 << 10,
    }
}

/// `words` is what is told of a refusal.
fn keeps_its_secret(bytes: &[u8], words: fn(&CredentialsError, &[u8]) -> String) {
    let images = ["h.example/team/p:1", "a.example:5000/p", "c.example/p", "docker.io/library/p"];
    for (kind, key) in
        [("kubernetes.io/dockerconfigjson", ".dockerconfigjson"), ("kubernetes.io/dockercfg", ".dockercfg")]
    {
        let data = BTreeMap::from([(key.to_owned(), ByteString(bytes.to_vec()))]);
        let secret = Secret { type_: Some(kind.to_owned()), data: Some(data), ..Secret::default() };
        let mut credentials = Credentials::default();
        if let Err(refused) = credentials.add("regcred", &secret) {
            let words = words(&refused, bytes);
            assert!(!words.contains("s3cr3t"), "{words}");
            continue;
        }
        for image in images {
            let _ = credentials.for_image(&image.parse().expect("an image"));
        }
    }
}

#[test]
fn a_docker_configuration_is_logins_or_a_refusal_that_tells_no_secret() {
    configs().hold(|bytes| keeps_its_secret(bytes, |refused, _| format!("{refused} {refused:?}")));
}

#[test]
fn a_refusal_that_tells_what_was_refused_is_found_out() {
    let telling =
        |refused: &CredentialsError, bytes: &[u8]| format!("{refused}: {}", String::from_utf8_lossy(bytes));
    assert!(configs().finds(|bytes| keeps_its_secret(bytes, telling)));
}
