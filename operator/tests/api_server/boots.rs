//! Nodes of which the operator is told late.

use planner::observation::Command;
use serde_json::{Value, json};

use crate::scene::{Scene, record_of, status, write_open_start};
use crate::server::ApiServer;

fn starts_anew(server: &ApiServer, boot: &str) {
    server.change("nodes", "n0", |node| node["status"]["nodeInfo"]["bootID"] = json!(boot));
}

/// An operator that has begun, and knows of boot `b0` alone: what becomes of the node then no watch tells.
async fn behind(scene: Scene, then: impl FnOnce(&ApiServer)) -> Scene {
    scene.begun_behind("nodes", then).await
}

/// The boots of the starts that are open on the claim.
fn boots(claim: &Value) -> Vec<String> {
    let record = record_of(claim);
    let open = record["open"].as_array().into_iter().flatten();
    open.filter_map(|start| start["boot"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn a_start_is_promised_with_the_boot_of_now_and_not_with_that_of_a_watch_that_is_late() {
    let mut scene = behind(Scene::new().await, |server| starts_anew(server, "b1")).await;
    assert_eq!(boots(&scene.begins(Command::Seed).await.claim), ["b1"]);
}

#[tokio::test]
async fn a_watch_that_is_late_closes_no_start_of_the_boot_of_now() {
    let scene = Scene::new().await;
    write_open_start(&scene.server, "p-gone", ("n0", "b1"), "Unasked");
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["spec"]["recovery"] = json!({"forcedDeletion": "Hold"});
    });
    let mut scene = behind(scene, |server| starts_anew(server, "b1")).await;
    let holds = |server: &ApiServer| status(server)["holds"].to_string().contains("StartOpen");
    scene.becomes("the set waits for it", holds).await;
    assert_eq!(scene.begun().len(), 0, "nothing is begun beside it");
    starts_anew(&scene.server, "b2");
    scene.server.mute(None);
    scene.begins(Command::Seed).await;
}

#[tokio::test]
async fn on_a_node_that_the_api_server_does_not_tell_of_a_start_is_promised_with_no_boot() {
    let mut scene = behind(Scene::new().await, |server| server.remove("nodes", "n0")).await;
    assert_eq!(boots(&scene.begins(Command::Seed).await.claim), [""]);
}
