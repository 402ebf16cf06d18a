//! Evictions, as `kubectl drain` asks for them.

use anyhow::{Result, bail};
use e2e::{Set, wait, with_namespace};
use k8s_openapi::api::core::v1::Pod;
use kube::api::EvictParams;
use serde_json::json;

/// Whether Kubernetes counts a pod as Ready.
fn is_ready(pod: &Pod) -> bool {
    let mut conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

/// Wait until this many pods are Ready.
async fn until_ready_pods(set: &Set<'_>, count: usize) -> Result<()> {
    wait::asked(&format!("{count} pods are Ready"), async || {
        Ok(set.pods().await?.iter().filter(|pod| is_ready(pod)).count() == count)
    })
    .await
}

/// Whether the API server allows that this pod is evicted. The budget has to be told of what became of the last one.
async fn is_evicted(set: &Set<'_>, ordinal: u32) -> Result<bool> {
    let pods = set.space().all::<Pod>();
    match pods.evict(&set.member(ordinal).name, &EvictParams::default()).await {
        Ok(_) => Ok(true),
        Err(kube::Error::Api(status)) if status.code == 429 => Ok(false),
        Err(error) => bail!(error),
    }
}

/// One member is evicted, and its next pod takes long to join. Meanwhile no other is.
#[tokio::test]
async fn while_a_member_joins_no_other_is_evicted() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running_as("dummy/cluster", |_| ()).await?;
        until_ready_pods(&set, 3).await?;
        set.member(0).fault("primary-slow", "20").await?;
        let before = set.member(0).uid().await?;
        wait::asked("the first one is evicted", async || is_evicted(&set, 0).await).await?;
        let next = set.member(0).until_followed(&before).await?;
        assert!(!is_ready(&next), "its container runs, and its member does not serve: {:?}", next.status);
        for ordinal in [1, 2] {
            assert!(!is_evicted(&set, ordinal).await?, "member {ordinal} is not evicted meanwhile");
        }
        set.member(0).no_faults().await?;
        set.until_ready(3).await?;
        until_ready_pods(&set, 3).await?;
        wait::asked("the next one is evicted", async || is_evicted(&set, 1).await).await?;
        set.until_ready(3).await.map(drop)
    })
    .await
}

mod full {
    use super::*;

    #[tokio::test]
    async fn labels_that_somebody_takes_away_from_a_pod_are_written_again() -> Result<()> {
        with_namespace(async |space| {
            let set = space.running_as("dummy/cluster", |_| ()).await?;
            let uid = set.member(1).uid().await?;
            let labels = json!({"metadata": {"labels": {"app": null, "rss-operator-managed": null}}});
            let patch = kube::api::Patch::Merge(labels);
            space.all::<Pod>().patch(&set.member(1).name, &kube::api::PatchParams::default(), &patch).await?;
            let is_whole = |pod: &Pod| {
                let has = |key: &str, value: &str| {
                    pod.metadata
                        .labels
                        .as_ref()
                        .and_then(|labels| labels.get(key))
                        .is_some_and(|held| held == value)
                };
                has("app", "dummy")
                    && has("rss-operator-managed", "true")
                    && pod.metadata.owner_references.is_some()
            };
            let pod = set.member(1).until("it has its labels and its owner again", is_whole).await?;
            assert_eq!(pod.metadata.uid, Some(uid), "it is the same pod");
            wait::asked("people are told", async || Ok(set.told("LabelsRestored").await? > 0)).await?;
            set.until_ready(3).await.map(drop)
        })
        .await
    }

    #[tokio::test]
    async fn a_claim_that_somebody_deletes_is_told_while_its_member_runs() -> Result<()> {
        with_namespace(async |space| {
            let set = space.running_as("dummy/cluster", |_| ()).await?;
            let claims = space.all::<k8s_openapi::api::core::v1::PersistentVolumeClaim>();
            claims.delete("data-rss-dummy-1", &kube::api::DeleteParams::default()).await?;
            let hold = set.until_held("ClaimTerminating").await?;
            assert_eq!(hold.scope, "rss-dummy-1");
            set.member(1).delete_now().await?;
            set.until_ready(3).await.map(drop)
        })
        .await
    }

    /// A rollout where a person approves recoveries: the primary is changed by plan, and nobody is asked.
    #[tokio::test]
    async fn a_rollout_needs_no_word_where_a_person_approves_recoveries() -> Result<()> {
        with_namespace(async |space| {
            let ask = |set: &mut serde_json::Value| set["spec"]["recovery"] = json!({"mode": "Ask"});
            let set = space.running_as("dummy/secondaries", ask).await?;
            set.primary().await?;
            let before = set.uids().await?;
            set.patch(json!({"spec": {"pod": {"terminationGracePeriodSeconds": 6}}})).await?;
            wait::asked("each pod is another one", async || {
                let now = set.uids().await?;
                Ok(now.len() == 3 && now.iter().all(|uid| !before.contains(uid)))
            })
            .await?;
            set.primary().await?;
            assert_eq!(set.told("AwaitsApproval").await?, 0, "nobody was asked");
            Ok(())
        })
        .await
    }
}
