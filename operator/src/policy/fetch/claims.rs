//! What a registry says of an image, before its component is fetched. It is what was written by whoever pushed it, and
//! nothing decides by it: a policy is what its bytes are.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::manifest::MediaType;
use crate::policy::Digest;

/// Bytes of one claim that are kept.
const KEPT: usize = 1024;

/// The config in bytes. It names a handful of interfaces.
pub(super) const CONFIG: usize = 64 << 10;

/// What the config of a component is called by the layout of the CNCF.
const CONFIG_TYPE: &str = "application/vnd.wasm.config.v0+json";

/// What a registry says of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Of the manifest: the digest of the image.
    pub image: Digest,
    /// Of the component.
    pub component: Digest,
    /// The component in bytes.
    pub size: u64,
    /// What the manifest calls the component.
    pub media_type: MediaType,
    /// By the annotation `org.opencontainers.image.title`.
    pub title: Option<String>,
    /// By the annotation `org.opencontainers.image.version`.
    pub version: Option<String>,
    /// By the annotation `org.opencontainers.image.description`.
    pub description: Option<String>,
    /// The interfaces that the config names, such as `clusterlabs:policy/seed@0.1.0`.
    pub exports: Vec<String>,
}

/// What a manifest says beside its layer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Beside {
    annotations: BTreeMap<String, String>,
    /// The config, if it is one that names interfaces.
    pub(super) config: Option<Digest>,
}

/// Read apart from the manifest of a policy that shall run, which none of this may keep from running.
pub(super) fn beside(manifest: &[u8]) -> Beside {
    #[derive(Deserialize)]
    struct Manifest {
        #[serde(default)]
        annotations: BTreeMap<String, String>,
        config: Option<Config>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Config {
        media_type: String,
        digest: String,
    }
    let Ok(Manifest { annotations, config }) = serde_json::from_slice(manifest) else {
        return Beside::default();
    };
    let config = config.filter(|config| config.media_type == CONFIG_TYPE);
    Beside { annotations, config: config.and_then(|config| config.digest.parse().ok()) }
}

impl Beside {
    /// The annotation `org.opencontainers.image.NAME`.
    pub(super) fn annotation(&self, name: &str) -> Option<String> {
        let value = self.annotations.get(&format!("org.opencontainers.image.{name}"))?;
        Some(value[..value.floor_char_boundary(KEPT)].to_owned())
    }
}

/// The interfaces that a config names.
pub(super) fn exports(config: &[u8]) -> Vec<String> {
    #[derive(Deserialize)]
    struct Config {
        component: Component,
    }
    #[derive(Deserialize)]
    struct Component {
        exports: Vec<String>,
    }
    serde_json::from_slice(config).map_or_else(|_| Vec::new(), |Config { component }| component.exports)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_manifest_does_not_say_or_says_in_another_way_is_not_known() {
        let digest = Digest::of(b"config");
        let whole = json!({
            "annotations": {"org.opencontainers.image.title": "galera"},
            "config": {"mediaType": CONFIG_TYPE, "digest": digest, "size": 6},
        });
        let told = beside(whole.to_string().as_bytes());
        assert_eq!((told.annotation("title"), told.annotation("version")), (Some("galera".into()), None));
        assert_eq!(told.config, Some(digest));
        let docker =
            json!({"config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": digest}});
        for none in [docker.to_string(), json!({"annotations": [1]}).to_string(), "<html>".to_owned()] {
            assert_eq!(beside(none.as_bytes()), Beside::default(), "{none}");
        }
        assert_eq!(exports(b"{}"), Vec::<String>::new());
        assert_eq!(exports(br#"{"component": {"exports": ["a"]}}"#), ["a"]);
    }

    #[test]
    fn a_claim_is_cut_between_two_characters() {
        let long = json!({"annotations": {"org.opencontainers.image.title": "\u{e9}".repeat(KEPT)}});
        let title = beside(long.to_string().as_bytes()).annotation("title").unwrap();
        assert_eq!(title.len(), KEPT);
    }
}
