//! A real database.

use anyhow::Result;
use e2e::galera::{insert, lineage, running, signal, until_all_hold};
use e2e::{Member, with_namespace};
use futures::future::try_join_all;
use serde_json::{Value, json};

use super::rehearsal::foretold;

#[tokio::test]
async fn after_a_power_cut_every_acknowledged_row_is_on_every_member() -> Result<()> {
    with_namespace(async |space| {
        let ask = |set: &mut Value| set["spec"]["recovery"] = json!({"rehearsalInterval": "10s"});
        let set = running(space, ask).await?;
        let history = lineage(&set.member(0)).await?;
        for ordinal in 0..3 {
            insert(&set.member(ordinal), ordinal * 10..ordinal * 10 + 10).await?;
        }
        foretold(&set, "True", "WouldRecover").await?;
        let epoch = set.status().await?.epoch;
        let members = set.members(3);
        try_join_all(members.iter().map(|member| signal(member, "KILL"))).await?;
        try_join_all(members.iter().map(Member::delete_forced)).await?;
        set.until_recovered(3, epoch).await?;
        until_all_hold(&set, 30, &history).await
    })
    .await
}

mod full {
    use super::*;

    #[tokio::test]
    async fn a_stopped_database_is_unknown_while_the_others_serve_and_well_when_it_goes_on() -> Result<()> {
        with_namespace(async |space| {
            // Its patience of three deadlines of `status` is longer than it is stopped here.
            let patient =
                |set: &mut Value| set["spec"]["pod"]["commands"]["status"]["timeout"] = "30s".into();
            let set = running(space, patient).await?;
            let (history, uids) = (lineage(&set.member(0)).await?, set.uids().await?);
            insert(&set.member(2), 0..10).await?;
            signal(&set.member(2), "STOP").await?;
            set.until_state("rss-galera-2", "Unknown").await?;
            insert(&set.member(0), 10..20).await?;
            insert(&set.member(1), 20..30).await?;
            signal(&set.member(2), "CONT").await?;
            set.until_ready(3).await?;
            assert_eq!(set.uids().await?, uids, "nothing was deleted");
            until_all_hold(&set, 30, &history).await
        })
        .await
    }

    #[tokio::test]
    async fn a_database_that_stays_stopped_is_replaced_after_three_deadlines_of_status() -> Result<()> {
        with_namespace(async |space| {
            let hasty = |set: &mut Value| {
                set["spec"]["pod"]["commands"]["status"]["timeout"] = "5s".into();
                set["spec"]["pod"]["terminationGracePeriodSeconds"] = 5.into();
            };
            let set = running(space, hasty).await?;
            let (history, uids) = (lineage(&set.member(0)).await?, set.uids().await?);
            insert(&set.member(2), 0..10).await?;
            signal(&set.member(2), "STOP").await?;
            insert(&set.member(0), 10..20).await?;
            set.member(2).until_replaced(&uids[2]).await?;
            set.until_ready(3).await?;
            assert_eq!(set.uids().await?[..2], uids[..2], "the others are untouched");
            until_all_hold(&set, 20, &history).await
        })
        .await
    }
}
