//! Pods of which the operator is told late.

use planner::observation::Command;
use serde_json::{Value, json};

use crate::scene::{Scene, record_of, status, write_open_start};
use crate::server::ApiServer;

/// So often the pod is asked for that a look has ended with it at least once.
const LOOKS: usize = 2;

fn runs(server: &ApiServer, uid: &str, container: &str) {
    server.change("pods", "rss-x-0", |pod| {
        pod["metadata"]["uid"] = json!(uid);
        pod["status"]["containerStatuses"][0]["containerID"] = json!(container);
    });
}

fn is_asked_for(server: &ApiServer) -> bool {
    server.asked("pods", "rss-x-0") >= LOOKS
}

fn open(claim: &Value) -> Vec<Value> {
    record_of(claim)["open"].as_array().cloned().unwrap_or_default()
}

#[tokio::test]
async fn a_start_is_promised_for_the_container_of_now_and_not_for_that_of_a_watch_that_is_late() {
    for (uid, container) in [("p0", "c://9"), ("p9", "c://9")] {
        let scene = Scene::new().await;
        // As far as the watch tells, nothing is to be done before the start.
        scene.server.change("pods", "rss-x-0", |pod| {
            pod["metadata"]["labels"]["rss-active-member"] = json!("false");
            pod["metadata"]["labels"]["clusterlabs.org/role"] = json!("stopped");
        });
        let mut scene = scene.begun_behind("pods", |server| runs(server, uid, container)).await;
        scene.becomes("the pod is asked for", is_asked_for).await;
        scene.server.mute(None);
        let seed = scene.begins(Command::Seed).await;
        let places: Vec<_> = open(&seed.claim)
            .iter()
            .map(|start| (start["pod"].clone(), start["container"].clone()))
            .collect();
        assert_eq!(places, [(json!(uid), json!(container))]);
    }
}

#[tokio::test]
async fn the_word_of_a_member_closes_no_start_of_the_one_before_it() {
    let scene = Scene::new().await;
    runs(&scene.server, "p0", "c://p0");
    write_open_start(&scene.server, "p0", ("n0", "b0"), "Unasked");
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["spec"]["recovery"] = json!({"forcedDeletion": "Hold"});
    });
    let mut scene = scene.begun_behind("pods", |server| runs(server, "p9", "c://p9")).await;
    scene.becomes("the pod is asked for", is_asked_for).await;
    scene.server.mute(None);
    let holds = |server: &ApiServer| status(server)["holds"].to_string().contains("StartOpen");
    scene.becomes("the set waits for it", holds).await;
    let claim = scene.server.get("persistentvolumeclaims", "data-rss-x-0").expect("it is there");
    assert_eq!(open(&claim).len(), 1);
    assert!(!scene.begun().iter().any(|purpose| purpose.as_str() == "Seed"));
}
