//! The readiness gate of a pod, from the start of the operator on.

use planner::observation::Command;
use serde_json::json;

use crate::scene::{Scene, condition};
use crate::server::ApiServer;

/// The pod has the gate.
async fn gated() -> Scene {
    let scene = Scene::new().await;
    scene.server.change("pods", "rss-x-0", |pod| {
        pod["spec"]["readinessGates"] = json!([{"conditionType": "clusterlabs.org/serving"}]);
    });
    scene
}

/// The status of the gate's condition; none: it was never written.
fn gate(server: &ApiServer) -> Option<String> {
    let pod = server.get("pods", "rss-x-0")?;
    let mut conditions = pod["status"]["conditions"].as_array()?.iter();
    let gate = conditions.find(|condition| condition["type"] == "clusterlabs.org/serving")?;
    gate["status"].as_str().map(str::to_owned)
}

#[tokio::test]
async fn the_gate_of_a_pod_opens_when_its_member_serves_and_closes_when_it_stops() {
    let mut scene = gated().await;
    scene.begin();
    scene.begins(Command::Seed).await;
    scene.becomes("the gate is open", |server| gate(server).as_deref() == Some("True")).await;
    let label = |server: &ApiServer| {
        server
            .get("pods", "rss-x-0")
            .is_some_and(|pod| pod["metadata"]["labels"]["rss-active-member"] == "true")
    };
    assert!(label(&scene.server), "the label came first");
    scene.all_stop();
    scene.becomes("the gate is closed", |server| gate(server).as_deref() == Some("False")).await;
}

#[tokio::test]
async fn a_gate_that_cannot_be_written_keeps_nobody_from_serving_and_is_told() {
    let mut scene = gated().await;
    scene.server.deny(|write| write.name == "rss-x-0/status");
    scene.begin();
    scene.begins(Command::Seed).await;
    let is_told = |server: &ApiServer| condition(server, "Stalled")["reason"] == "ReadinessFailed";
    scene.becomes("it is told", is_told).await;
    assert_eq!(condition(&scene.server, "Ready")["status"], "True", "the member serves");
    assert!(
        condition(&scene.server, "Stalled")["message"]
            .as_str()
            .is_some_and(|text| text.contains("pod rss-x-0"))
    );
    scene.server.refuse(|_| false);
    scene.becomes("the gate is open", |server| gate(server).as_deref() == Some("True")).await;
    scene
        .becomes("nobody is asked any more", |server| condition(server, "Stalled")["status"] == "False")
        .await;
}
