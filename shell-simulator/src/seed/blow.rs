//! What befalls a set, drawn by the seed.

use std::time::Duration;

use serde_json::json;
use simulator::{Chance, Cluster};
use tokio::time::advance;

use crate::story::{IMAGE, Story};

/// One blow to the set, or to what is wanted of it. Clients go on where they can. False: no fault came of it.
pub(super) async fn befall(story: &Story, chance: &mut Chance) -> bool {
    match chance.below(16) {
        0 => story.erase_status(),
        1 => advance(Duration::from_secs(chance.between(1, 3600))).await,
        2 => {
            story.specify(IMAGE, json!(format!("db:{}", chance.below(3))));
            return false;
        }
        kind => {
            let (at, dark) = (chance.index(5), chance.between(2000, 120_000));
            let writes = u32::try_from(chance.below(4)).unwrap_or(0);
            return story.server.act(|state| {
                let is_struck = match kind {
                    // Whoever makes pods by name makes their claims, too.
                    15 if state.is_host() => false,
                    kind => strike(&mut state.cluster, kind, (at, dark), writes),
                };
                state.cluster.write(writes);
                is_struck
            });
        }
    }
    true
}

/// `dark`: for so many milliseconds, where it ends by itself.
fn strike(cluster: &mut Cluster, kind: u64, (at, dark): (usize, u64), writes: u32) -> bool {
    let pods: Vec<_> = cluster.pods().into_values().map(|pod| pod.uid).collect();
    let pod = pods.get(at % pods.len().max(1));
    let machine = at % cluster.machines();
    match (kind, pod) {
        (3, _) => cluster.cut_all_power(dark),
        (4 | 5, _) => {
            // What one lacks that went before the others.
            cluster.cut_power(machine, dark);
            cluster.write(writes);
            cluster.cut_all_power(dark);
        }
        (6, _) => cluster.cut_power(machine, dark),
        (7, _) => cluster.cut_off(machine, dark),
        (8 | 9, Some(pod)) => return cluster.kill_database(pod),
        (10, Some(pod)) => cluster.crash_container(pod),
        (11, Some(pod)) => cluster.delete_pod(pod, None),
        (12, Some(pod)) => return cluster.freeze_database(pod),
        (13, Some(pod)) => return cluster.break_database(pod),
        (15, Some(_)) => return cluster.lose_claim(u32::try_from(at % pods.len()).unwrap_or(0)),
        // There it would outlive any grace period.
        (14, Some(pod)) if !cluster.is_cut_off(pod) => cluster.force_delete(pod),
        _ => return false,
    }
    true
}
