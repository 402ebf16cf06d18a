//! A set on a StatefulCluster: its members have names that are given once, and what befalls them is survived under these.

use anyhow::{Result, ensure};
use e2e::{Member, Set, Space, cut_power_of, manifest, told, wait, with_identities};
use futures::future::{Either, select, try_join_all};
use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use kube::api::DeleteParams;
use serde_json::json;
use std::pin::pin;

use super::rehearsal::is_foretold;
use super::rollout::{until_fewer_than_two_serve, write_template};

async fn apply<'a>(space: &'a Space, image: &str, value: &str) -> Result<Set<'a>> {
    let set = manifest::edited("dummy/cluster", |set| {
        set["spec"]["workload"] = "StatefulCluster".into();
        write_template(set, image, value);
    })?;
    space.apply(&set).await
}

/// Three that serve and hold the same: with their names, and what they hold.
async fn begun(space: &Space) -> Result<(Set<'_>, Vec<String>, u64)> {
    let set = apply(space, "dummy:example", "1").await?;
    set.until_ready(3).await?;
    let members = set.present().await?;
    let number = members[0].write(3).await?;
    until_all_hold(&set, 3, number).await?;
    Ok((set, names(&members), number))
}

fn names(members: &[Member<'_>]) -> Vec<String> {
    members.iter().map(|member| member.name.clone()).collect()
}

async fn until_all_hold(set: &Set<'_>, count: usize, number: u64) -> Result<()> {
    wait::asked(&format!("all {count} members hold {number}"), async || {
        let members = set.present().await?;
        let held = try_join_all(members.iter().map(Member::number)).await?;
        ensure!(held == vec![number; count], "they hold {held:?}");
        Ok(true)
    })
    .await
}

/// Those that are there now serve, and a power cut would be recovered with them: for a few seconds the one that they make
/// up for may still be the one that served last.
async fn until_made_up_for(set: &Set<'_>) -> Result<()> {
    let now = names(&set.present().await?);
    set.until("a power cut would wait for nobody else", |status| {
        let all_serve = now.iter().all(|name| told::in_state(status, name, "Primary"));
        all_serve && is_foretold(status, "True", "WouldRecover")
    })
    .await
    .map(drop)
}

async fn until_all_have(set: &Set<'_>, value: &str) -> Result<()> {
    wait::asked(&format!("every member has the template of round {value}"), async || {
        let members = set.present().await?;
        let rounds = try_join_all(members.iter().map(|member| member.sh("echo $ROUND"))).await?;
        ensure!(rounds == vec![value.to_owned(); 3], "they have {rounds:?}");
        Ok(true)
    })
    .await?;
    set.until_ready(3).await.map(drop)
}

#[tokio::test]
async fn after_a_power_cut_every_member_comes_back_under_its_name_and_no_write_is_lost() -> Result<()> {
    with_identities(async |space| {
        let (set, born, _) = begun(space).await?;
        let epoch = set.status().await?.epoch;
        let members = set.present().await?;
        members[0].freeze().await?;
        let newest = members[1].write(5).await?;
        cut_power_of(&set.present().await?).await?;
        set.until_recovered(3, epoch).await?;
        ensure!(names(&set.present().await?) == born, "nobody was replaced by another");
        until_all_hold(&set, 3, newest).await
    })
    .await
}

mod full {
    use super::*;

    #[tokio::test]
    async fn a_changed_template_reaches_each_member_under_its_name_while_the_others_serve() -> Result<()> {
        with_identities(async |space| {
            let (set, born, number) = begun(space).await?;
            apply(space, "dummy:example", "2").await?;
            match select(pin!(until_all_have(&set, "2")), pin!(until_fewer_than_two_serve(&set))).await {
                Either::Left((done, _)) => done?,
                Either::Right((serving, _)) => panic!("{serving:?} members served during the rollout"),
            }
            ensure!(names(&set.present().await?) == born, "nobody was replaced by another");
            until_all_hold(&set, 3, number).await
        })
        .await
    }

    #[tokio::test]
    async fn a_template_with_which_no_pod_starts_is_taken_back_and_nobody_loses_its_name() -> Result<()> {
        with_identities(async |space| {
            let (set, born, number) = begun(space).await?;
            apply(space, "dummy:of-no-registry", "2").await?;
            set.until_held("TemplateRefused").await?;
            until_all_have(&set, "1").await?;
            apply(space, "dummy:example", "3").await?;
            until_all_have(&set, "3").await?;
            ensure!(names(&set.present().await?) == born, "nobody was replaced by another");
            until_all_hold(&set, 3, number).await
        })
        .await
    }

    #[tokio::test]
    async fn a_member_whose_claim_somebody_deleted_is_made_up_for_and_a_later_power_cut_waits_for_nobody()
    -> Result<()> {
        with_identities(async |space| {
            let (set, born, number) = begun(space).await?;
            set.patch(json!({"spec": {"recovery": {"rehearsalInterval": "10s"}}})).await?;
            let claims = space.all::<PersistentVolumeClaim>();
            claims.delete(&format!("data-{}", born[0]), &DeleteParams::default()).await?;
            set.present().await?[0].delete_now().await?;
            wait::asked("another has its place", async || {
                Ok(!names(&set.present().await?).contains(&born[0]))
            })
            .await?;
            until_all_hold(&set, 3, number).await?;
            until_made_up_for(&set).await?;
            let epoch = set.until_ready(3).await?.epoch;
            cut_power_of(&set.present().await?).await?;
            set.until_recovered(3, epoch).await?;
            until_all_hold(&set, 3, number).await
        })
        .await
    }

    #[tokio::test]
    async fn who_goes_when_a_set_becomes_smaller_is_nobody_any_more_and_who_comes_later_has_another_name()
    -> Result<()> {
        with_identities(async |space| {
            let (set, born, number) = begun(space).await?;
            set.scale(2).await?;
            until_all_hold(&set, 2, number).await?;
            set.until_ready(2).await?;
            let stayed = names(&set.present().await?);
            ensure!(stayed.iter().all(|name| born.contains(name)), "{born:?} became {stayed:?}");
            ensure!(set.claims().await?.len() == 3, "its claim is kept");
            set.scale(3).await?;
            until_all_hold(&set, 3, number).await?;
            set.until_ready(3).await?;
            let now = names(&set.present().await?);
            let came: Vec<_> = now.iter().filter(|name| !stayed.contains(name)).collect();
            ensure!(came.len() == 1 && !born.contains(came[0]), "{born:?}, then {stayed:?}, then {now:?}");
            Ok(())
        })
        .await
    }
}
