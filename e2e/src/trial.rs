//! A test in a namespace of its own.

use std::panic::{AssertUnwindSafe, resume_unwind};

use anyhow::Result;
use futures::FutureExt;

use crate::{Space, aftermath, cluster, installation};

/// Run a test in a namespace with an operator of its own.
///
/// # Errors
/// The test's, or of what it needs.
pub async fn with_namespace(test: impl AsyncFnOnce(&Space) -> Result<()>) -> Result<()> {
    with_bare_namespace(async |space| {
        space.operator().install(1).await?;
        Box::pin(test(space)).await
    })
    .await
}

/// Run a test in a namespace with an operator of its own that also looks after StatefulClusters.
///
/// # Errors
/// The test's, or of what it needs.
pub async fn with_identities(test: impl AsyncFnOnce(&Space) -> Result<()>) -> Result<()> {
    with_bare_namespace(async |space| {
        installation::grant_identities(&space.client, &space.name).await?;
        space.operator().install(1).await?;
        Box::pin(test(space)).await
    })
    .await
}

/// Run a test in a namespace without an operator.
///
/// # Errors
/// The test's, or of what it needs.
pub async fn with_bare_namespace(test: impl AsyncFnOnce(&Space) -> Result<()>) -> Result<()> {
    let client = cluster::client().await?;
    cluster::prepare(&client).await?;
    let space = Space::create(client).await?;
    // Tests are long: on the heap they do not make the futures of their callers large.
    let outcome = AssertUnwindSafe(Box::pin(test(&space))).catch_unwind().await;
    let why = match &outcome {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(format!("{error:#}")),
        Err(_) => Some("it panicked".to_owned()),
    };
    if let Some(why) = &why {
        aftermath::tell(&space, why).await;
    }
    // What cannot be removed is told by the namespace that stays; the test's own outcome says more.
    if why.is_none() || std::env::var_os("RSS_E2E_KEEP").is_none() {
        space.remove().await.ok();
    }
    outcome.unwrap_or_else(|panic| resume_unwind(panic))
}
