//! The layout that the CNCF wrote down for WebAssembly in registries: a config that says what the component is, and
//! one layer, which is the component. Of the same component the bytes are the same: no time of day is in them.

use std::collections::BTreeMap;

use operator::policy::{Component, Digest};
use serde::Serialize;

/// What a manifest is.
pub(super) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.wasm.config.v0+json";
const LAYER: &str = "application/wasm";

/// Readers of the config want a time; this one is nobody's.
const CREATED: &str = "1970-01-01T00:00:00Z";

/// Bytes that are pushed.
pub(super) struct Artifact {
    pub(super) component: Vec<u8>,
    pub(super) config: Vec<u8>,
    pub(super) manifest: Vec<u8>,
}

/// What a component is. The order of the fields is that of the bytes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    created: &'static str,
    architecture: &'static str,
    /// `wasip2` is how a component is told from a module there; this one wants no system.
    os: &'static str,
    layer_digests: [Digest; 1],
    component: Interfaces,
}

#[derive(Serialize)]
struct Interfaces {
    exports: Vec<String>,
    imports: [String; 0],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    schema_version: u8,
    media_type: &'static str,
    config: Part,
    layers: [Part; 1],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    annotations: Annotations,
}

/// One of the things that a manifest names.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    media_type: &'static str,
    digest: Digest,
    size: usize,
}

type Annotations = BTreeMap<&'static str, String>;

// === impl Artifact ===

impl Artifact {
    /// Of a component and its bytes.
    ///
    /// # Errors
    /// None that can be: texts and numbers are JSON.
    pub(super) fn of(component: &Component, bytes: Vec<u8>) -> serde_json::Result<Self> {
        let exports = component.exports().iter().map(|interface| interface.export()).collect();
        let annotations = component.description().map(|described| {
            Annotations::from([
                ("org.opencontainers.image.title", described.name.clone()),
                ("org.opencontainers.image.version", described.version.clone()),
                ("org.opencontainers.image.description", described.summary.clone()),
            ])
        });
        Self::new(bytes, exports, annotations.unwrap_or_default())
    }

    fn new(component: Vec<u8>, exports: Vec<String>, annotations: Annotations) -> serde_json::Result<Self> {
        let layer = Part::of(LAYER, &component);
        let config = serde_json::to_vec(&Config {
            created: CREATED,
            architecture: "wasm",
            os: "wasip2",
            layer_digests: [layer.digest],
            component: Interfaces { exports, imports: [] },
        })?;
        let manifest = serde_json::to_vec(&Manifest {
            schema_version: 2,
            media_type: MANIFEST,
            config: Part::of(CONFIG, &config),
            layers: [layer],
            annotations,
        })?;
        Ok(Self { component, config, manifest })
    }

    /// Of the manifest: what the image is called by.
    pub(super) fn digest(&self) -> Digest {
        Digest::of(&self.manifest)
    }
}

impl Part {
    fn of(media_type: &'static str, bytes: &[u8]) -> Self {
        Self { media_type, digest: Digest::of(bytes), size: bytes.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_an_artifact_are_always_the_same() {
        let exports = vec!["clusterlabs:policy/seed@0.1.0".to_owned()];
        let annotations = Annotations::from([("org.opencontainers.image.version", "1.2.0".to_owned())]);
        let artifact = Artifact::new(b"component".to_vec(), exports, annotations).unwrap();
        let expected = "sha256:8cbdfda9a6f3e7d8726ca864c9ef3ab899d668ce0c75d389dd8f24921266cc9d";
        assert_eq!(
            artifact.digest().to_string(),
            expected,
            "what was pushed once would be another image now"
        );
    }
}
