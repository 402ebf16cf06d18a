//! Two lineages: somebody began a member anew by hand, and let it take writes.

use anyhow::{Context, Result, ensure};
use e2e::galera::{insert, lineage, running, signal, sql, until_all_hold};
use e2e::power::Doomed;
use e2e::with_namespace;
use serde_json::json;

/// What a person does who knows only that a database is to be begun, and not from what.
const BEGIN_ANEW: &str = ". /usr/local/lib/member.sh && rm -f $DATA/grastate.dat && \
    launch --wsrep-new-cluster --wsrep_cluster_address=gcomm:// && await_service";

mod full {
    use super::*;

    #[tokio::test]
    async fn of_two_lineages_a_person_chooses_one_and_the_other_is_kept_until_it_is_given_up_too()
    -> Result<()> {
        with_namespace(async |space| {
            let set = running(space, |_| ()).await?;
            let history = lineage(&set.member(0)).await?;
            insert(&set.member(0), 0..10).await?;
            set.patch(json!({"spec": {"paused": true}})).await?;
            set.until("paused", |status| status.control_paused).await?;
            Doomed::nobody().and(&set.pods().await?, "mariadbd")?.kill()?;
            for member in set.members(3) {
                set.until_state(&member.name, "Stopped").await?;
            }
            let other = set.member(2);
            other.sh(BEGIN_ANEW).await?;
            ensure!(lineage(&other).await? != history, "it is another lineage");
            insert(&other, 100..101).await?;
            signal(&other, "KILL").await?;
            set.until_state(&other.name, "Stopped").await?;

            let epoch = set.status().await?.epoch;
            set.patch(json!({"spec": {"paused": false}})).await?;
            set.until_held("Diverged").await?;
            ensure!(set.status().await?.epoch == epoch, "nobody is seeded without a word");
            set.allow_offered("Diverged", "AcceptSeed/rss-galera-0/").await?;
            set.until_held("Errant").await?;
            set.until("the others serve", |status| status.members.primary.len() == 2).await?;
            let rows = sql(&set.member(1), "SELECT COUNT(*) FROM app.rows").await?;
            ensure!(rows == "10", "{rows}");
            other
                .sh("test -s /var/lib/mysql/data/app/rows.ibd")
                .await
                .context("the other lineage is kept")?;
            set.allow_offered("Errant", "AcceptErrant/rss-galera-2/").await?;
            set.until_ready(3).await?;
            until_all_hold(&set, 10, &history).await
        })
        .await
    }
}
