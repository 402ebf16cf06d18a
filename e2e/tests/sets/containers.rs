//! Containers that lack what a command needs, and commands that leave something behind.

use anyhow::{Result, ensure};
use e2e::{manifest, with_namespace};
use serde_json::json;

use super::outage::recovered;

#[tokio::test]
async fn a_container_without_flock_is_recovered_too() -> Result<()> {
    with_namespace(async |space| {
        let set = space
            .running_as("dummy/cluster", |set| {
                set["spec"]["pod"]["containers"][0]["command"] =
                    json!(["/bin/sh", "-c", "rm /bin/flock; exec /park.sh"]);
            })
            .await?;
        let number = set.write_to_all(3).await?;
        let epoch = set.status().await?.epoch;
        set.cut_power(3).await?;
        recovered(&set, 3, epoch, number).await
    })
    .await
}

mod full {
    use super::*;

    #[tokio::test]
    async fn a_daemon_that_keeps_its_output_open_holds_nobody_up() -> Result<()> {
        with_namespace(async |space| {
            let set = space.running("dummy/cluster").await?;
            let number = set.write_to_all(3).await?;
            let epoch = set.status().await?.epoch;
            for member in set.members(3) {
                member.fault("seed-clings", "").await?;
                member.fault("primary-clings", "").await?;
            }
            set.cut_power(3).await?;
            recovered(&set, 3, epoch, number).await
        })
        .await
    }

    #[tokio::test]
    async fn a_container_without_a_shell_is_named_and_nothing_is_started_in_it() -> Result<()> {
        with_namespace(async |space| {
            let set = manifest::edited("dummy/cluster", |set| {
                let container = &mut set["spec"]["pod"]["containers"][0];
                container["env"] = json!([{"name": "PATH", "value": "/nowhere"}]);
                container["command"] = json!(["/bin/sh", "-c", "PATH=/bin exec /park.sh"]);
            })?;
            let set = space.apply(&set).await?;
            let hold = set.until_held("Unguarded").await?;
            assert!(hold.scope.starts_with("rss-dummy-"), "a member is named: {hold:?}");
            for member in set.members(3) {
                let log = member.run(&["/bin/cat", "/data/log"]).await?;
                ensure!(log.code != 0, "{}: a command was run: {}", member.name, log.stdout);
            }
            Ok(())
        })
        .await
    }
}
