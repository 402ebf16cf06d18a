//! Whatever a registry or a Secret is made of: what is refused is refused by name.

use super::*;
use crate::fuzz;
use crate::policy::limits;

const IMAGE: &[u8] = include_bytes!("signed/image.json");
const SIGNATURES: &[u8] = include_bytes!("signed/cosign2/signatures.json");

#[test]
fn a_manifest_names_one_layer_within_bounds_or_is_refused() {
    let index = include_bytes!("signed/cosign3/index.json");
    let manifests = fuzz::Target {
        name: "manifest",
        seeds: vec![IMAGE.to_vec(), index.to_vec(), SIGNATURES.to_vec()],
        tokens: &["application/wasm", "schemaVersion", "layers", "sha256:", "size", "manifests"],
        most: 80 << 10,
    };
    manifests.hold(|bytes| {
        let Ok(layer) = manifest::layer(bytes) else { return };
        assert!(layer.size <= limits::COMPONENT as u64 && bytes.len() <= 64 << 10, "{layer:?}");
        assert_eq!(manifest::layer(bytes), Ok(layer));
    });
}

#[test]
fn a_docker_configuration_is_logins_or_a_refusal_that_tells_no_secret() {
    let config = br#"{"auths": {"h.example/team": {"auth": "dXNlcjpzM2NyM3Q="}, "*.example:5000":
        {"username": "user", "password": "s3cr3t"}, "b.example": {"identitytoken": "s3cr3t"}},
        "credHelpers": {"c.example": "helper"}, "credsStore": "store"}"#;
    let legacy =
        br#"{"https://index.docker.io/v1/": {"auth": "dXNlcjpzM2NyM3Q=", "registrytoken": "s3cr3t"}}"#;
    let configs = fuzz::Target {
        name: "docker-config",
        seeds: vec![config.to_vec(), legacy.to_vec()],
        tokens: &["auths", "auth", "*", "https://", "/v1/", "dXNlcjo=", "s3cr3t", "h.example"],
        most: 32 << 10,
    };
    let images = ["h.example/team/p:1", "a.example:5000/p", "c.example/p", "docker.io/library/p"];
    configs.hold(|bytes| {
        for (kind, key) in [
            ("kubernetes.io/dockerconfigjson", ".dockerconfigjson"),
            ("kubernetes.io/dockercfg", ".dockercfg"),
        ] {
            let data = BTreeMap::from([(key.to_owned(), ByteString(bytes.to_vec()))]);
            let secret = Secret { type_: Some(kind.to_owned()), data: Some(data), ..Secret::default() };
            let mut credentials = Credentials::default();
            if let Err(refused) = credentials.add("regcred", &secret) {
                assert!(!format!("{refused} {refused:?}").contains("s3cr3t"), "{refused}");
                continue;
            }
            for image in images {
                let _ = credentials.for_image(&image.parse().expect("an image"));
            }
        }
    });
}
