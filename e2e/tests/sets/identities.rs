//! A StatefulCluster: identities are given once, and nobody mounts what another one had.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use e2e::{Identities, Space, container, wait, with_identities};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube::ResourceExt;
use kube::api::DeleteParams;
use serde_json::{Value, json};

/// Every pod is the first that ever had its volume.
async fn nobody_has_anothers_volume(coder: &Identities<'_>) -> Result<()> {
    for name in coder.names().await? {
        let first = coder.first_of(&name).await?;
        ensure!(first == name, "{name} has the volume of {first}");
    }
    Ok(())
}

fn images(image: &str) -> Value {
    let container = json!({"name": "coder-stateful", "image": image, "imagePullPolicy": "IfNotPresent",
        "volumeMounts": [{"mountPath": "/home/coder/project", "name": "data"}],
        "args": ["--allow-http", "--no-auth", "--host", "0.0.0.0"],
        "ports": [{"containerPort": 8443, "name": "https"}]});
    json!({"template": {"spec": {"containers": [container]}}})
}

async fn image_of(space: &Space, pod: &str) -> Result<Option<String>> {
    let pod = space.pod(pod).pod().await?;
    Ok(pod.spec.and_then(|spec| spec.containers.into_iter().next()).and_then(|container| container.image))
}

#[tokio::test]
async fn a_pod_that_somebody_deleted_is_replaced_by_another_identity_with_a_claim_of_its_own() -> Result<()> {
    with_identities(async |space| {
        let coder = Identities::running(space, json!({})).await?;
        let (before, claims) = (coder.names().await?, coder.claims().await?);
        let gone = before.first().context("no pod is there to be deleted")?;
        space.all::<Pod>().delete(gone, &DeleteParams::default()).await?;
        wait::asked("another takes its place", async || {
            let now = coder.names().await?;
            Ok(now.len() == 3 && !now.contains(gone))
        })
        .await?;
        coder.until_ready(3).await?;
        let after = coder.names().await?;
        ensure!(before.intersection(&after).count() == 2, "the others stay: {before:?} {after:?}");
        let kept = coder.claims().await?;
        ensure!(kept.is_superset(&claims) && kept.len() == 4, "the old claim is kept: {kept:?}");
        nobody_has_anothers_volume(&coder).await
    })
    .await
}

/// The same bits under the name that runtimes give them: each container is made anew for it.
const RESPELLED: &str = "docker.io/library/coder:example";

#[tokio::test]
async fn a_new_image_is_run_by_the_same_identities_and_a_bad_one_is_taken_back() -> Result<()> {
    with_identities(async |space| {
        let coder = Identities::running(space, json!({"progressDeadlineSeconds": 20})).await?;
        let (before, claims) = (coder.names().await?, coder.claims().await?);
        let ended = containers(&coder.pods().await?);
        coder.change(images(RESPELLED)).await?;
        coder.until_ready(3).await?;
        all_have(space, &coder, RESPELLED).await?;
        wait::asked("each has another container", async || {
            let now = containers(&coder.pods().await?);
            Ok(now.len() == 3 && now.is_disjoint(&ended))
        })
        .await?;
        // What is taken back gives way to the last that all were available with, once their containers are believed.
        wait::asked("it is what others are taken back to", async || {
            let status = coder.status().await?;
            Ok(status.current_revision.is_some() && status.current_revision == status.update_revision)
        })
        .await?;
        // It has no program of its own for these arguments, and never becomes ready.
        coder.change(images("dummy:example")).await?;
        coder.until_held("TakenBack").await?;
        all_have(space, &coder, RESPELLED).await?;
        wait::asked("all are available again", async || Ok(coder.status().await?.available_replicas == 3))
            .await?;
        ensure!(coder.names().await? == before && coder.claims().await? == claims, "nobody was replaced");
        nobody_has_anothers_volume(&coder).await
    })
    .await
}

fn containers(pods: &[Pod]) -> BTreeSet<String> {
    pods.iter().filter_map(container).collect()
}

async fn all_have(space: &Space, coder: &Identities<'_>, image: &str) -> Result<()> {
    wait::asked("all have the image", async || {
        for name in coder.names().await? {
            if image_of(space, &name).await?.as_deref() != Some(image) {
                return Ok(false);
            }
        }
        Ok(true)
    })
    .await
}

/// By its name in the governing service.
async fn each_finds_each(space: &Space, coder: &Identities<'_>) -> Result<()> {
    let names = coder.names().await?;
    for (asks, found) in names.iter().flat_map(|asks| names.iter().map(move |found| (asks, found))) {
        let address = space.pod(found).address().await?.to_string();
        let ask = format!("nslookup {found}.peers.{}.svc.cluster.local", space.name);
        let told = async || Ok(space.pod(asks).sh(&ask).await?.contains(&address));
        wait::asked(&format!("{asks} finds {found}"), told).await?;
    }
    Ok(())
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod.status.as_ref().and_then(|status| status.conditions.as_deref());
    conditions
        .unwrap_or_default()
        .iter()
        .any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

mod full {
    use super::*;

    #[tokio::test]
    async fn three_five_two_keeps_those_that_stay_and_deletes_the_claims_of_those_that_go() -> Result<()> {
        with_identities(async |space| {
            let policy = json!({"persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete"}});
            let coder = Identities::running(space, policy).await?;
            let first = coder.names().await?;
            coder.scale(5).await?;
            coder.until_ready(5).await?;
            ensure!(coder.names().await?.is_superset(&first), "nobody is replaced by growth");
            coder.scale(2).await?;
            coder.until_ready(2).await?;
            let left = coder.names().await?;
            ensure!(left.is_subset(&first), "the youngest go first");
            let wanted: BTreeSet<_> = left.iter().map(|name| format!("data-{name}")).collect();
            wait::asked("only their claims are left", async || Ok(coder.claims().await? == wanted)).await
        })
        .await
    }

    #[tokio::test]
    async fn a_claim_that_somebody_deleted_goes_with_its_pod_and_another_identity_begins_empty() -> Result<()>
    {
        with_identities(async |space| {
            let coder = Identities::running(space, json!({})).await?;
            let before = coder.names().await?;
            let gone = before.first().context("no pod is there to be deleted")?;
            let (claims, claim) = (space.all::<PersistentVolumeClaim>(), format!("data-{gone}"));
            claims.delete(&claim, &DeleteParams::default()).await?;
            space.all::<Pod>().delete(gone, &DeleteParams::default()).await?;
            wait::asked("the claim is gone", async || Ok(claims.get_opt(&claim).await?.is_none())).await?;
            wait::asked("another takes its place", async || Ok(coder.names().await?.len() == 3)).await?;
            coder.until_ready(3).await?;
            ensure!(!coder.names().await?.contains(gone), "its name is not given again");
            ensure!(coder.claims().await?.len() == 3);
            nobody_has_anothers_volume(&coder).await
        })
        .await
    }

    #[tokio::test]
    async fn another_template_is_brought_by_other_identities_one_after_the_other() -> Result<()> {
        with_identities(async |space| {
            let coder = Identities::running(space, json!({"serviceName": "peers"})).await?;
            let uids = |pods: &[Pod]| pods.iter().filter_map(ResourceExt::uid).collect::<BTreeSet<_>>();
            let before = uids(&coder.pods().await?);
            coder.change(json!({"template": {"spec": {"terminationGracePeriodSeconds": 3}}})).await?;
            let (mut fewest_ready, mut most) = (3, 0);
            wait::asked("each is another pod", async || {
                let pods = coder.pods().await?;
                fewest_ready = fewest_ready.min(pods.iter().filter(|pod| is_ready(pod)).count());
                most = most.max(pods.len());
                Ok(pods.len() == 3 && before.is_disjoint(&uids(&pods)))
            })
            .await?;
            ensure!(fewest_ready == 3 && most <= 4, "{fewest_ready} were ready once, and {most} there");
            coder.until_ready(3).await?;
            each_finds_each(space, &coder).await?;
            nobody_has_anothers_volume(&coder).await
        })
        .await
    }
}
