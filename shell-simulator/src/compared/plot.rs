//! What befalls a set that stands, and is told twice.

use std::time::Duration;

use serde_json::json;

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
}

use Plot::{
    AnotherTemplate, Approved, Birth, ContainerEnds, DatabaseEnds, LightsOut, NodeLost, Paused, PodDeleted,
    StatusLost, ThereAndBack,
};

pub(super) const PLOTS: [Plot; 11] = [
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
];

// === impl Plot ===

impl Plot {
    /// Whether the first member ends, which the others may follow, and they do not.
    pub(super) fn takes_the_first(self) -> bool {
        matches!(self, NodeLost | DatabaseEnds | ContainerEnds | AnotherTemplate)
    }
}

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
        NodeLost | DatabaseEnds | ContainerEnds | PodDeleted => befall_one(story, plot),
    }
    story.settles().await
}

/// Long enough for the power to be back.
async fn lights_out(story: &mut Story) {
    story.server.befall(|cluster| cluster.cut_all_power(10_000));
    story.operators.passes(Duration::from_secs(12)).await;
}

fn befall_one(story: &Story, plot: Plot) {
    story.server.befall(|cluster| {
        let pods = cluster.pods();
        match (plot, pods.values().next(), pods.values().next_back()) {
            (NodeLost, ..) => cluster.cut_power(0, 10_000),
            (DatabaseEnds, Some(first), _) => cluster.kill_database(&first.uid),
            (ContainerEnds, Some(first), _) => cluster.crash_container(&first.uid),
            (_, _, Some(last)) => cluster.delete_pod(&last.uid, None),
            _ => {}
        }
    });
}
