//! Waiting for what can be seen.

use std::fmt::Debug;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use kube::runtime::wait::await_condition;
use kube::{Api, Resource};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep, timeout};

/// Ends a test that will never succeed. A recovery takes seconds; on two loaded cores ten times that,
/// and some repairs wait a minute for the kubelet first.
pub const DEADLINE: Duration = Duration::from_secs(300);

/// Between two questions where there is nothing to watch.
const PAUSE: Duration = Duration::from_millis(300);

/// Watch an object until it is as is asked, and return it; `None` where its absence was asked for.
///
/// # Errors
/// If it is not so within the deadline, or the watch fails.
pub async fn until<K>(
    api: &Api<K>,
    name: &str,
    what: &str,
    condition: impl Fn(Option<&K>) -> bool,
) -> Result<Option<K>>
where
    K: Clone + Debug + Send + DeserializeOwned + Resource + 'static,
{
    let seen = timeout(DEADLINE, Box::pin(await_condition(api.clone(), name, condition))).await;
    let seen = seen.with_context(|| format!("{name}: not within {DEADLINE:?}: {what}"))?;
    seen.with_context(|| format!("{name}: {what}"))
}

/// Ask until the answer is yes. A question that fails is asked again: pods come and go meanwhile.
///
/// # Errors
/// If there is none within the deadline; with the last failure.
pub async fn asked(what: &str, mut question: impl AsyncFnMut() -> Result<bool>) -> Result<()> {
    let begun = Instant::now();
    let mut failure = None;
    while begun.elapsed() < DEADLINE {
        // A stream whose pod vanished may never end.
        match timeout(DEADLINE / 10, Box::pin(question())).await {
            Ok(Ok(true)) => return Ok(()),
            Ok(Ok(false)) => failure = None,
            Ok(Err(error)) => failure = Some(error),
            Err(_) => failure = Some(anyhow::anyhow!("no answer")),
        }
        sleep(PAUSE).await;
    }
    match failure {
        Some(error) => Err(error.context(format!("not within {DEADLINE:?}: {what}"))),
        None => bail!("not within {DEADLINE:?}: {what}"),
    }
}
