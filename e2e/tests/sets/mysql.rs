//! A real database with one primary, which secondaries follow by GTID.

use anyhow::{Result, bail, ensure};
use e2e::galera::signal;
use e2e::mysql::{
    insert, insert_alone, insert_as_client, next_primary, others, policy, primary, running, until_all_hold,
};
use e2e::{Member, Set, wait, with_namespace};
use futures::future::try_join_all;
use operator::policy::Digest;
use operator::policy::answer::{Answer, Proposal};
use operator::policy::question::Question;
use operator::policy::record::{Outcome, Record};
use serde_json::{Value, from_value, json};

use super::policies::last_seed;
use super::rehearsal::foretold;

/// Policy `mysql` told each of the others to follow this primary, and nothing else since.
async fn told_to_follow(set: &Set<'_>, primary: u32) -> Result<()> {
    let (leader, digest) = (set.member(primary).name, Digest::of(&policy()?).to_string());
    let decisions = set.status().await?.decisions;
    for member in others(set, primary) {
        let about_it = |one: &&Value| {
            one["interface"] == "replicas@0.1.0" && one["input"]["member"]["name"] == *member.name
        };
        let last = decisions.iter().rev().map(|one| &*one.0).find(about_it).unwrap_or(&Value::Null);
        let treatment = &last["answer"]["treatment"];
        ensure!(*treatment == json!({"runSecondary": leader}), "{}: {last}", member.name);
        ensure!(last["policy"]["digest"] == *digest, "decided by another: {last}");
    }
    Ok(())
}

/// When this primary was lost, policy `mysql` ordered who remained, and that one came first.
async fn ordered_first(set: &Set<'_>, lost: u32, new: u32) -> Result<()> {
    let (lost, new) = (set.member(lost).name, set.member(new).name);
    for one in set.status().await?.decisions.into_iter().rev() {
        let record: Record = from_value(json!(one))?;
        let Question::Primaries(input) = &record.question else { continue };
        let is_asked = |name| input.members.iter().any(|member| member.name == name);
        // Once it runs, the others may be asked about without it.
        if is_asked(lost.clone()) || !is_asked(new.clone()) {
            continue;
        }
        let Outcome::Answered(Answer::Primaries(said)) = &record.outcome else {
            bail!("{:?}", record.outcome)
        };
        ensure!(said.ordering.first() == Some(&new), "{new} is primary: {said:?}");
        let digest = record.policy.as_ref().and_then(|by| by.digest);
        ensure!(digest == Some(Digest::of(&policy()?)), "decided by {:?}", record.policy);
        return Ok(());
    }
    bail!("no order without {lost} is recorded")
}

/// Allow what a hold offers, by this kind of key, until the set goes on; a key from before the others moved is refused.
async fn allow(set: &Set<'_>, reason: &str, kind: &str) -> Result<()> {
    set.until_held(reason).await?;
    wait::asked(&format!("{kind} is taken"), async || {
        let holds = set.status().await?.holds;
        let Some(hold) = holds.iter().find(|hold| hold.reason == reason) else { return Ok(true) };
        ensure!(hold.keys.iter().all(|key| key.starts_with(&format!("{kind}/"))), "{hold:?}");
        set.allow(&hold.keys).await?;
        Ok(false)
    })
    .await
}

#[tokio::test]
async fn a_secondary_that_holds_every_acknowledged_row_follows_a_killed_primary() -> Result<()> {
    with_namespace(async |space| {
        let set = running(space).await?;
        let first = primary(&set).await?;
        told_to_follow(&set, first).await?;
        insert(&set.member(first), 0..10).await?;
        until_all_hold(&set, 10).await?;

        signal(&set.member(first), "KILL").await?;
        let second = next_primary(&set, first).await?;
        ensure!(second != first, "a secondary holds all that it held");
        ordered_first(&set, first, second).await?;
        told_to_follow(&set, second).await?;
        insert(&set.member(second), 10..20).await?;
        until_all_hold(&set, 20).await?;

        signal(&set.member(second), "KILL").await?;
        set.member(second).delete_forced().await?;
        let third = next_primary(&set, second).await?;
        told_to_follow(&set, third).await?;
        insert(&set.member(third), 20..30).await?;
        insert_as_client(&set.member(second), 30).await?;
        until_all_hold(&set, 31).await
    })
    .await
}

mod full {
    use super::*;

    #[tokio::test]
    async fn a_primary_that_cannot_be_read_is_given_up_by_a_person_and_takes_no_acknowledged_row_with_it()
    -> Result<()> {
        with_namespace(async |space| {
            let set = running(space).await?;
            let old = primary(&set).await?;
            insert(&set.member(old), 0..10).await?;
            // Its numbers are gone, so its GTIDs are nobody's.
            set.member(old).sh("rm /var/lib/mysql/data/rss-identity").await?;
            signal(&set.member(old), "KILL").await?;
            allow(&set, "NoPromotion", "AcceptLoss").await?;
            allow(&set, "Errant", "AcceptErrant").await?;
            let new = primary(&set).await?;
            ensure!(new != old, "its data are replaced");
            until_all_hold(&set, 10).await?;
            insert(&set.member(new), 10..20).await?;
            until_all_hold(&set, 20).await
        })
        .await
    }

    #[tokio::test]
    async fn after_a_power_cut_the_member_with_a_transaction_more_seeds_and_the_others_follow_it()
    -> Result<()> {
        with_namespace(async |space| {
            let set = running(space).await?;
            // Of equals the lowest number would seed; so that one is not to be the newest.
            let lowest = primary(&set).await?;
            signal(&set.member(lowest), "KILL").await?;
            let newest = next_primary(&set, lowest).await?;
            ensure!(newest > lowest, "{newest} would seed among equals, too");
            insert(&set.member(newest), 0..10).await?;
            until_all_hold(&set, 10).await?;
            foretold(&set, "True", "WouldRecover").await?;
            insert_alone(&set, newest, 10).await?;

            let epoch = set.status().await?.epoch;
            // The primary last: nobody gets the row from it meanwhile.
            let behind = others(&set, newest);
            try_join_all(behind.iter().map(|member| signal(member, "KILL"))).await?;
            signal(&set.member(newest), "KILL").await?;
            try_join_all(set.members(3).iter().map(Member::delete_forced)).await?;
            set.until_recovered(3, epoch).await?;
            ensure!(primary(&set).await? == newest, "it holds what no other does");
            told_to_follow(&set, newest).await?;
            until_all_hold(&set, 11).await?;
            insert(&set.member(newest), 11..20).await?;
            until_all_hold(&set, 20).await?;

            let seed: Record = from_value(last_seed(&set).await?)?;
            let Outcome::Answered(Answer::Seed(said)) = &seed.outcome else { bail!("{:?}", seed.outcome) };
            ensure!(said.proposal == Proposal::Replica(set.member(newest).name), "{said:?}");
            let digest = seed.policy.as_ref().and_then(|by| by.digest);
            ensure!(digest == Some(Digest::of(&policy()?)), "decided by {:?}", seed.policy);
            Ok(())
        })
        .await
    }
}
