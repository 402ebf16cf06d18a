//! The same of a set on a StatefulCluster, where others take the places of those that are lost, and sizes change.

use std::time::Duration;

use planner::target::Failover;
use simulator::{Chance, Cluster, Options, Positions};
use tokio::time::sleep;

use super::blow::befall;
use super::{goes_wrong, on_a_clock_that_jumps, options};
use crate::story::Story;
use crate::tally::Tally;
use crate::watches::Watches;

/// What may be told late.
const WATCHED: [&str; 5] =
    ["pods", "nodes", "persistentvolumeclaims", "statefulclusters", "replicatedstatefulsets"];

/// After so many seconds another takes the place of who is lost. An identity whose request is not known to have been
/// heard is given up after 90.
const REPLACED_AFTER: u64 = 120;
/// No machine is without power for longer, in seconds.
const LONGEST: u64 = 1200;

/// Tells the story of a seed, on a clock that jumps.
///
/// # Errors
/// With all that happened, if a law was broken, it never came to rest, or it is not well whatever a person allows.
///
/// # Panics
/// If there is no runtime to be had.
pub fn tell_on_identities(seed: u64) -> Result<Tally, String> {
    on_a_clock_that_jumps(told(seed))
}

async fn told(seed: u64) -> Result<Tally, String> {
    let mut chance = Chance::new(seed ^ 0x706c_6163_6573);
    let options = kind(&mut chance);
    let watches = Watches::draw(&mut chance, WATCHED);
    let mut story = Story::on_identities(seed, options, REPLACED_AFTER, watches);
    let faults = goes_wrong(&mut story, &mut chance, befalls).await?;
    story.rests().await?;
    // All machines have power again, and who is back goes, or is needed.
    story.operators.passes(Duration::from_secs(LONGEST)).await;
    let keys = story.settles_with_help(&mut chance).await?;
    Ok(story.tally(faults, keys))
}

/// Positions are histories, for what is known as a bare number is owed for ever.
fn kind(chance: &mut Chance) -> Options {
    let failover = [Failover::AllowLoss, Failover::AllowLoss, Failover::NoKnownLoss][chance.index(3)];
    Options { failover, positions: Positions::Monotonic, ..options(chance) }
}

/// The machine of one of the pods is without power for so many seconds, and clients go on.
fn lose_machine(cluster: &mut Cluster, at: usize, seconds: u64) {
    let pods: Vec<_> = cluster.pods().into_values().collect();
    let node = pods.get(at % pods.len().max(1)).and_then(|pod| pod.node.clone());
    let at = cluster.nodes().into_keys().position(|name| Some(name) == node);
    cluster.write(2);
    at.into_iter().for_each(|machine| cluster.cut_power(machine, seconds * 1000));
    cluster.write(2);
}

/// Whether a fault did: another size is none.
async fn befalls(story: &Story, chance: &mut Chance) -> bool {
    match chance.below(3) {
        0 => befall(story, chance).await,
        1 => {
            let (at, dark) = (chance.index(60), chance.between(REPLACED_AFTER, LONGEST));
            story.server.befall(|cluster| lose_machine(cluster, at, dark));
            // Often for so long that another takes the place.
            let passes = if chance.one_in(3) { 0 } else { REPLACED_AFTER + 60 };
            sleep(Duration::from_secs(passes)).await;
            true
        }
        _ => {
            story.resize(u32::try_from(chance.between(1, 5)).unwrap_or(1));
            false
        }
    }
}
