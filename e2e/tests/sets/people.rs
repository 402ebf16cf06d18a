//! What people do to a set: pause it, start it by hand, lose a claim.

use anyhow::{Context, Result, ensure};
use e2e::{Set, wait, with_namespace};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Service};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kube::ResourceExt;
use kube::api::{DeleteParams, ListParams};
use serde::Serialize;
use serde_json::json;

use super::outage::{recovered, seeds, unequal};

/// Everything that is made for a set, without what kubelets and controllers write: the status.
async fn written(space: &e2e::Space, set: &Set<'_>) -> Result<Vec<(String, Option<String>)>> {
    let all = ListParams::default();
    let mut written = Vec::new();
    macro_rules! add {
        ($($objects:expr),+) => {
            $(for object in $objects {
                written.push((object.name_any(), Some(without_status(&object)?)));
            })+
        };
    }
    add!(
        set.pods().await?,
        set.claims().await?,
        space.all::<StatefulSet>().list(&all).await?,
        space.all::<Service>().list(&all).await?,
        space.all::<PodDisruptionBudget>().list(&all).await?
    );
    // Of the resource itself, whose status is written, only what is not.
    let own = set.api().get(&set.name).await?.metadata;
    written.push((
        format!("{:?} {:?}", own.labels, own.finalizers),
        own.annotations.map(|all| format!("{all:?}")),
    ));
    Ok(written)
}

fn without_status(object: &impl Serialize) -> Result<String> {
    let mut object = serde_json::to_value(object)?;
    object["status"].take();
    for field in ["resourceVersion", "managedFields"] {
        object["metadata"][field].take();
    }
    Ok(object.to_string())
}

#[tokio::test]
async fn a_paused_set_is_watched_and_not_touched() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running("dummy/cluster").await?;
        set.patch(json!({"spec": {"paused": true}})).await?;
        set.until("paused", |status| status.control_paused).await?;
        let before = written(space, &set).await?;
        set.member(0).crash().await?;
        set.until_state("rss-dummy-0", "Stopped").await?;
        set.scale(4).await?;
        set.until("it is seen", |status| status.control_paused).await?;
        assert_eq!(written(space, &set).await?, before, "nothing was written but the status");
        assert_eq!(set.member(0).status().await?, 7, "nor was anything started");
        set.scale(3).await?;
        set.patch(json!({"spec": {"paused": false}})).await?;
        set.until_ready(3).await.map(drop)
    })
    .await
}

#[tokio::test]
async fn a_lost_claim_of_the_newest_data_is_not_made_up_for_by_older_data() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running("dummy/cluster").await?;
        unequal(&set).await?;
        let (uid, epoch) = (set.member(2).uid().await?, set.status().await?.epoch);
        let claims = space.all::<PersistentVolumeClaim>();
        claims.delete("data-rss-dummy-2", &DeleteParams::default()).await?;
        set.cut_power(3).await?;
        let hold = set.until_held("LostData").await?;
        assert!(hold.message.as_deref().unwrap_or_default().contains("rss-dummy-2"), "it is named");
        set.member(2).until_followed(&uid).await?;
        // Nor can anything say that the process on the lost volume ended: no lock of it is left to take.
        // A key is bound to what is known when it is named, so all others are read first.
        let stuck = set.until("only a person can help", |status| {
            let mut reasons: Vec<_> = status.holds.iter().map(|hold| hold.reason.as_str()).collect();
            reasons.sort_unstable();
            reasons == ["LostData", "StartOpen"]
        });
        let stuck = stuck.await?;
        assert_eq!(stuck.epoch, epoch, "nobody was seeded");
        let keys: Vec<_> = stuck.holds.into_iter().flat_map(|hold| hold.keys).collect();
        set.allow(&keys).await?;
        let held = set.numbers(2).await?;
        recovered(&set, 3, epoch, held[1]).await
    })
    .await
}

mod full {
    use super::*;

    #[tokio::test]
    async fn a_database_started_by_hand_during_a_pause_is_joined_and_not_replaced() -> Result<()> {
        with_namespace(async |space| {
            let set = space.running("dummy/cluster").await?;
            unequal(&set).await?;
            set.patch(json!({"spec": {"paused": true}})).await?;
            set.until("paused", |status| status.control_paused).await?;
            for member in set.members(3) {
                member.crash().await?;
            }
            for member in ["rss-dummy-0", "rss-dummy-1", "rss-dummy-2"] {
                set.until_state(member, "Stopped").await?;
            }
            set.member(2).sh("/dummy seed").await?;
            let newest = set.member(2).write(4).await?;
            let before = seeds(&set, 3).await?;
            set.patch(json!({"spec": {"paused": false}})).await?;
            set.until_ready(3).await?;
            set.until_all_hold(3, newest).await?;
            assert_eq!(seeds(&set, 3).await?, before, "it was found running");
            Ok(())
        })
        .await
    }

    /// The operator waits for a reading; meanwhile the database comes up without it.
    #[tokio::test]
    async fn a_database_that_healed_itself_in_an_outage_is_adopted_and_the_others_join_it() -> Result<()> {
        with_namespace(async |space| {
            let set = space.running("dummy/cluster").await?;
            unequal(&set).await?;
            let (epoch, before) = (set.status().await?.epoch, seeds(&set, 3).await?);
            set.member(1).fault("sequence-hang", "").await?;
            set.cut_power(3).await?;
            // What it is known to hold before it runs is what the others' data is compared with.
            set.until("the newest was read", |status| {
                let mut newest = status.replica_states.iter().filter(|replica| replica.name == "rss-dummy-2");
                newest.any(|one| one.app_state.as_deref() == Some("Stopped") && one.reading.is_some())
            })
            .await?;
            ensure!(set.status().await?.epoch == epoch, "it waits");
            set.member(2).sh("/dummy seed").await?;
            let newest = set.member(2).write(4).await?;
            set.member(1).no_faults().await?;
            recovered(&set, 3, epoch, newest).await?;
            let began: Vec<_> =
                seeds(&set, 3).await?.iter().zip(before).map(|(now, then)| now - then).collect();
            ensure!(began == [0, 0, 1], "nobody was seeded beside it: {began:?}");
            wait::asked("that is told", async || Ok(set.told("Adopted").await? > 0)).await
        })
        .await
    }

    #[tokio::test]
    async fn a_claim_that_was_replaced_is_filled_again_and_later_a_power_cut_loses_no_write() -> Result<()> {
        with_namespace(async |space| {
            let set = space.running("dummy/cluster").await?;
            let number = set.member(0).write(8).await?;
            set.until_all_hold(3, number).await?;
            let (uid, claims) = (set.member(1).uid().await?, set.claims().await?);
            let lost = claims[1].uid().context("a claim has a UID")?;
            // It goes when its pod does.
            let claims = space.all::<PersistentVolumeClaim>();
            claims.delete("data-rss-dummy-1", &DeleteParams::default()).await?;
            set.member(1).delete_now().await?;
            set.member(1).until_replaced(&uid).await?;
            set.until_ready(3).await?;
            assert_ne!(claims.get("data-rss-dummy-1").await?.uid(), Some(lost));
            set.until_all_hold(3, number).await?;

            let epoch = set.status().await?.epoch;
            let newest = unequal(&set).await?;
            set.cut_power(3).await?;
            recovered(&set, 3, epoch, newest).await
        })
        .await
    }
}
