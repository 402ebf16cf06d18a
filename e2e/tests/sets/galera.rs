//! A real database.

use anyhow::{Result, ensure};
use e2e::{Member, Set, Space, manifest, wait, with_namespace};
use k8s_openapi::api::core::v1::Secret;

async fn running(space: &Space) -> Result<Set<'_>> {
    let (secret, set): (Secret, _) = manifest::pair("galera/cluster")?;
    manifest::apply(&space.all(), &secret).await?;
    let set = space.apply(&set).await?;
    set.until_ready(3).await?;
    Ok(set)
}

async fn sql(member: &Member<'_>, statement: &str) -> Result<String> {
    member.run(&["mariadb", "--batch", "--skip-column-names", "-e", statement]).await?.said()
}

const UUID: &str = "SHOW STATUS LIKE 'wsrep_cluster_state_uuid'";

#[tokio::test]
async fn after_a_power_cut_every_acknowledged_row_is_on_every_member() -> Result<()> {
    with_namespace(async |space| {
        let set = running(space).await?;
        let lineage = sql(&set.member(0), UUID).await?;
        sql(&set.member(0), "CREATE TABLE app.rows (id INT PRIMARY KEY)").await?;
        for row in 0..30 {
            let member = set.member(row % 3);
            sql(&member, &format!("INSERT INTO app.rows VALUES ({row})")).await?;
        }
        let epoch = set.status().await?.epoch;
        let members = set.members(3);
        let kills = members.iter().map(|member| member.sh("kill -KILL $(pidof mariadbd)"));
        futures::future::try_join_all(kills).await?;
        for member in &members {
            member.delete_forced().await?;
        }
        set.until_recovered(3, epoch).await?;
        for member in &members {
            wait::asked("all rows are there", async || {
                let count = sql(member, "SELECT COUNT(*) FROM app.rows").await?;
                ensure!(count == "30", "{} has {count} rows", member.name);
                Ok(true)
            })
            .await?;
            assert_eq!(sql(member, UUID).await?, lineage, "{} is of the old lineage", member.name);
        }
        Ok(())
    })
    .await
}
