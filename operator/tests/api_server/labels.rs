//! The labels by which services, the budget and the workload find a pod.

use planner::observation::Command;
use serde_json::Value;

use crate::scene::Scene;
use crate::server::ApiServer;

fn labels(server: &ApiServer) -> Value {
    server.get("pods", "rss-x-0").map(|pod| pod["metadata"]["labels"].clone()).unwrap_or_default()
}

#[tokio::test]
async fn a_label_that_somebody_takes_away_from_a_pod_is_restored() {
    let mut scene = Scene::new().await;
    scene.begin();
    scene.begins(Command::Seed).await;
    scene.server.change("pods", "rss-x-0", |pod| {
        pod["metadata"]["labels"].as_object_mut().expect("it has labels").remove("app");
    });
    scene.becomes("the pod has its label again", |server| labels(server)["app"] == "x").await;
    let is_reported = |event: &Value| {
        event["reason"] == "LabelsRestored"
            && event["note"].as_str().is_some_and(|note| note.contains("app=x of pod rss-x-0"))
    };
    scene.becomes("an event names the label", |server| server.all("events").iter().any(is_reported)).await;
}
