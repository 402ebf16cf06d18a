//! What the other tests rely on in the local cluster.

use anyhow::{Result, ensure};
use e2e::{Space, is_running, manifest, wait, with_bare_namespace};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, Service};
use kube::api::PostParams;
use serde_json::{Value, from_value, json};

fn pod(name: &str, mut spec: Value) -> Result<Pod> {
    spec["terminationGracePeriodSeconds"] = 0.into();
    spec["containers"][0]["name"] = "main".into();
    spec["containers"][0]["image"] = manifest::image("dummy:example").into();
    spec["containers"][0]["imagePullPolicy"] = "IfNotPresent".into();
    let pod = json!({"metadata": {"name": name, "labels": {"app": name}}, "spec": spec});
    from_value(pod).map_err(Into::into)
}

/// Two pods on two nodes; the left one has a claim for itself alone, and serves what is in it.
async fn neighbours(space: &Space) -> Result<()> {
    let claim: PersistentVolumeClaim = from_value(json!({
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOncePod"], "resources": {"requests": {"storage": "1Gi"}}},
    }))?;
    let service: Service = from_value(json!({
        "metadata": {"name": "left"},
        "spec": {"selector": {"app": "left"}, "ports": [{"port": 80, "targetPort": 8080}]},
    }))?;
    let left = pod(
        "left",
        json!({
            "containers": [{
                "command": ["httpd", "-f", "-p", "8080", "-h", "/"],
                "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            }],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
        }),
    )?;
    let apart =
        json!({"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "left"}}});
    let right = pod(
        "right",
        json!({
            "containers": [{"command": ["sleep", "86400"]}],
            "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}},
        }),
    )?;
    let new = PostParams::default();
    space.all().create(&new, &claim).await?;
    space.all().create(&new, &service).await?;
    space.all().create(&new, &left).await?;
    space.all().create(&new, &right).await.map(drop).map_err(Into::into)
}

#[tokio::test]
async fn pods_have_claims_of_their_own_and_names_and_reach_their_neighbours() -> Result<()> {
    let _alone = crate::alone().await;
    with_bare_namespace(async |space| {
        neighbours(space).await?;
        let (left, right) = (space.pod("left"), space.pod("right"));
        left.until("it runs", is_running).await?;
        right.until("it runs", is_running).await?;
        let answer = left.run(&["sh", "-c", "echo kept >/data/file; exit 7"]).await?;
        ensure!(answer.code == 7, "{answer:?}");
        let address = left.address().await?;
        for name in ["kubernetes.default.svc.cluster.local".to_owned(), address.to_string()] {
            right.sh(&format!("nslookup {name}")).await?;
        }
        for place in [format!("{address} 8080"), "left 80".to_owned()] {
            let ask = format!("printf 'GET /data/file HTTP/1.0\\r\\n\\r\\n' | nc -w 2 {place}");
            wait::asked(&place, async || Ok(right.sh(&ask).await?.ends_with("kept"))).await?;
        }
        Ok(())
    })
    .await
}
