//! Lines that are broken: an operator that does not reach the API server.

use anyhow::{Context, Result, ensure};
use e2e::{wait, with_bare_namespace};
use kube::ResourceExt;
use xtask::cluster::CutOff;

mod full {
    use super::*;

    /// Nothing is refused, nothing is closed: the operator waits for answers, as behind a broken switch.
    #[tokio::test]
    async fn an_operator_that_is_cut_off_gives_way_and_does_nothing_when_it_is_back() -> Result<()> {
        with_bare_namespace(async |space| {
            let operator = space.operator();
            operator.install(2).await?;
            let set = space.running("dummy/cluster").await?;
            let number = set.write_to_all(3).await?;
            let (leader, uids) = (operator.leader().await?, set.uids().await?);
            let led = space.pod(&leader).uid().await?;
            let cut = CutOff::from_api(&led)?;
            let began = set.member(1).began("primary").await?;
            set.member(1).crash().await?;
            wait::asked("the other leads", async || Ok(operator.leader().await? != leader)).await?;
            set.member(1).until_status(8).await?;
            drop(cut);
            // It says that it knows who leads, and it is not the one.
            operator.until_ready(2).await?;
            set.until_ready(3).await?;
            ensure!(set.member(1).began("primary").await? == began + 1, "it was started once");
            ensure!(set.uids().await? == uids, "no pod was deleted");
            let pods = operator.pods().await?;
            let old = pods.iter().find(|pod| pod.name_any() == leader).context("it lives on")?;
            ensure!(old.uid() == Some(led), "it is the same pod");
            ensure!(operator.leader().await? != leader, "and it does not lead");
            set.until_all_hold(3, number).await
        })
        .await
    }
}
