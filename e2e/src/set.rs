//! A set under test.

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::api::events::v1::Event;
use kube::ResourceExt;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams};
use operator::api::{HoldStatus, ReplicatedStatefulSet, SetStatus};
use serde_json::{Value, json};

use crate::{Member, Space, wait};

/// A set under test.
#[derive(Clone)]
pub struct Set<'a> {
    space: &'a Space,
    /// Its name.
    pub name: String,
}

// === impl Set ===

impl<'a> Set<'a> {
    pub(crate) fn new(space: &'a Space, name: &str) -> Self {
        Self { space, name: name.to_owned() }
    }

    /// The resources of its kind.
    #[must_use]
    pub fn api(&self) -> Api<ReplicatedStatefulSet> {
        self.space.all()
    }

    /// One of its members.
    #[must_use]
    pub fn member(&self, ordinal: u32) -> Member<'a> {
        Member::new(self.space, format!("rss-{}-{ordinal}", self.name))
    }

    /// Its first so many members.
    #[must_use]
    pub fn members(&self, count: u32) -> Vec<Member<'a>> {
        (0..count).map(|ordinal| self.member(ordinal)).collect()
    }

    /// What the operator says now.
    ///
    /// # Errors
    /// If it has said nothing, or there is no such set.
    pub async fn status(&self) -> Result<SetStatus> {
        self.api().get(&self.name).await?.status.context("the set has no status")
    }

    /// Wait until the operator, having seen the resource as it is now, says so.
    ///
    /// # Errors
    /// If it does not.
    pub async fn until(&self, what: &str, condition: impl Fn(&SetStatus) -> bool) -> Result<SetStatus> {
        let holds = |set: &ReplicatedStatefulSet| {
            set.status.as_ref().is_some_and(|status| {
                status.observed_generation == set.metadata.generation && condition(status)
            })
        };
        let seen = wait::until(&self.api(), &self.name, what, |set| set.is_some_and(holds)).await?;
        seen.and_then(|set| set.status).context("the set is gone")
    }

    /// Wait until so many members serve and nothing is left to do.
    ///
    /// # Errors
    /// If they do not.
    pub async fn until_ready(&self, count: u32) -> Result<SetStatus> {
        let wanted = format!("{count}/{count}");
        let what = format!("{wanted} ready, and nothing left to do");
        self.until(&what, |status| {
            status.ready.as_deref() == Some(&wanted)
                && is(status, "Ready", "True")
                && is(status, "Reconciling", "False")
        })
        .await
    }

    /// Wait until so many members serve, whatever is left to do.
    ///
    /// # Errors
    /// If they do not.
    pub async fn until_serving(&self, count: u32) -> Result<SetStatus> {
        let wanted = format!("{count}/{count}");
        self.until(&format!("{wanted} serve"), |status| {
            status.ready.as_deref() == Some(&wanted) && is(status, "Ready", "True")
        })
        .await
    }

    /// Wait until a new epoch has begun after `before`, so many members serve, and nothing is left to do.
    ///
    /// # Errors
    /// If that does not come.
    pub async fn until_recovered(&self, count: u32, before: Option<i64>) -> Result<SetStatus> {
        self.until("a new epoch", |status| status.epoch > before).await?;
        self.until_ready(count).await
    }

    /// Wait for something that is waited for.
    ///
    /// # Errors
    /// If nothing is, for this reason.
    pub async fn until_held(&self, reason: &str) -> Result<HoldStatus> {
        let of = |status: &SetStatus| status.holds.iter().find(|hold| hold.reason == reason).cloned();
        let status = self.until(&format!("hold {reason}"), |status| of(status).is_some()).await?;
        of(&status).context("the hold is gone")
    }

    /// Wait until the operator says this of a member: Primary, Stopped, Unknown and so on.
    ///
    /// # Errors
    /// If it does not.
    pub async fn until_state(&self, member: &str, state: &str) -> Result<SetStatus> {
        self.until(&format!("{member} is {state}"), |status| {
            let mut states = status.replica_states.iter().filter(|replica| replica.name == member);
            states.any(|replica| replica.app_state.as_deref() == Some(state))
        })
        .await
    }

    /// Change the resource.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn patch(&self, change: Value) -> Result<()> {
        let patch = Patch::Merge(change);
        self.api().patch(&self.name, &PatchParams::default(), &patch).await.map(drop).map_err(Into::into)
    }

    /// Change the status, which only the operator does.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn patch_status(&self, change: Value) -> Result<()> {
        let patch = Patch::Merge(json!({"status": change}));
        let parameters = PatchParams::default();
        self.api().patch_status(&self.name, &parameters, &patch).await.map(drop).map_err(Into::into)
    }

    /// Ask for so many members.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn scale(&self, replicas: u32) -> Result<()> {
        self.patch(json!({"spec": {"replicas": replicas}})).await
    }

    /// Allow what a hold names, as a person does.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn allow(&self, keys: &[String]) -> Result<()> {
        self.patch(json!({"metadata": {"annotations": {"clusterlabs.org/allow": keys.join(",")}}})).await
    }

    /// Delete the resource, and wait until its pods are gone.
    ///
    /// # Errors
    /// If they stay.
    pub async fn destroy(&self) -> Result<()> {
        self.api().delete(&self.name, &DeleteParams::default()).await?;
        wait::asked("its pods are gone", async || Ok(self.pods().await?.is_empty())).await
    }

    /// Its pods, by name.
    ///
    /// # Errors
    /// If the API server does not say.
    pub async fn pods(&self) -> Result<Vec<Pod>> {
        let of = ListParams::default().labels(&format!("app={}", self.name));
        let mut pods = self.space.all::<Pod>().list(&of).await?.items;
        pods.sort_by_key(ResourceExt::name_any);
        Ok(pods)
    }

    /// The UIDs of its pods, by name.
    ///
    /// # Errors
    /// If the API server does not say.
    pub async fn uids(&self) -> Result<Vec<String>> {
        Ok(self.pods().await?.into_iter().filter_map(|pod| pod.metadata.uid).collect())
    }

    /// The claims in its namespace, by name.
    ///
    /// # Errors
    /// If the API server does not say.
    pub async fn claims(&self) -> Result<Vec<PersistentVolumeClaim>> {
        let mut claims = self.space.all::<PersistentVolumeClaim>().list(&ListParams::default()).await?.items;
        claims.sort_by_key(ResourceExt::name_any);
        Ok(claims)
    }

    /// How often an event of this reason was told of the set.
    ///
    /// # Errors
    /// If the API server does not say.
    pub async fn told(&self, reason: &str) -> Result<usize> {
        let events = self.space.all::<Event>().list(&ListParams::default()).await?.items;
        let of = |event: &&Event| {
            event.reason.as_deref() == Some(reason)
                && event.regarding.as_ref().and_then(|about| about.name.as_deref()) == Some(&self.name)
        };
        Ok(events.iter().filter(of).count())
    }

    /// The number that every member holds, by asking each.
    ///
    /// # Errors
    /// If one does not answer.
    pub async fn numbers(&self, count: u32) -> Result<Vec<u64>> {
        let members = self.members(count);
        try_join_all(members.iter().map(Member::number)).await
    }

    /// Wait until every member holds this number.
    ///
    /// # Errors
    /// If they never agree on it.
    pub async fn until_all_hold(&self, count: u32, number: u64) -> Result<()> {
        let what = format!("all {count} members hold {number}");
        wait::asked(&what, async || {
            let numbers = self.numbers(count).await?;
            ensure!(numbers.iter().all(|held| *held == number), "they hold {numbers:?}");
            Ok(true)
        })
        .await
    }

    /// What a power cut does: every application dies at once, and nothing knows of the pods any more.
    ///
    /// # Errors
    /// If a pod cannot be had.
    pub async fn cut_power(&self, count: u32) -> Result<()> {
        let members = self.members(count);
        try_join_all(members.iter().map(Member::crash)).await?;
        try_join_all(members.iter().map(Member::delete_forced)).await.map(drop)
    }
}

/// Whether a condition has this status.
fn is(status: &SetStatus, kind: &str, value: &str) -> bool {
    status.conditions.iter().any(|condition| condition.type_ == kind && condition.status == value)
}
