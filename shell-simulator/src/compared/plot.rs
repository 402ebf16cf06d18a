//! What befalls a set that stands, and is told twice.

use std::time::Duration;

use serde_json::json;
use simulator::Cluster;

use super::Kind;
use crate::story::{IMAGE, Story};

/// What befalls a set that stands, or what is wanted of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Plot {
    /// Nothing but its birth.
    Birth,
    /// All nodes lose their power.
    LightsOut,
    /// The same, and the status was lost before.
    StatusLost,
    /// One node does.
    NodeLost,
    /// The database of the first member ends, its container does not.
    DatabaseEnds,
    /// The first member's container ends.
    ContainerEnds,
    /// The last member's pod is deleted.
    PodDeleted,
    /// One member more, and then one less.
    ThereAndBack,
    /// Its pods are to be made from another template.
    AnotherTemplate,
    /// All nodes lose their power while the set is paused, which ends once they have it again.
    Paused,
    /// All nodes lose their power, and a person is asked before the set goes on.
    Approved,
    /// One node loses its power, clients go on, and then all do: who seeds is not whoever is asked first.
    ByAndBy,
    /// The last one does, clients go on, and then the first one does, which the others may follow.
    OneLags,
}

use Plot::{
    AnotherTemplate, Approved, Birth, ByAndBy, ContainerEnds, DatabaseEnds, LightsOut, NodeLost, OneLags,
    Paused, PodDeleted, StatusLost, ThereAndBack,
};

pub(super) const PLOTS: [Plot; 13] = [
    Birth,
    LightsOut,
    StatusLost,
    NodeLost,
    DatabaseEnds,
    ContainerEnds,
    PodDeleted,
    ThereAndBack,
    AnotherTemplate,
    Paused,
    Approved,
    ByAndBy,
    OneLags,
];

// === impl Plot ===

impl Plot {
    /// Whether something befalls the set; else something is wanted of it.
    pub(super) fn is_fault(self) -> bool {
        !matches!(self, Birth | ThereAndBack | AnotherTemplate)
    }

    /// Whether the first member ends, which the others may follow, and they do not.
    pub(super) fn takes_the_first(self) -> bool {
        matches!(self, NodeLost | DatabaseEnds | ContainerEnds | AnotherTemplate | OneLags)
    }
}

/// For so many milliseconds a machine is without power.
const DARK: u64 = 10_000;

/// Tells the plot of a set of that kind, from its birth until it settles after it.
pub(super) async fn tell(story: &mut Story, (replicas, has_secondary, plot): Kind) -> Result<(), String> {
    story.settles().await?;
    let primaries = |replicas: u32| if has_secondary { 1 } else { replicas };
    match plot {
        Birth => return Ok(()),
        LightsOut => lights_out(story).await,
        StatusLost => {
            story.erase_status();
            lights_out(story).await;
        }
        ThereAndBack => {
            story.want(replicas + 1, primaries(replicas + 1));
            story.settles().await?;
            story.want(replicas, primaries(replicas));
        }
        AnotherTemplate => story.specify(IMAGE, json!("db:2")),
        Paused => {
            story.specify("/paused", json!(true));
            lights_out(story).await;
            story.operators.passes(Duration::from_secs(60)).await;
            story.specify("/paused", json!(false));
        }
        Approved => {
            story.specify("/recovery/mode", json!("Ask"));
            lights_out(story).await;
            story.settles_with(|keys| keys.iter().position(|key| key.starts_with("Approve"))).await?;
        }
        ByAndBy => {
            // Where others follow, the first one leads.
            let behind = if has_secondary { replicas as usize - 1 } else { 0 };
            story.server.befall(|cluster| lags(cluster, behind));
            lights_out(story).await;
        }
        OneLags => story.server.befall(|cluster| {
            lags(cluster, replicas as usize - 1);
            cluster.cut_power(0, DARK);
        }),
        NodeLost | DatabaseEnds | ContainerEnds | PodDeleted => befall_one(story, plot),
    }
    story.settles().await
}

/// A machine goes dark, and clients go on without it.
fn lags(cluster: &mut Cluster, machine: usize) {
    cluster.cut_power(machine, DARK);
    cluster.write(3);
}

/// Long enough for the power to be back.
async fn lights_out(story: &mut Story) {
    story.server.befall(|cluster| cluster.cut_all_power(DARK));
    story.operators.passes(Duration::from_secs(12)).await;
}

fn befall_one(story: &Story, plot: Plot) {
    story.server.befall(|cluster| {
        let pods = cluster.pods();
        match (plot, pods.values().next(), pods.values().next_back()) {
            (NodeLost, ..) => cluster.cut_power(0, DARK),
            (DatabaseEnds, Some(first), _) => drop(cluster.kill_database(&first.uid)),
            (ContainerEnds, Some(first), _) => cluster.crash_container(&first.uid),
            (_, _, Some(last)) => cluster.delete_pod(&last.uid, None),
            _ => {}
        }
    });
}
