//! An API server that is away: nobody can be asked, and nobody may be told.

use anyhow::{Context, Result, ensure};
use e2e::dark::DarkApi;
use e2e::power::Doomed;
use e2e::{http, wait, with_namespace};

#[tokio::test]
async fn while_the_api_server_is_away_members_serve_and_afterwards_nothing_is_deleted_and_all_goes_on()
-> Result<()> {
    let _alone = crate::alone().await;
    with_namespace(async |space| {
        let set = space.running("dummy/cluster").await?;
        let number = set.write_to_all(3).await?;
        let (epoch, uids) = (set.status().await?.epoch, set.uids().await?);
        let (pods, dying) = (set.pods().await?, set.member(1));
        let (container, joins) = (dying.container().await?, dying.began("primary").await?);
        let addresses = [set.member(0).address().await?, dying.address().await?];
        let operator = space.pod(&space.operator().leader().await?).address().await?;
        let doomed = Doomed::nobody().and(&pods[1..2], "dummy-server")?;

        let dark = DarkApi::stop().await?;
        wait::asked("the operator does not lead any more", async || {
            let metrics = http::get(operator, 8080, "/metrics").await?;
            let leads = metrics.lines().find(|line| line.starts_with("leader_election_master_status"));
            Ok(leads.context("it does not say")?.ends_with(" 0"))
        })
        .await?;
        let served = http::get(addresses[0], 8080, "/sequence").await?;
        ensure!(served.trim_end().ends_with(&number.to_string()), "the others serve: {served}");
        doomed.kill()?;
        ensure!(http::get(addresses[1], 8080, "/sequence").await.is_err(), "one died meanwhile");
        drop(dark);

        dying.until_status(8).await?;
        set.until_ready(3).await?;
        ensure!(set.uids().await? == uids, "no pod was deleted");
        ensure!(dying.container().await? == container, "nor a container");
        ensure!(dying.began("primary").await? == joins + 1, "it was started once");
        ensure!(set.status().await?.epoch == epoch, "and the others served on");
        set.until_all_hold(3, number).await
    })
    .await
}
