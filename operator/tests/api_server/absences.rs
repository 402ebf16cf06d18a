//! Members that the cluster lets nobody make.

use k8s_openapi::jiff::Timestamp;
use planner::observation::Command;
use serde_json::json;

use crate::scene::{Scene, status};
use crate::server::ApiServer;

const QUOTA: &str =
    "create Pod rss-x-0 in StatefulSet rss-x failed error: pods \"rss-x-0\" is forbidden: exceeded quota: q";

/// The only member has lost its pod, and this is what an event of the StatefulSet says.
async fn without_pod(scene: &Scene) {
    scene.becomes("the workload is made", |server| server.get("statefulsets", "rss-x").is_some()).await;
    let workload = scene.server.get("statefulsets", "rss-x").expect("it is there");
    let event = json!({"metadata": {"name": "e", "namespace": "shop"}, "type": "Warning", "reason": "FailedCreate",
        "involvedObject": {"uid": workload["metadata"]["uid"]}, "message": QUOTA,
        "lastTimestamp": Timestamp::now().to_string()});
    scene.server.put("/api/v1/namespaces/shop/events/e", event);
    scene.server.remove("pods", "rss-x-0");
}

fn says(server: &ApiServer, words: &str) -> bool {
    let status = status(server);
    let mut messages =
        status["holds"].as_array().into_iter().flatten().map(|hold| hold["message"].to_string());
    messages.any(|message| message.contains(words))
}

#[tokio::test]
async fn a_quota_that_keeps_a_pod_from_being_made_is_named() {
    let mut scene = Scene::new().await;
    scene.begin();
    scene.begins(Command::Seed).await;
    without_pod(&scene).await;
    scene.becomes("the hold names the quota", |server| says(server, "exceeded quota: q")).await;
    let holds = status(&scene.server)["holds"].as_array().cloned().unwrap_or_default();
    let open = holds.iter().find(|hold| hold["reason"] == "StartOpen").expect("what was started may run");
    assert!(open["cause"].as_str().is_some_and(|cause| cause.contains("exceeded quota")), "{open}");
    assert!(open["keys"].is_null(), "the quota is corrected first: {open}");
}

#[tokio::test]
async fn without_the_right_to_list_events_the_set_is_looked_after_as_ever() {
    let mut scene = Scene::new().await;
    scene.server.forbid("events");
    scene.begin();
    without_pod(&scene).await;
    scene.becomes("events were asked for", |server| server.listed().contains("events")).await;
    scene.becomes("the hold says what is known", |server| says(server, "there is no pod")).await;
    let mut pod = crate::scene::pod();
    pod["metadata"]["uid"] = json!("p1");
    scene.server.put("/api/v1/namespaces/shop/pods/rss-x-0", pod);
    scene.becomes("the member is looked after", |server| !says(server, "there is no pod")).await;
}
