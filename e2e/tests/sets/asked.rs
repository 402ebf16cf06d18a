//! Sets in which a person decides who a recovery goes on from.

use anyhow::{Context, Result, ensure};
use e2e::{Set, tool, wait, with_namespace};
use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use kube::api::DeleteParams;
use operator::api::{ReplicaStatus, SetStatus};
use serde_json::{Value, json};

use super::outage::{recovered, seeds, unequal};

/// What the tool tells. On a busy machine a member is not heard now and then, and then nothing is offered for a moment.
async fn answered(set: &Set<'_>, word: &str, words: &[&str]) -> Result<(Option<i32>, Value)> {
    let mut told = None;
    wait::asked("the tool offers it", async || {
        told = Some(tool::allow(set, word, words).await?);
        Ok(true)
    })
    .await?;
    told.context("it was told")
}

/// What `kubectl rss approve` or `seed` shows: it gives nothing, and says with what words it would.
async fn offered(set: &Set<'_>, word: &str, words: &[&str], replica: &str) -> Result<String> {
    let (code, told) = answered(set, word, words).await?;
    ensure!(code == Some(4) && told["given"].is_null(), "nothing is given unasked: {code:?} {told}");
    let offer = &told["offers"][0];
    ensure!(told["offers"].as_array().is_some_and(|all| all.len() == 1), "{told}");
    ensure!(offer["replica"] == replica, "{told}");
    let facts = offer["facts"].as_str().unwrap_or_default().to_owned();
    let command = offer["command"].as_str().unwrap_or_default();
    ensure!(command.starts_with(&format!("kubectl rss {word} ")) && command.ends_with(&facts), "{told}");
    Ok(facts)
}

fn asks(set: &mut Value) {
    set["spec"]["recovery"] = json!({"mode": "Ask"});
}

fn began(now: &[usize], before: &[usize]) -> Vec<usize> {
    now.iter().zip(before).map(|(now, then)| now - then).collect()
}

/// Power is cut. The plan is shown and waits; approved on other facts it is not done. Done, it fails; the
/// member is corrected, and a person names it.
#[tokio::test]
async fn who_is_asked_first_approves_a_plan_and_names_a_seed_by_the_commands_that_are_shown() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running_as("dummy/cluster", asks).await?;
        let newest = unequal(&set).await?;
        let (epoch, before) = (set.status().await?.epoch, seeds(&set, 3).await?);
        set.member(2).fault("seed-exit", "1").await?;
        set.cut_power(3).await?;
        set.until_held("AwaitsApproval").await?;
        let plan = offered(&set, "approve", &[], "rss-dummy-2").await?;
        let other = tool::allow(&set, "approve", &["--plan", "000000000000"]).await;
        ensure!(other.is_err(), "a plan that is not offered is not approved: {other:?}");
        ensure!(began(&seeds(&set, 3).await?, &before) == [0, 0, 0], "nobody is started unasked");
        ensure!(set.status().await?.epoch == epoch);

        let (code, told) = answered(&set, "approve", &["--plan", &plan]).await?;
        ensure!(code == Some(0) && told["given"].is_string(), "{code:?} {told}");
        set.until_held("SeedsExhausted").await?;
        ensure!(began(&seeds(&set, 3).await?, &before) == [0, 0, 1], "it was tried once, and nobody else");
        set.member(2).no_faults().await?;
        let facts = offered(&set, "seed", &["rss-dummy-2"], "rss-dummy-2").await?;
        let (code, told) = answered(&set, "seed", &["rss-dummy-2", "--facts", &facts]).await?;
        ensure!(code == Some(0) && told["given"].is_string(), "{code:?} {told}");
        recovered(&set, 3, epoch, newest).await?;
        ensure!(began(&seeds(&set, 3).await?, &before) == [0, 0, 2], "whom a person named, and nobody else");
        wait::asked("people are told what was allowed", async || Ok(set.told("KeyUsed").await? >= 2)).await
    })
    .await
}

/// What was read of it holds nothing that anybody could start from any more, whatever its replica has instead.
/// The identity of a member's data.
fn holder(status: &SetStatus, member: &str) -> Option<String> {
    status.replica_states.iter().find(|state| state.name == member)?.holder.clone()
}

/// Before the claim that came in the place of what is lost was read, that is waited for, and a key of before is refused.
async fn until_another_is_read(set: &Set<'_>, lost: &str) -> Result<()> {
    let is_another = |replica: &ReplicaStatus| {
        replica.name == "rss-dummy-2" && replica.reading.is_some() && replica.holder.as_deref() != Some(lost)
    };
    set.until("what came in its place was read", |status| {
        let is_lost = status.holds.iter().any(|hold| hold.reason == "LostData");
        is_lost && status.replica_states.iter().any(is_another)
    })
    .await
    .map(drop)
}

mod full {
    use super::*;

    #[tokio::test]
    async fn who_was_to_be_started_and_whose_claim_is_deleted_since_is_lost_data_and_another_one_is_planned()
    -> Result<()> {
        with_namespace(async |space| {
            let set = space.running_as("dummy/cluster", asks).await?;
            unequal(&set).await?;
            let (epoch, before) = (set.status().await?.epoch, seeds(&set, 3).await?);
            set.cut_power(3).await?;
            set.until_held("AwaitsApproval").await?;
            let plan = offered(&set, "approve", &[], "rss-dummy-2").await?;
            let lost = holder(&set.status().await?, "rss-dummy-2").context("it has data")?;
            let claims = space.all::<PersistentVolumeClaim>();
            claims.delete("data-rss-dummy-2", &DeleteParams::default()).await?;
            space.pod("rss-dummy-2").delete_forced().await?;
            let hold = set.until_held("LostData").await?;
            ensure!(
                hold.message.as_deref().unwrap_or_default().contains("rss-dummy-2"),
                "it is named: {hold:?}"
            );
            let other = tool::allow(&set, "approve", &["--plan", &plan]).await;
            ensure!(other.is_err(), "what was planned is not any more: {other:?}");
            until_another_is_read(&set, &lost).await?;
            set.allow_offered("LostData", "AcceptLoss/rss-dummy-2/").await?;
            set.until_held("AwaitsApproval").await?;
            let plan = offered(&set, "approve", &[], "rss-dummy-1").await?;
            answered(&set, "approve", &["--plan", &plan]).await?;
            let held = set.numbers(2).await?;
            recovered(&set, 3, epoch, held[1]).await?;
            ensure!(
                began(&seeds(&set, 2).await?, &before[..2]) == [0, 1],
                "whom a person approved, and nobody else"
            );
            Ok(())
        })
        .await
    }
}
