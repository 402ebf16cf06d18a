//! Resources that the API server refuses, with the field that is wrong.

use anyhow::Result;
use e2e::{Space, manifest, with_bare_namespace};
use kube::api::PostParams;
use operator::api::ReplicatedStatefulSet;
use serde_json::{Value, from_value, json};

/// What the server says of the example with one field replaced.
async fn refusal(space: &Space, pointer: &str, value: Value) -> Result<String> {
    let mut set = manifest::example("dummy/cluster")?;
    let (parent, key) = pointer.rsplit_once('/').unwrap_or_default();
    if let Some(parent) = set.pointer_mut(parent) {
        parent[key] = value;
    }
    // As text: the operator's own types would refuse some of it before the server does.
    let request = kube::core::Request::new(space.all::<ReplicatedStatefulSet>().resource_url());
    let request = request.create(&PostParams::default(), serde_json::to_vec(&set)?)?;
    match space.client.request::<Value>(request).await {
        Ok(_) => anyhow::bail!("{pointer} was accepted"),
        Err(kube::Error::Api(status)) => Ok(status.message.clone()),
        Err(error) => Err(error.into()),
    }
}

#[tokio::test]
async fn a_bad_field_is_refused_by_its_path() -> Result<()> {
    with_bare_namespace(async |space| {
        let stop: Value = from_value(json!({"command": []}))?;
        for (pointer, value, path) in [
            ("/spec/replicas", json!(-1), "spec.replicas"),
            ("/spec/primaries", json!(-1), "spec.primaries"),
            ("/spec/chaosLevel", json!(20), "spec.chaosLevel"),
            ("/spec/reconcileInterval", json!("soon"), "spec.reconcileInterval"),
            ("/spec/pod/containers", json!([]), "spec.pod.containers"),
            ("/spec/pod/commands/stop", stop, "spec.pod.commands.stop"),
            ("/spec/pod/commands/seed/timeout", json!("a while"), "spec.pod.commands.seed.timeout"),
            ("/spec/recovery", json!({"failover": "Perhaps"}), "spec.recovery.failover"),
        ] {
            let said = refusal(space, pointer, value).await?;
            assert!(said.contains(path), "{pointer}: {said}");
        }
        let said = refusal(space, "/metadata/name", json!("9th")).await?;
        assert!(said.contains("metadata.name"), "{said}");
        Ok(())
    })
    .await
}
