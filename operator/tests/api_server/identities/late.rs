//! Caches that are behind what the API server has.

use serde_json::{Value, json};

use super::{begun, begun_without_kubelets, claims, holds, is_settled, name, names, pods, status};
use crate::scene::Scene;
use crate::server::ApiServer;

/// A node of which the API server says whether it is heard.
fn put_node(server: &ApiServer, name: &str, ready: &str) {
    let mut node = server.get("nodes", "n0").expect("the node");
    node["metadata"] = json!({"name": name, "uid": name});
    node["status"]["conditions"][0]["status"] = json!(ready);
    server.put(&format!("/api/v1/nodes/{name}"), node);
}

/// Three pods; the first of them is on a node of its own, of which nothing is heard.
async fn with_one_on_a_silent_node(unheard_after: &str) -> (Scene, String) {
    let scene = begun(json!({"replacement": {"unheardAfter": unheard_after}})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
    let lost = names(&pods(&scene.server)).first().expect("a pod").clone();
    put_node(&scene.server, "n1", "Unknown");
    scene.server.change("pods", &lost, |pod| pod["spec"]["nodeName"] = json!("n1"));
    scene.becomes("it is told", |server| holds(server, "NodeUnheard") == [json!(lost)]).await;
    (scene, lost)
}

fn touched_pods(server: &ApiServer) -> bool {
    server.wrote(|write| write.plural == "pods" && matches!(write.verb, "strategic" | "delete"))
}

#[tokio::test]
async fn a_node_that_is_heard_again_is_not_given_up_by_who_has_not_heard_of_it_yet() {
    let (scene, lost) = with_one_on_a_silent_node("2s").await;
    scene.server.mute(Some("nodes"));
    put_node(&scene.server, "n1", "True");
    // The watch tells nothing: what is available is what the API server said when it was asked.
    let is_well = |server: &ApiServer| status(server)["availableReplicas"] == 3;
    scene.becomes("it is found well", is_well).await;
    assert!(!touched_pods(&scene.server) && names(&pods(&scene.server)).contains(&lost));
}

#[tokio::test]
async fn where_no_node_is_heard_nobody_is_given_up() {
    let (scene, _) = with_one_on_a_silent_node("1s").await;
    scene.server.mute(Some("nodes"));
    put_node(&scene.server, "n0", "Unknown");
    let is_dark = |server: &ApiServer| !holds(server, "NoNodeHeard").is_empty();
    scene.becomes("it is told, though the watch does not say so", is_dark).await;
    assert!(!touched_pods(&scene.server));
    scene.server.mute(None);
    scene.becomes("all of them are silent", |server| status(server)["availableReplicas"] == 0).await;
    assert!(!touched_pods(&scene.server));
    put_node(&scene.server, "n0", "True");
    put_node(&scene.server, "n1", "True");
    scene.becomes("all are heard again", |server| is_settled(server, 3) && !is_dark(server)).await;
    assert!(!touched_pods(&scene.server));
}

#[tokio::test]
async fn where_an_owner_decides_a_claim_that_is_not_in_the_cache_keeps_its_place_too() {
    let scene = begun_without_kubelets(json!({"replacement": {"released": []}})).await;
    scene
        .becomes("the claims are watched", |server| server.watched().contains("persistentvolumeclaims"))
        .await;
    scene.server.mute(Some("persistentvolumeclaims"));
    tokio::spawn(super::kubelets(scene.server.clone()));
    scene.becomes("three are ready", |server| is_settled(server, 3) && claims(server).len() == 3).await;
    let all = pods(&scene.server);
    let gone = name(&all[0]);
    scene.server.remove("pods", gone);
    scene.becomes("it is back", |server| is_settled(server, 3)).await;
    let now: Vec<Value> = pods(&scene.server);
    assert_eq!(names(&now), names(&all), "nobody has its place");
}
