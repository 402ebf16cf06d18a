//! `recovery.mode`: a person is asked before a set goes on.

use planner::observation::Command;
use serde_json::json;

use crate::policies::holds;
use crate::scene::{Scene, status};
use crate::server::ApiServer;

/// A set that served in an epoch, and lies still.
async fn dark(mode: &str) -> Scene {
    let scene = Scene::new().await;
    let record =
        json!({"holder": {"claims": ["k0"]}, "replica": "rss-x-0", "epoch": {"number": 1}, "confirmed": 1});
    scene.server.change("persistentvolumeclaims", "data-rss-x-0", |claim| {
        claim["metadata"]["annotations"] = json!({"clusterlabs.org/record": record.to_string()});
    });
    scene.server.change("replicatedstatefulsets", "x", |set| set["spec"]["recovery"] = json!({"mode": mode}));
    scene
}

/// The key that the set waits for.
fn offered(server: &ApiServer) -> Option<String> {
    let holds = status(server)["holds"].as_array().cloned().unwrap_or_default();
    let hold = holds.iter().find(|hold| hold["reason"] == "AwaitsApproval")?;
    hold["keys"][0].as_str().map(str::to_owned)
}

#[tokio::test]
async fn a_plan_is_told_with_its_key_and_begins_once_that_is_given() {
    let mut scene = dark("Ask").await;
    scene.begin();
    scene.begins(Command::Read).await;
    scene.becomes("the plan is told", |server| offered(server).is_some()).await;
    assert_eq!(scene.begun(), [], "and nothing else is begun");
    let key = offered(&scene.server).unwrap();
    assert!(key.starts_with("Approve/rss-x-0/"), "{key}");
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["metadata"]["annotations"] = json!({"clusterlabs.org/allow": key});
    });
    scene.begins(Command::Seed).await;
}

#[tokio::test]
async fn where_plans_are_only_told_no_key_is_offered() {
    let mut scene = dark("PlanOnly").await;
    scene.begin();
    scene.begins(Command::Read).await;
    scene.becomes("the plan is told", |server| holds(server, "PlannedOnly")).await;
    assert_eq!(status(&scene.server)["holds"][0]["keys"], json!(null));
    assert_eq!(scene.begun(), []);
}
