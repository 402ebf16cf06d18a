//! What of the local cluster has no power: a node, or the API server.

use anyhow::{Context, Result};
use xtask::cluster::Cluster;

use crate::{Member, Set, Space, manifest};

/// A node without power, which is started again however the test ends: the next test needs it.
pub struct DarkNode {
    cluster: Cluster,
    node: String,
}

/// The API server stopped, and started again however the test ends.
pub struct DarkApi {
    cluster: Cluster,
}

// === impl DarkNode ===

impl DarkNode {
    /// A node loses its power.
    ///
    /// # Errors
    /// If there is no such node in a local cluster.
    pub async fn cut(node: &str) -> Result<Self> {
        let dark = Self { cluster: Cluster::attach()?, node: node.to_owned() };
        let (cluster, name) = (dark.cluster.clone(), dark.node.clone());
        tokio::task::spawn_blocking(move || cluster.stop_node(&name)).await??;
        Ok(dark)
    }
}

impl Drop for DarkNode {
    fn drop(&mut self) {
        // Nobody is left to tell; the tests after this one will.
        self.cluster.start_node(&self.node).ok();
    }
}

// === impl DarkApi ===

impl DarkApi {
    /// The API server ends; what it stored stays.
    ///
    /// # Errors
    /// If there is no local cluster, or it will not end.
    pub async fn stop() -> Result<Self> {
        let dark = Self { cluster: Cluster::attach()? };
        let cluster = dark.cluster.clone();
        tokio::task::spawn_blocking(move || cluster.stop_api()).await??;
        Ok(dark)
    }
}

impl Drop for DarkApi {
    fn drop(&mut self) {
        self.cluster.start_api().ok();
    }
}

/// The node of a member.
///
/// # Errors
/// If it has none.
pub async fn node_of(member: &Member<'_>) -> Result<String> {
    member.pod().await?.spec.and_then(|spec| spec.node_name).context("the pod has no node")
}

/// A set whose members are on nodes of their own.
///
/// # Errors
/// If they do not serve.
pub async fn apart(space: &Space) -> Result<Set<'_>> {
    let set = manifest::edited("dummy/cluster", |set| set["spec"]["pod"]["antiAffinity"] = true.into())?;
    let set = space.apply(&set).await?;
    set.until_ready(3).await?;
    Ok(set)
}

/// The members, with their nodes, that are not on the operator's own.
///
/// # Errors
/// If the API server does not say.
pub async fn away(space: &Space, set: &Set<'_>) -> Result<Vec<(u32, String)>> {
    let operators = space.operator().pods().await?;
    let homes: Vec<_> = operators.into_iter().filter_map(|pod| pod.spec?.node_name).collect();
    let mut away = Vec::new();
    for ordinal in 0..3 {
        away.push((ordinal, node_of(&set.member(ordinal)).await?));
    }
    away.retain(|(_, node)| !homes.contains(node));
    Ok(away)
}
