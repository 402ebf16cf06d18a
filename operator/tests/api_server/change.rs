//! Another policy decides from now on, in the middle of what the one before it began.

use planner::measure::Measure;
use planner::memory::{Memory, Outage};
use planner::observation::Command;
use planner::position::Position;
use planner::record::{HolderId, Record};
use planner::start::{Lock, Start, StartKind};
use serde_json::json;

use crate::policies::until_event;
use crate::scene::{Scene, status};

/// A seed by the word of a component, which came up, took the volume lock, and was never seen to run.
fn seeding() -> Memory {
    let mut record = Record::new(HolderId::Claims(vec!["k0".into()]), "rss-x-0".into(), Default::default());
    record.starts = 1;
    record.open.push(Start {
        attempt: "a".into(),
        kind: StartKind::Seed,
        pod: "p0".into(),
        container: "c://0".into(),
        node: "n0".into(),
        boot: "b0".into(),
        lock: Lock::Held,
        confirmed: false,
        began: true,
        ended: true,
        said: "exit 1".into(),
        joining_before: false,
        opens: true,
        from: Some(Position::Ordinal(9)),
        measure: Measure { outage: 1, reader: Some("another".into()) },
    });
    let holders = [(record.holder.clone(), record)].into();
    Memory { holders, outage: Some(Outage::default()), outages: 1, ..Memory::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seed_that_came_to_nothing_is_over_also_if_another_policy_decides_by_now() {
    let mut scene = Scene::new().await;
    scene.server.change("replicatedstatefulsets", "x", |set| {
        let digest = format!("sha256:{}", "ab".repeat(32));
        set["status"] = json!({"policy": {"digest": digest, "kept": true}, "memory": seeding()});
    });
    scene.begin();
    let read = scene.begins(Command::Read).await;
    assert!(
        read.call.container.pod.0 == "rss-x-0",
        "it is read under the lock, which tells that the seed is over"
    );
    scene.begins(Command::Seed).await;
    scene.becomes("an epoch begins", |server| status(server)["epoch"] == 1).await;
    let base = status(&scene.server)["memory"]["epoch"]["base"].clone();
    assert_eq!(base["position"], json!({"ordinal": 7}), "what the policy that decides now read: {base}");
    until_event(&scene, "PolicyActive", "").await;
}
