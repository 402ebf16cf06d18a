//! A volume without room.

use anyhow::{Result, ensure};
use e2e::galera::{all_of, lineage, running, sql};
use e2e::small::SmallVolumes;
use e2e::writers::{Writers, missing};
use e2e::{is_active, wait, with_namespace};
use xtask::cluster::Cluster;

/// What an empty database takes, and a little more.
const MEBIBYTES: u32 = 256;

mod full {
    use super::*;

    #[tokio::test]
    async fn a_full_volume_costs_one_member_and_no_row_and_with_room_again_it_joins() -> Result<()> {
        with_namespace(async |space| {
            let volumes = SmallVolumes::make(space, &Cluster::attach()?.nodes()[..3], MEBIBYTES)?;
            let set = running(space, |set| {
                let template = &mut set["spec"]["pod"]["volumeClaimTemplates"][0];
                template["spec"]["storageClassName"] = volumes.class.clone().into();
            })
            .await?;
            let (history, uids) = (lineage(&set.member(0)).await?, set.uids().await?);
            let writers = Writers::start(space, &set, None).await?;
            sql(&set.member(0), "CREATE TABLE app.bulk (id INT PRIMARY KEY, body LONGBLOB)").await?;

            let full = set.member(2);
            full.sh("dd if=/dev/zero of=/var/lib/mysql/full bs=1M 2>/dev/null || true").await?;
            for id in 0..6 {
                // As one of three leaves, the others refuse for a moment.
                let row = format!("REPLACE INTO app.bulk VALUES ({id}, REPEAT('x', 2000000))");
                wait::asked("the row is written", async || sql(&set.member(0), &row).await.map(|_| true))
                    .await?;
            }
            full.until("clients are led elsewhere", |pod| !is_active(pod)).await?;
            writers.until_more().await?;
            full.sh("rm /var/lib/mysql/full").await?;
            set.until_ready(3).await?;
            ensure!(set.uids().await?[..2] == uids[..2], "the others are untouched");
            let rows = writers.end().await?;
            for member in set.members(3) {
                let missing = missing(&member, &rows).await?;
                ensure!(missing.is_empty(), "{} lacks {missing:?}", member.name);
                let bulk = sql(&member, "SELECT COUNT(*) FROM app.bulk").await?;
                ensure!(bulk == "6", "{} has {bulk}", member.name);
            }
            all_of(&set, &history).await
        })
        .await
    }
}
