//! Manifests of this repository: as they stand, or with single fields edited.

use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
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
    let parameters = PatchParams::apply(MANAGER).force();
    let applied = api.patch(&object.name_any(), &parameters, &Patch::Apply(&value)).await;
    applied.with_context(|| format!("failed to apply {} {}", K::kind(&()), object.name_any()))
}

fn read<K: DeserializeOwned>(file: &Path) -> Result<K> {
    let text = fs::read_to_string(file).with_context(|| format!("failed to read {}", file.display()))?;
    serde_saphyr::from_str(&text).with_context(|| format!("{} is malformed", file.display()))
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(Path::to_owned).unwrap_or_default()
}
