//! The volume lock: what still holds it is alive, whatever the API server says of its pod.

use anyhow::{Context, Result};
use e2e::{Set, Space, is_running, manifest, wait, with_namespace};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{DeleteParams, PostParams};
use serde_json::{from_value, json};

use super::outage::{recovered, unequal};

const SURVIVOR: &str = "survivor";

/// A process of an old pod that nobody sees any more: it holds the lock of this member's volume.
async fn survivor(space: &Space, ordinal: u32) -> Result<()> {
    let hold = "until flock -n -x 9; do sleep 0.1; done; touch /locked; exec sleep 86400";
    let pod: Pod = from_value(json!({
        "metadata": {"name": SURVIVOR},
        "spec": {
            "terminationGracePeriodSeconds": 0,
            "containers": [{
                "name": "main", "image": manifest::image("dummy:example"), "imagePullPolicy": "IfNotPresent",
                "command": ["sh", "-c", format!("exec 9</data; {hold}")],
                "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            }],
            "volumes": [{"name": "data",
                "persistentVolumeClaim": {"claimName": format!("data-rss-dummy-{ordinal}")}}],
        },
    }))?;
    space.all::<Pod>().create(&PostParams::default(), &pod).await.map(drop).map_err(Into::into)
}

async fn until_it_holds(space: &Space) -> Result<()> {
    let survivor = space.pod(SURVIVOR);
    wait::asked("the lock is held", async || Ok(survivor.run(&["test", "-e", "/locked"]).await?.code == 0))
        .await
}

#[tokio::test]
async fn a_member_is_not_read_while_its_old_process_is_alive() -> Result<()> {
    with_namespace(async |space| {
        let set: Set<'_> = space.running("dummy/cluster").await?;
        let epoch = set.status().await?.epoch;
        let newest = unequal(&set).await?;
        // It gets the lock the moment the application of member 2 lets go of it.
        survivor(space, 2).await?;
        space.pod(SURVIVOR).until("it waits for the lock", is_running).await?;
        let old = set.member(2).uid().await?;
        set.member(2).crash().await?;
        until_it_holds(space).await?;
        set.cut_power(3).await?;
        set.member(2).until_followed(&old).await?;
        let reads = set.member(2).began("sequence").await?;
        set.until_locked(&set.member(2)).await?;
        assert_eq!(set.member(2).began("sequence").await?, reads, "it is not read");
        assert_eq!(set.status().await?.epoch, epoch, "and nobody is seeded without it");
        space.all::<Pod>().delete(SURVIVOR, &DeleteParams::default()).await.context("failed to end it")?;
        recovered(&set, 3, epoch, newest).await
    })
    .await
}
