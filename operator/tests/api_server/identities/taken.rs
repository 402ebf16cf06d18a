//! Names of identities that pods have which are not of the resource.

use serde_json::{Value, json};

use super::{begun, change_spec, claims, holds, is_settled, name, pods, status};
use crate::scene::Scene;
use crate::server::ApiServer;

/// What becomes of a pod behind everyone's back.
type Change = fn(&mut Value);

fn is_orphaned(pod: &mut Value) {
    pod["metadata"]["ownerReferences"] = Value::Null;
}

/// Three of which an owner has given up nobody; one of them has no pod of ours any more, but another one its name.
async fn with_one_whose_name_is_taken(change: Change) -> (Scene, String) {
    let scene = begun(json!({"replacement": {"released": []}})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3) && claims(server).len() == 3).await;
    let all = pods(&scene.server);
    let (mut pod, gone) = (all[0].clone(), name(&all[0]).to_owned());
    scene.server.writes();
    change(&mut pod);
    pod["status"] = json!({"phase": "Failed"});
    scene.server.remove("pods", &gone);
    scene.server.put(&format!("/api/v1/namespaces/shop/pods/{gone}"), pod);
    scene.becomes("it is told", |server| holds(server, "NameTaken") == [json!(gone)]).await;
    (scene, gone)
}

fn is_back(server: &ApiServer, gone: &str) -> bool {
    let is_running = |pod: Value| pod["status"]["phase"] == "Running";
    is_settled(server, 3) && server.get("pods", gone).is_some_and(is_running) && claims(server).len() == 3
}

#[tokio::test]
async fn a_pod_that_is_none_of_ours_is_left_alone_and_whoever_has_its_name_comes_back_once_it_is_gone() {
    let cases: [(&str, Change); 3] = [
        ("it was left by its owner", is_orphaned),
        ("it has lost its label", |pod| {
            pod["metadata"]["labels"].as_object_mut().expect("labels").remove("enge.me/identity");
        }),
        ("it is somebody's", |pod| {
            is_orphaned(pod);
            pod["metadata"]["labels"] = json!({});
        }),
    ];
    for (sentence, change) in cases {
        let (scene, gone) = with_one_whose_name_is_taken(change).await;
        let told = status(&scene.server);
        assert_eq!((&told["replicas"], &told["reason"]), (&json!(2), &json!("NameTaken")), "{sentence}");
        assert!(!scene.server.wrote(|write| write.plural == "pods"), "{sentence}");
        scene.server.remove("pods", &gone);
        // What has no label of ours no watch tells of.
        change_spec(&scene.server, |spec| spec["replacement"]["budget"] = json!(5));
        scene.becomes("it is back", |server| is_back(server, &gone)).await;
    }
}

#[tokio::test]
async fn what_becomes_of_a_pod_that_was_left_is_seen_at_once() {
    let (scene, gone) = with_one_whose_name_is_taken(is_orphaned).await;
    scene.server.change("pods", &gone, |pod| {
        pod["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    });
    let ends = |server: &ApiServer| {
        holds(server, "PodLeaving") == [json!(gone)] && holds(server, "NameTaken").is_empty()
    };
    scene.becomes("it ends", ends).await;
    scene.server.remove("pods", &gone);
    scene.becomes("it is back", |server| is_back(server, &gone)).await;
}
