//! Commands and applications that hang, lie, cling or come late.

use anyhow::{Result, ensure};
use e2e::{Set, Space, is_running, manifest, wait, with_namespace};
use serde_json::{Value, json};

use crate::lights_out::{recovered, seeds};

/// The dummy on claims, edited, once all its members serve.
async fn running(space: &Space, edit: impl FnOnce(&mut Value)) -> Result<Set<'_>> {
    let set = space.apply(&manifest::edited("dummy/cluster", edit)?).await?;
    set.until_ready(3).await?;
    Ok(set)
}

/// All members hold one number more than new ones do.
async fn written(set: &Set<'_>) -> Result<u64> {
    let number = set.member(0).write(6).await?;
    set.until_all_hold(3, number).await?;
    Ok(number)
}

#[tokio::test]
async fn a_killed_process_joins_again_in_the_same_container() -> Result<()> {
    with_namespace(async |space| {
        let set = running(space, |_| ()).await?;
        let number = written(&set).await?;
        let (uids, container) = (set.uids().await?, set.member(1).container().await?);
        let joins = set.member(1).began("primary").await?;
        set.member(1).crash().await?;
        assert_eq!(set.member(1).status().await?, 7);
        set.member(1).until_status(8).await?;
        set.until_ready(3).await?;
        assert_eq!(set.uids().await?, uids, "no pod was replaced");
        assert_eq!(set.member(1).container().await?, container, "nor a container");
        assert_eq!(set.member(1).began("primary").await?, joins + 1, "one command was enough");
        set.until_all_hold(3, number).await
    })
    .await
}

#[tokio::test]
async fn a_silent_member_is_unknown_and_left_alone_until_it_answers_again() -> Result<()> {
    with_namespace(async |space| {
        // Patience of three deadlines of `status`: longer than this test.
        let set =
            running(space, |set| set["spec"]["pod"]["commands"]["status"]["timeout"] = "30s".into()).await?;
        written(&set).await?;
        let uids = set.uids().await?;
        set.member(2).fault("status-hang", "").await?;
        set.until_state("rss-dummy-2", "Unknown").await?;
        assert_eq!(set.member(0).status().await?, 8);
        let number = set.member(1).write(2).await?;
        set.member(2).no_faults().await?;
        set.until_ready(3).await?;
        assert_eq!(set.uids().await?, uids, "nobody was replaced");
        set.until_all_hold(3, number).await
    })
    .await
}

#[tokio::test]
async fn a_member_whose_status_hangs_for_ever_is_replaced() -> Result<()> {
    with_namespace(async |space| {
        let set = running(space, |_| ()).await?;
        let number = written(&set).await?;
        let uids = set.uids().await?;
        set.member(2).fault("status-hang", "").await?;
        let hung = set.member(2);
        hung.until("another pod", |pod| pod.metadata.uid.as_ref() != Some(&uids[2]) && is_running(pod))
            .await?;
        hung.no_faults().await?;
        set.until_ready(3).await?;
        assert_eq!(set.uids().await?[..2], uids[..2], "the others are untouched");
        set.until_all_hold(3, number).await
    })
    .await
}

#[tokio::test]
async fn a_frozen_application_holds_nobody_up_and_is_well_when_it_goes_on() -> Result<()> {
    with_namespace(async |space| {
        let set = running(space, |_| ()).await?;
        let uids = set.uids().await?;
        set.member(1).freeze().await?;
        let number = set.member(0).write(4).await?;
        wait::asked("another member follows", async || Ok(set.member(2).number().await? == number)).await?;
        set.member(1).thaw().await?;
        set.until_all_hold(3, number).await?;
        set.until_ready(3).await?;
        assert_eq!(set.uids().await?, uids, "nobody was replaced");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_seed_that_fails_is_followed_by_the_next_equal_one() -> Result<()> {
    with_namespace(async |space| {
        let set = running(space, |_| ()).await?;
        let number = written(&set).await?;
        let (epoch, before) = (set.status().await?.epoch, seeds(&set, 3).await?);
        set.member(0).fault("seed-exit", "1").await?;
        set.cut_power(3).await?;
        recovered(&set, 3, epoch, number).await?;
        let began: Vec<_> = seeds(&set, 3).await?.iter().zip(before).map(|(now, then)| now - then).collect();
        assert_eq!(began, [1, 1, 0], "the lowest first, once; then the next");
        Ok(())
    })
    .await
}

/// Member 0 seeds, says that it failed, and comes up 20 s later if it is let. How often each seeded.
async fn after_a_late_seed(set: &Set<'_>) -> Result<Vec<usize>> {
    let number = written(set).await?;
    let (epoch, before) = (set.status().await?.epoch, seeds(set, 3).await?);
    set.member(0).fault("seed-late", "20").await?;
    set.cut_power(3).await?;
    wait::asked("the first seeds", async || Ok(set.member(0).began("seed").await? > before[0])).await?;
    let pod = set.member(0).uid().await?;
    recovered(set, 3, epoch, number).await?;
    let began: Vec<_> = seeds(set, 3).await?.iter().zip(before).map(|(now, then)| now - then).collect();
    let replaced = set.member(0).uid().await? != pod;
    ensure!(replaced == (began[1] > 0), "the next seeds if and only if the first pod is gone: {began:?}");
    Ok(began)
}

#[tokio::test]
async fn a_seed_that_says_it_failed_and_comes_up_late_is_the_only_one() -> Result<()> {
    with_namespace(async |space| {
        let patient = |set: &mut Value| set["spec"]["pod"]["terminationGracePeriodSeconds"] = 90.into();
        let set = running(space, patient).await?;
        assert_eq!(after_a_late_seed(&set).await?, [1, 0, 0], "its lock tells that it is alive");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_failed_seed_whose_process_stays_is_ended_before_the_next_begins() -> Result<()> {
    with_namespace(async |space| {
        // The example's grace period of 5 s is over before the first would have come up.
        let set = running(space, |_| ()).await?;
        assert_eq!(after_a_late_seed(&set).await?, [1, 1, 0]);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_seed_that_outlives_its_deadline_and_gets_on_is_the_only_one() -> Result<()> {
    with_namespace(async |space| {
        let short = |set: &mut Value| set["spec"]["pod"]["commands"]["seed"]["timeout"] = "5s".into();
        let set = running(space, short).await?;
        let number = written(&set).await?;
        let (epoch, before) = (set.status().await?.epoch, seeds(&set, 3).await?);
        set.member(0).fault("seed-slow", "25").await?;
        set.cut_power(3).await?;
        recovered(&set, 3, epoch, number).await?;
        let began: Vec<_> = seeds(&set, 3).await?.iter().zip(before).map(|(now, then)| now - then).collect();
        assert_eq!(began, [1, 0, 0], "one seed ever ran");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_daemon_that_keeps_its_output_open_holds_nobody_up() -> Result<()> {
    with_namespace(async |space| {
        let set = running(space, |_| ()).await?;
        let number = written(&set).await?;
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
async fn a_container_without_flock_is_recovered_too() -> Result<()> {
    with_namespace(async |space| {
        let set = running(space, |set| {
            set["spec"]["pod"]["containers"][0]["command"] =
                json!(["/bin/sh", "-c", "rm /bin/flock; exec /park.sh"]);
        })
        .await?;
        let number = written(&set).await?;
        let epoch = set.status().await?.epoch;
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
        let said = set.until("it is unguarded", |status| {
            let mut words = status.conditions.iter().map(|c| (&c.reason, &c.message));
            words.any(|(reason, message)| reason == "Unguarded" || message.contains("shell"))
                || status.holds.iter().any(|hold| hold.reason == "Unguarded")
        });
        said.await?;
        for member in set.members(3) {
            let log = member.run(&["/bin/cat", "/data/log"]).await?;
            ensure!(log.code != 0, "{}: a command was run: {}", member.name, log.stdout);
        }
        Ok(())
    })
    .await
}
