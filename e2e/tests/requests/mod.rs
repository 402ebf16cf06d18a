//! The rules in memory beside those of a real API server: both are told the same requests, and what differs is a fault of
//! the rules. The real one is that of `RSS_KUBECONFIG`, or of the context `RSS_CONTEXT` of your own kubeconfig, and there is
//! no other; `cargo xtask test --only e2e` and `cargo xtask soak --part requests` bring it. No operator, kubelet or volume
//! is needed.
#![expect(clippy::print_stderr, reason = "long runs are told as they go")]

mod asked;
mod chance;
mod compare;
mod seen;
mod sequence;
mod sides;
mod space;
mod universe;

use anyhow::{Context, Result};

/// Where to begin, and how many.
const FROM: &str = "RSS_SEQUENCES_FROM";
const COUNT: &str = "RSS_SEQUENCES_COUNT";
/// Without a wish.
const FEW: u64 = 20;
/// So many requests of a sequence can be asked at least, as sequences are on the average.
const OF_ONE: u64 = 20;

fn number(name: &str, otherwise: u64) -> Result<u64> {
    std::env::var(name).map_or(Ok(otherwise), |text| text.parse().with_context(|| format!("{name}={text}")))
}

#[tokio::test]
async fn the_rules_answer_as_a_real_api_server_does() -> Result<()> {
    let real = space::connect().await?;
    let namespace = space::make(&real).await?;
    let (from, sequences) = (number(FROM, 1)?, number(COUNT, FEW)?);
    let (mut requests, mut told) = (0, Vec::new());
    for seed in from..from + sequences {
        match Box::pin(compare::compare(&real, &namespace, seed)).await {
            Ok(asked) => requests += asked,
            Err(error) => told.push(format!("sequence {seed} is answered otherwise:\n{error:#}")),
        }
    }
    space::remove(&real, &namespace).await?;
    eprintln!("sequences {from} to {}: {requests} requests answered alike", from + sequences - 1);
    anyhow::ensure!(told.is_empty(), "{}", told.join("\n\n"));
    anyhow::ensure!(
        requests >= sequences * OF_ONE,
        "{requests} requests are too few for {sequences} sequences"
    );
    Ok(())
}
