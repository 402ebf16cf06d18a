//! What an image must be to be a policy: one layer, which is the component.

use serde::Deserialize;

use crate::policy::{Digest, limits};

use super::error::quoted;

/// What is asked for. An index is asked for too, so that it can be told from nothing.
pub(super) const ACCEPTED: [&str; 4] = [
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
];

/// The size of a manifest in bytes. That of a policy has some hundreds; annotations may add to it.
const MANIFEST: usize = 64 << 10;

/// What a layer with a component is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaType {
    /// By the layout of the CNCF for WebAssembly in registries.
    Wasm,
    /// As it was before that.
    WasmContent,
}

/// The layer of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layer {
    pub(super) digest: Digest,
    pub(super) media_type: MediaType,
    /// As the manifest has it, in bytes.
    pub(super) size: u64,
}

/// Why an image is no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAPolicy {
    /// Several images under one name.
    #[error("it is an index of images for several platforms, and a policy is one for all")]
    Index,
    /// None or several.
    #[error("it has {0} layers, and a policy has one")]
    Layers(usize),
    /// A file system, most likely.
    #[error("its layer is of type {0}, and a policy's is application/wasm")]
    MediaType(String),
    /// More than a policy may have.
    #[error("it has more than {max} bytes", max = limits::COMPONENT)]
    TooLarge,
    /// Its layer has another size than the manifest gives.
    #[error("its layer has {found} bytes, and its manifest gives {given}")]
    Size {
        /// In the manifest.
        given: u64,
        /// Of the layer.
        found: u64,
    },
    /// Its layer has another digest than the one that policies are named by.
    #[error("the digest of its layer is not `sha256:` and 64 of 0-9 and a-f")]
    Digest,
    /// No manifest at all.
    #[error("its manifest is none: {0}")]
    Manifest(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    schema_version: u8,
    #[serde(default)]
    media_type: Option<String>,
    #[serde(default)]
    layers: Vec<Descriptor>,
    #[serde(default)]
    manifests: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    media_type: String,
    digest: String,
    size: u64,
}

impl MediaType {
    /// As manifests have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wasm => "application/wasm",
            Self::WasmContent => "application/vnd.wasm.content.layer.v1+wasm",
        }
    }

    fn of(text: &str) -> Option<Self> {
        [Self::Wasm, Self::WasmContent].into_iter().find(|known| known.as_str() == text)
    }
}

impl Layer {
    /// Compares the size of the bytes with that of the manifest.
    pub(super) fn of_size(self, bytes: &[u8]) -> Result<Self, NotAPolicy> {
        let found = bytes.len() as u64;
        if found == self.size { Ok(self) } else { Err(NotAPolicy::Size { given: self.size, found }) }
    }
}

/// The layer of the policy that this is the manifest of.
pub(super) fn layer(bytes: &[u8]) -> Result<Layer, NotAPolicy> {
    if bytes.len() > MANIFEST {
        return Err(NotAPolicy::Manifest(format!("it has more than {MANIFEST} bytes")));
    }
    let manifest: Manifest =
        serde_json::from_slice(bytes).map_err(|error| NotAPolicy::Manifest(quoted(&error.to_string())))?;
    if manifest.schema_version != 2 {
        return Err(NotAPolicy::Manifest(format!("its schema is {} and not 2", manifest.schema_version)));
    }
    let is_index = |kind: &str| kind == ACCEPTED[2] || kind == ACCEPTED[3];
    if manifest.manifests.is_some() || manifest.media_type.as_deref().is_some_and(is_index) {
        return Err(NotAPolicy::Index);
    }
    let [layer] = manifest.layers.as_slice() else { return Err(NotAPolicy::Layers(manifest.layers.len())) };
    let media_type =
        MediaType::of(&layer.media_type).ok_or_else(|| NotAPolicy::MediaType(quoted(&layer.media_type)))?;
    if usize::try_from(layer.size).map_or(true, |size| size > limits::COMPONENT) {
        return Err(NotAPolicy::TooLarge);
    }
    let digest = layer.digest.parse().map_err(|_| NotAPolicy::Digest)?;
    Ok(Layer { digest, media_type, size: layer.size })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn of(manifest: &Value) -> Result<Layer, NotAPolicy> {
        layer(manifest.to_string().as_bytes())
    }

    fn with(layers: Value) -> Value {
        json!({"schemaVersion": 2, "mediaType": ACCEPTED[0], "config": {}, "layers": layers})
    }

    #[test]
    fn a_policy_has_one_layer_of_one_of_two_types() {
        let digest = Digest::of(b"component");
        for kind in ["application/wasm", "application/vnd.wasm.content.layer.v1+wasm"] {
            let found = of(&with(json!([{"mediaType": kind, "digest": digest, "size": 9}]))).unwrap();
            assert_eq!((found.digest, found.media_type.as_str()), (digest, kind));
        }
    }

    #[test]
    fn what_is_no_policy_is_refused_by_what_is_wrong_with_it() {
        let layer =
            |kind: &str, digest: &str, size: u64| json!({"mediaType": kind, "digest": digest, "size": size});
        let digest = Digest::of(b"component").to_string();
        let good = layer("application/wasm", &digest, 9);
        let tar = "application/vnd.oci.image.layer.v1.tar+gzip";
        for (manifest, expected) in [
            (with(json!([])), NotAPolicy::Layers(0)),
            (with(json!([good, good])), NotAPolicy::Layers(2)),
            (with(json!([layer(tar, &digest, 9)])), NotAPolicy::MediaType(tar.into())),
            (with(json!([layer("application/wasm", "sha512:00", 9)])), NotAPolicy::Digest),
            (with(json!([layer("application/wasm", &digest, (768 << 10) + 1)])), NotAPolicy::TooLarge),
            (with(json!([layer("application/wasm", &digest, u64::MAX)])), NotAPolicy::TooLarge),
            (json!({"schemaVersion": 2, "manifests": []}), NotAPolicy::Index),
            (json!({"schemaVersion": 2, "mediaType": ACCEPTED[3]}), NotAPolicy::Index),
            (json!({"schemaVersion": 1}), NotAPolicy::Manifest("its schema is 1 and not 2".into())),
        ] {
            assert_eq!(of(&manifest), Err(expected), "{manifest}");
        }
        assert!(matches!(super::layer(b"<html>"), Err(NotAPolicy::Manifest(_))));
        assert!(matches!(super::layer(&vec![b' '; MANIFEST + 1]), Err(NotAPolicy::Manifest(_))));
    }
}
