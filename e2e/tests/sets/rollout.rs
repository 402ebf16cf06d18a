//! Templates that change, and pods that cannot start.

use anyhow::{Result, ensure};
use e2e::{Set, Space, manifest, with_namespace};
use futures::future::{Either, select};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::pin::pin;
use std::time::Duration;

/// The set of the example with this image and this value of an environment variable.
async fn apply<'a>(space: &'a Space, image: &str, value: &str) -> Result<Set<'a>> {
    space.apply(&manifest::edited("dummy/cluster", |set| write_template(set, image, value))?).await
}

/// A template with this image and this value of an environment variable.
pub(crate) fn write_template(set: &mut Value, image: &str, value: &str) {
    let container = &mut set["spec"]["pod"]["containers"][0];
    container["image"] = image.into();
    container["env"] = json!([{"name": "ROUND", "value": value}]);
}

/// Fails when fewer than two members serve clients.
pub(crate) async fn until_fewer_than_two_serve(set: &Set<'_>) -> Result<usize> {
    loop {
        let pods = set.pods().await?;
        let serving = pods.iter().filter(|pod| e2e::is_active(pod)).count();
        if serving < 2 {
            return Ok(serving);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Every member is of the template with this value. What the operator calls done is done.
async fn until_all_have(set: &Set<'_>, value: &str) -> Result<()> {
    set.until("the wanted revision runs", |status| {
        status.current_version.is_some() && status.current_version == status.target_version
    })
    .await?;
    set.until_ready(3).await?;
    for member in set.members(3) {
        ensure!(member.sh("echo $ROUND").await? == value, "{} is of an older template", member.name);
    }
    Ok(())
}

/// Applies another value, and waits for a revision other than the one before.
async fn roll_out(space: &Space, set: &Set<'_>, value: &str) -> Result<()> {
    let version = set.status().await?.target_version;
    apply(space, "dummy:example", value).await?;
    set.until("a new revision", |status| status.target_version != version).await?;
    until_all_have(set, value).await
}

#[tokio::test]
async fn a_changed_template_replaces_one_member_at_a_time() -> Result<()> {
    with_namespace(async |space| {
        let set = apply(space, "dummy:example", "1").await?;
        set.until_ready(3).await?;
        let number = set.member(0).write(3).await?;
        set.until_all_hold(3, number).await?;
        match select(pin!(roll_out(space, &set, "2")), pin!(until_fewer_than_two_serve(&set))).await {
            Either::Left((done, _)) => done?,
            Either::Right((serving, _)) => panic!("{serving:?} members served during the rollout"),
        }
        set.until_all_hold(3, number).await?;
        assert_eq!(set.told("RolloutStarted").await?, 1, "an event says why pods are replaced");
        labels_come_in_place(&set).await
    })
    .await
}

/// A label of the resource that changes: the pods get it, and stay.
async fn labels_come_in_place(set: &Set<'_>) -> Result<()> {
    let (before, version) = (set.uids().await?, set.status().await?.target_version);
    set.patch(json!({"spec": {"metadata": {"labels": {"team": "a"}, "annotations": {"note": "b"}}}})).await?;
    set.until("the new template runs", |status| {
        status.target_version != version && status.current_version == status.target_version
    })
    .await?;
    set.until_ready(3).await?;
    for pod in set.pods().await? {
        let of = |all: Option<BTreeMap<String, String>>, key: &str| all.and_then(|all| all.get(key).cloned());
        assert_eq!(of(pod.metadata.labels, "team").as_deref(), Some("a"));
        assert_eq!(of(pod.metadata.annotations, "note").as_deref(), Some("b"));
    }
    assert_eq!(set.uids().await?, before, "no pod is another one");
    assert_eq!(set.told("RolloutStarted").await?, 1);
    Ok(())
}

/// A hold that names a member and, in the scheduler's words, why its pod has no node.
async fn is_named_unschedulable(space: &Space, edit: impl FnOnce(&mut Value)) -> Result<()> {
    let set = space.apply(&manifest::edited("dummy/cluster", edit)?).await?;
    let status = set.until("it is unschedulable", |status| {
        status.holds.iter().any(|hold| {
            let message = hold.message.as_deref().unwrap_or_default();
            hold.reason == "NotRunning" && message.contains("Unschedulable") && message.contains(&hold.scope)
        })
    });
    status.await.map(drop)
}

mod full {
    use super::*;

    #[tokio::test]
    async fn a_template_that_cannot_start_is_taken_back_until_a_good_one_comes() -> Result<()> {
        with_namespace(async |space| {
            let set = apply(space, "dummy:example", "1").await?;
            set.until_ready(3).await?;
            let number = set.member(0).write(3).await?;
            set.until_all_hold(3, number).await?;
            apply(space, "dummy:of-no-registry", "2").await?;
            set.until_held("TemplateRefused").await?;
            set.until_serving(3).await?;
            for member in set.members(3) {
                assert_eq!(
                    member.sh("echo $ROUND").await?,
                    "1",
                    "{} has the last good template",
                    member.name
                );
            }
            roll_out(space, &set, "3").await?;
            let over = set.status().await?.holds.iter().all(|hold| hold.reason != "TemplateRefused");
            assert!(over, "the refusal is over");
            set.until_all_hold(3, number).await
        })
        .await
    }

    #[tokio::test]
    async fn a_changed_template_is_called_done_when_every_member_has_it() -> Result<()> {
        with_namespace(async |space| {
            let set = apply(space, "dummy:example", "1").await?;
            set.until_ready(3).await?;
            apply(space, "dummy:example", "2").await?;
            until_all_have(&set, "2").await
        })
        .await
    }

    #[tokio::test]
    async fn a_new_set_whose_image_cannot_be_had_says_so_and_starts_once_it_can() -> Result<()> {
        with_namespace(async |space| {
            let set = apply(space, "dummy:of-no-registry", "1").await?;
            set.until("the image is named as the trouble", |status| {
                let mut holds = status.holds.iter().filter(|hold| hold.reason == "NotRunning");
                holds.any(|hold| hold.message.as_deref().unwrap_or_default().contains("Image"))
            })
            .await?;
            apply(space, "dummy:example", "2").await?;
            until_all_have(&set, "2").await
        })
        .await
    }

    #[tokio::test]
    async fn a_pod_without_a_fitting_node_is_named() -> Result<()> {
        with_namespace(async |space| {
            is_named_unschedulable(space, |set| set["spec"]["pod"]["nodeSelector"] = json!({"of": "nowhere"}))
                .await
        })
        .await
    }

    #[tokio::test]
    async fn a_claim_that_cannot_be_bound_is_named() -> Result<()> {
        with_namespace(async |space| {
            is_named_unschedulable(space, |set| {
                let claim = &mut set["spec"]["pod"]["volumeClaimTemplates"][0]["spec"];
                claim["storageClassName"] = "of-nowhere".into();
            })
            .await
        })
        .await
    }
}
