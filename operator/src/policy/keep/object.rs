//! A policy as an object of the API server.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;

use crate::policy::Digest;

/// The beginning of its name, and how many digits of the digest follow: a name has room for them, and 160 bits are
/// enough, since the bytes are hashed whenever they are read.
const NAME: &str = "rss-policy-";
const DIGITS: usize = 40;

/// The key of the bytes.
const KEY: &str = "component.wasm";

/// The digest in full, for people.
const DIGEST: &str = "clusterlabs.org/digest";

/// Followed by a namespace: it brought these bytes, from there.
const KEPT_FOR: &str = "kept-for.clusterlabs.org/";

/// Followed by a namespace: since then none of its sets was seen to use them.
const UNUSED_SINCE: &str = "unused-since.clusterlabs.org/";

/// The objects of this kind.
pub(super) const SELECTOR: &str = "app.kubernetes.io/name=rss-operator,app.kubernetes.io/component=policy";

pub(super) type Annotations = BTreeMap<String, String>;

pub(super) fn name(digest: Digest) -> String {
    format!("{NAME}{}", &digest.hex()[..DIGITS])
}

pub(super) fn kept_for(namespace: &str) -> String {
    format!("{KEPT_FOR}{namespace}")
}

pub(super) fn unused_since(namespace: &str) -> String {
    format!("{UNUSED_SINCE}{namespace}")
}

/// The bytes as `namespace` brought them from `source`.
pub(super) fn of(bytes: &[u8], digest: Digest, namespace: &str, source: &str) -> ConfigMap {
    let pairs = SELECTOR.split(',').filter_map(|pair| pair.split_once('='));
    let labels = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let annotations = [(DIGEST.to_owned(), digest.to_string()), (kept_for(namespace), source.to_owned())];
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name(digest)),
            labels: Some(labels),
            annotations: Some(annotations.into()),
            ..ObjectMeta::default()
        },
        binary_data: Some(BTreeMap::from([(KEY.to_owned(), ByteString(bytes.to_vec()))])),
        immutable: Some(true),
        ..ConfigMap::default()
    }
}

/// Its bytes, if they are those that the digest names.
pub(super) fn bytes(object: ConfigMap, digest: Digest) -> Option<Vec<u8>> {
    let bytes = object.binary_data.and_then(|mut data| data.remove(KEY))?.0;
    (Digest::of(&bytes) == digest).then_some(bytes)
}

/// Whether the namespace brought these bytes.
pub(super) fn is_kept_for(metadata: &ObjectMeta, namespace: &str) -> bool {
    metadata.annotations.as_ref().is_some_and(|all| all.contains_key(&kept_for(namespace)))
}

/// Whether the namespace brought these bytes, and nothing says that it does not use them.
pub(super) fn is_settled(metadata: &ObjectMeta, namespace: &str) -> bool {
    let marked = metadata.annotations.as_ref().is_some_and(|all| all.contains_key(&unused_since(namespace)));
    is_kept_for(metadata, namespace) && !marked
}

/// Every namespace that brought them.
pub(super) fn namespaces(annotations: &Annotations) -> impl Iterator<Item = &str> {
    annotations.keys().filter_map(|key| key.strip_prefix(KEPT_FOR))
}

/// The digest that the annotation says, if it fits the name.
pub(super) fn digest(metadata: &ObjectMeta) -> Option<Digest> {
    let digest: Digest = metadata.annotations.as_ref()?.get(DIGEST)?.parse().ok()?;
    (metadata.name.as_deref() == Some(&name(digest))).then_some(digest)
}

/// Each namespace that may use it, with its digest.
pub(super) fn uses(metadata: &ObjectMeta) -> Vec<(String, Digest)> {
    let Some((annotations, digest)) = metadata.annotations.as_ref().zip(digest(metadata)) else {
        return Vec::new();
    };
    namespaces(annotations).map(|namespace| (namespace.to_owned(), digest)).collect()
}
