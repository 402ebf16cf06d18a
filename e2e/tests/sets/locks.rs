//! Applications that outlive their pods: what still holds the volume lock is alive, whatever the API
//! server says.

use anyhow::{Context, Result};
use e2e::{HungRuntime, Member, Set, Space, is_running, manifest, wait, with_namespace};
use futures::future::try_join_all;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{DeleteParams, PostParams};
use serde_json::{from_value, json};

use crate::galera;
use crate::outage::{recovered, unequal};
use crate::secondaries::primary;

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

/// The set waits for the end of what was started on this member's data.
async fn until_held_by(set: &Set<'_>, member: &Member<'_>) -> Result<()> {
    let held = set.until("the old application is waited for", |status| {
        let mut holds = status.holds.iter().filter(|hold| hold.scope == member.name);
        holds.any(|hold| matches!(hold.reason.as_str(), "StartOpen" | "LockBusy"))
    });
    held.await.map(drop)
}

/// The next pod of this name runs, beside what is left of the one before.
async fn until_beside(member: &Member<'_>, old: &str) -> Result<()> {
    let is_next = |pod: &Pod| pod.metadata.uid.as_deref() != Some(old) && is_running(pod);
    member.until("the next pod", is_next).await.map(drop)
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
        until_beside(&set.member(2), &old).await?;
        let reads = set.member(2).began("sequence").await?;
        until_held_by(&set, &set.member(2)).await?;
        assert_eq!(set.member(2).began("sequence").await?, reads, "it is not read");
        assert_eq!(set.status().await?.epoch, epoch, "and nobody is seeded without it");
        space.all::<Pod>().delete(SURVIVOR, &DeleteParams::default()).await.context("failed to end it")?;
        recovered(&set, 3, epoch, newest).await
    })
    .await
}

/// The deletion is real and so is the database: of its pod nothing is left in the API server, the kubelet
/// has the next one running, and asks a runtime that hangs to end the old. Stopped, it has not even
/// noticed that the others died.
#[tokio::test]
async fn a_database_that_outlives_its_deleted_pod_is_not_read_before_it_is_gone() -> Result<()> {
    with_namespace(async |space| {
        let set = galera::running(space, |_| ()).await?;
        let (members, epoch) = (set.members(3), set.status().await?.epoch);
        let (history, old) = (galera::lineage(&members[2]).await?, members[2].uid().await?);
        galera::insert(&members[2], 0..10).await?;
        galera::signal(&members[2], "STOP").await?;
        let runtime = HungRuntime::of(&members[2]).await?;
        try_join_all(members[..2].iter().map(|member| galera::signal(member, "KILL"))).await?;
        try_join_all(members.iter().map(Member::delete_forced)).await?;
        until_beside(&members[2], &old).await?;
        until_held_by(&set, &members[2]).await?;
        members[2].sh("exec 9</var/lib/mysql; ! flock -n -x 9").await.context("the old one is alive")?;
        members[2].sh("! test -e /run/mysqld/recover.log").await.context("its data is not read")?;
        assert_eq!(set.status().await?.epoch, epoch, "and nobody is seeded without it");
        drop(runtime);
        set.until_recovered(3, epoch).await?;
        galera::until_all_hold(&set, 10, &history).await
    })
    .await
}

/// The same of a primary that goes on serving: the others follow nobody else as long as it may write.
#[tokio::test]
async fn a_primary_that_outlives_its_deleted_pod_is_not_followed_before_it_is_gone() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running("dummy/secondaries").await?;
        let old = primary(&set).await?;
        let number = set.member(old).write(6).await?;
        set.until_all_hold(3, number).await?;
        let uid = set.member(old).uid().await?;
        let runtime = HungRuntime::of(&set.member(old)).await?;
        set.member(old).delete_forced().await?;
        until_beside(&set.member(old), &uid).await?;
        until_held_by(&set, &set.member(old)).await?;
        for other in (0..3).filter(|ordinal| *ordinal != old) {
            assert_eq!(set.member(other).status().await?, 0, "{other} stays a secondary");
        }
        drop(runtime);
        let new = primary(&set).await?;
        let number = set.member(new).write(1).await?;
        set.until_all_hold(3, number).await
    })
    .await
}
