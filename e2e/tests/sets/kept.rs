//! Policies that are kept in the cluster, with the rights of `deploy/` and under the rules of a real API server.

use anyhow::{Context, Result};
use e2e::{wait, with_bare_namespace};
use k8s_openapi::api::core::v1::{ConfigMap, ResourceQuota};
use k8s_openapi::jiff::Timestamp;
use kube::ResourceExt;
use kube::api::{Api, ListParams, Patch, PatchParams};
use operator::policy::Digest;
use operator::policy::keep::{GRACE, InUse, Keep, KeepError, Kept};
use operator::policy::limits;
use serde_json::json;

/// The largest there may be.
fn largest() -> Vec<u8> {
    (0..limits::COMPONENT).map(|place| (place % 251) as u8).collect()
}

/// The bytes that are given, if any.
async fn given(keep: &Keep, digest: Digest, namespace: &str) -> Result<Option<Vec<u8>>> {
    Ok(match keep.get(digest, namespace).await? {
        Kept::Bytes(bytes, _) => Some(bytes),
        Kept::Absent | Kept::Damaged => None,
    })
}

async fn names(maps: &Api<ConfigMap>) -> Result<Vec<String>> {
    let policies = ListParams::default().labels("app.kubernetes.io/component=policy");
    Ok(maps.list(&policies).await?.iter().map(ResourceExt::name_any).collect())
}

#[tokio::test]
async fn a_policy_is_kept_for_who_brought_it_until_no_set_uses_it() -> Result<()> {
    with_bare_namespace(async |space| {
        space.operator().install(0).await?;
        let keep = Keep::new(&space.clients_of_operator().await?, &space.name);
        let (bytes, maps) = (largest(), space.all::<ConfigMap>());
        keep.put(&bytes, "a", "host/p").await?;
        let digest = Digest::of(&bytes);
        assert_eq!(given(&keep, digest, "a").await?, Some(bytes.clone()));
        assert_eq!(given(&keep, digest, "b").await?, None);
        keep.put(&bytes, "b", "host/p").await?;
        assert_eq!(given(&keep, digest, "b").await?, Some(bytes));
        assert_eq!(names(&maps).await?.len(), 1);

        let used = InUse::from([("b".to_owned(), digest)]);
        let now = Timestamp::now();
        let later = now + GRACE;
        keep.collect(&used, |_| true, now).await?;
        keep.collect(&used, |_| true, later).await?;
        assert_eq!(given(&keep, digest, "a").await?, None);
        keep.collect(&InUse::new(), |_| true, later).await?;
        keep.collect(&InUse::new(), |_| true, later + GRACE).await?;
        assert!(names(&maps).await?.is_empty());
        Ok(())
    })
    .await
}

mod full {
    use super::*;

    #[tokio::test]
    async fn a_kept_policy_cannot_be_changed_and_what_was_made_in_its_place_is_given_to_nobody() -> Result<()>
    {
        with_bare_namespace(async |space| {
            space.operator().install(0).await?;
            let keep = Keep::new(&space.clients_of_operator().await?, &space.name);
            let maps = space.all::<ConfigMap>();
            keep.put(b"one", "a", "host/p").await?;
            let digest = Digest::of(b"one");
            let name = names(&maps).await?.pop().context("it is kept")?;
            let patch = Patch::Merge(json!({"binaryData": {"component.wasm": "dHdv"}}));
            let changed = maps.patch(&name, &PatchParams::default(), &patch).await;
            assert!(matches!(changed, Err(kube::Error::Api(status)) if status.code == 422));

            let mut forged = maps.get(&name).await?;
            maps.delete(&name, &kube::api::DeleteParams::default()).await?;
            forged.metadata.resource_version = None;
            forged.metadata.uid = None;
            forged
                .binary_data
                .iter_mut()
                .flat_map(|data| data.values_mut())
                .for_each(|bytes| bytes.0 = b"two".to_vec());
            maps.create(&kube::api::PostParams::default(), &forged).await?;
            assert!(matches!(keep.get(digest, "a").await?, Kept::Damaged));
            assert_eq!(given(&keep, digest, "a").await?, None);
            Ok(())
        })
        .await
    }

    #[tokio::test]
    async fn an_operator_keeps_nothing_outside_of_its_own_namespace() -> Result<()> {
        with_bare_namespace(async |space| {
            space.operator().install(0).await?;
            let elsewhere = Keep::new(&space.clients_of_operator().await?, "default");
            let refused = elsewhere.put(b"one", "a", "host/p").await.expect_err("it has no right to");
            assert!(refused.is_forbidden(), "{refused}");
            Ok(())
        })
        .await
    }

    #[tokio::test]
    async fn a_quota_of_the_operators_namespace_is_not_taken_for_a_missing_right() -> Result<()> {
        with_bare_namespace(async |space| {
            space.operator().install(0).await?;
            let quota: ResourceQuota = serde_json::from_value(json!({"metadata": {"name": "none"},
            "spec": {"hard": {"count/configmaps": "0"}}}))?;
            space.all::<ResourceQuota>().create(&kube::api::PostParams::default(), &quota).await?;
            let keep = Keep::new(&space.clients_of_operator().await?, &space.name);
            // Until it is counted for the first time a quota forbids nothing, so each try is with bytes of its own, for a
            // namespace of its own, which has a bound.
            let (mut tries, mut refused) = (0_u32, None);
            wait::asked("the quota is in force", async || {
                tries += 1;
                refused = keep.put(&tries.to_le_bytes(), &format!("a{tries}"), "host/p").await.err();
                Ok(refused.is_some())
            })
            .await?;
            let refused = refused.context("it was refused")?;
            assert!(matches!(refused, KeepError::NotAdmitted(..)) && !refused.is_forbidden(), "{refused}");
            Ok(())
        })
        .await
    }
}
