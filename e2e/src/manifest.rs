//! Manifests of this repository: as they stand, or with single fields edited.

use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{Api, Patch, PatchParams};
use kube::{Resource, ResourceExt};
use operator::api::ReplicatedStatefulSet;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Whose fields the tests' are.
const MANAGER: &str = "rss-e2e";

/// A set of `examples/`, such as `dummy/cluster`.
///
/// # Errors
/// If there is no such manifest.
pub fn example(name: &str) -> Result<Value> {
    read(&root().join("examples").join(format!("{name}.yaml")))
}

/// A set of `examples/`, edited.
///
/// # Errors
/// If there is no such manifest, or what came of it is no set.
pub fn edited(name: &str, edit: impl FnOnce(&mut Value)) -> Result<ReplicatedStatefulSet> {
    let mut value = example(name)?;
    edit(&mut value);
    serde_json::from_value(value).with_context(|| format!("{name} was edited beyond recognition"))
}

/// A manifest of `examples/` with two objects.
///
/// # Errors
/// If there is no such manifest, or it has others.
pub fn pair<A: DeserializeOwned, B: DeserializeOwned>(name: &str) -> Result<(A, B)> {
    let file = root().join("examples").join(format!("{name}.yaml"));
    let text = fs::read_to_string(&file).with_context(|| format!("failed to read {}", file.display()))?;
    let (first, second) = text.split_once("\n---\n").context("it has one object")?;
    Ok((serde_saphyr::from_str(first)?, serde_saphyr::from_str(second)?))
}

/// A ConfigMap with bytes under one key, as `kubectl create configmap --from-file` makes it.
#[must_use]
pub fn binary(name: &str, key: &str, bytes: Vec<u8>) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },
        binary_data: Some([(key.to_owned(), ByteString(bytes))].into()),
        ..ConfigMap::default()
    }
}

/// An object of `deploy/`.
pub(crate) fn deployed<K: DeserializeOwned>(name: &str) -> Result<K> {
    read(&root().join("deploy").join(format!("{name}.yaml")))
}

/// Make an object what it is described as.
///
/// # Errors
/// If the API server refuses.
pub async fn apply<K>(api: &Api<K>, object: &K) -> Result<K>
where
    K: Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned,
{
    let mut value = serde_json::to_value(object)?;
    // Types of the client know these by type only; the server wants them in the text.
    value["apiVersion"] = K::api_version(&()).into();
    value["kind"] = K::kind(&()).into();
    complete_images(&mut value, &image_prefix());
    let parameters = PatchParams::apply(MANAGER).force();
    let applied = api.patch(&object.name_any(), &parameters, &Patch::Apply(&value)).await;
    applied.with_context(|| format!("failed to apply {} {}", K::kind(&()), object.name_any()))
}

/// An image as the cluster knows it. Elsewhere than in the local one it may have a registry before it.
#[must_use]
pub fn image(name: &str) -> String {
    completed(name, &image_prefix())
}

fn image_prefix() -> String {
    std::env::var("RSS_IMAGE_PREFIX").unwrap_or_default()
}

fn completed(name: &str, prefix: &str) -> String {
    match prefix.trim_end_matches('/') {
        "" => name.to_owned(),
        prefix => format!("{prefix}/{name}"),
    }
}

/// All of them that an object names, wherever it does.
fn complete_images(object: &mut Value, prefix: &str) {
    match object {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(text) if name == "image" => *text = completed(text, prefix),
                    other => complete_images(other, prefix),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| complete_images(item, prefix)),
        _ => {}
    }
}

fn read<K: DeserializeOwned>(file: &Path) -> Result<K> {
    let text = fs::read_to_string(file).with_context(|| format!("failed to read {}", file.display()))?;
    serde_saphyr::from_str(&text).with_context(|| format!("{} is malformed", file.display()))
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(Path::to_owned).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn every_image_of_an_object_gets_the_prefix_and_nothing_else_does() {
        let object = |image: &str| {
            json!({
                "image": {"name": "dummy:example"},
                "spec": {"containers": [{"name": "image", "image": image}]},
            })
        };
        for (prefix, wanted) in [
            ("", "dummy:example"),
            ("host.example/a", "host.example/a/dummy:example"),
            ("b/", "b/dummy:example"),
        ] {
            let mut completed = object("dummy:example");
            super::complete_images(&mut completed, prefix);
            assert_eq!(completed, object(wanted));
        }
    }
}
