//! A container runtime that hangs for one pod: what ran in it outlives it.

use anyhow::{Context, Result};
use e2e::{HungRuntime, Member, galera, with_namespace};
use futures::future::try_join_all;

mod full {
    use super::*;

    /// The deletion is real and so is the database: of its pod nothing is left in the API server, the kubelet
    /// has the next one running, and asks a runtime that hangs to end the old. Stopped, it has not even
    /// noticed that the others died.
    #[tokio::test]
    async fn a_database_that_outlives_its_deleted_pod_is_not_read_before_it_is_gone() -> Result<()> {
        let _alone = crate::alone().await;
        with_namespace(async |space| {
            let set = galera::running(space, |_| ()).await?;
            let (members, epoch) = (set.members(3), set.status().await?.epoch);
            let (history, old) = (galera::lineage(&members[2]).await?, members[2].uid().await?);
            galera::insert(&members[2], 0..10).await?;
            galera::signal(&members[2], "STOP").await?;
            let runtime = HungRuntime::of(&members[2]).await?;
            try_join_all(members[..2].iter().map(|member| galera::signal(member, "KILL"))).await?;
            try_join_all(members.iter().map(Member::delete_forced)).await?;
            members[2].until_followed(&old).await?;
            set.until_locked(&members[2]).await?;
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
        let _alone = crate::alone().await;
        with_namespace(async |space| {
            let set = space.running("dummy/secondaries").await?;
            let old = set.primary().await?;
            let number = set.member(old).write(6).await?;
            set.until_all_hold(3, number).await?;
            let uid = set.member(old).uid().await?;
            let runtime = HungRuntime::of(&set.member(old)).await?;
            set.member(old).delete_forced().await?;
            set.member(old).until_followed(&uid).await?;
            set.until_locked(&set.member(old)).await?;
            for other in (0..3).filter(|ordinal| *ordinal != old) {
                assert_eq!(set.member(other).status().await?, 0, "{other} stays a secondary");
            }
            drop(runtime);
            let new = set.primary().await?;
            let number = set.member(new).write(1).await?;
            set.until_all_hold(3, number).await
        })
        .await
    }
}
