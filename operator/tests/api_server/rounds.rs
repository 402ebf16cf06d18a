//! Whole rounds: what is written before what is done, and that nothing is done where it cannot be written.

use planner::observation::Command;
use serde_json::{Value, json};

use crate::scene::{Scene, claim, condition, status};
use crate::server::{ApiServer, Write};

/// The attempts of all open starts in a text that remembers them.
fn open(record: &Value) -> Vec<String> {
    let starts = record["open"].as_array().into_iter().flatten();
    starts.filter_map(|start| start["attempt"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn a_start_stands_on_the_claim_and_in_the_status_before_it_is_sent() {
    let mut scene = Scene::new().await;
    scene.begin();
    let seed = scene.begins(Command::Seed).await;
    let record = seed.claim["metadata"]["annotations"]["clusterlabs.org/record"].as_str();
    let on_claim = open(&serde_json::from_str(record.expect("the claim has a record")).expect("JSON"));
    let in_status = open(&seed.set["status"]["memory"]["holders"][0]);
    assert_eq!((on_claim.len(), &on_claim), (1, &in_status));
    assert!(seed.call.argv.contains(&on_claim[0]), "{:?} is not {on_claim:?}", seed.call.argv);
}

/// A promise of a start: what first names it.
fn promises_on_claim(write: &Write) -> bool {
    write.plural == "persistentvolumeclaims" && write.body.to_string().contains(r#"\"kind\":\"Seed\""#)
}

fn promises_in_status(write: &Write) -> bool {
    write.name == "x/status" && write.body["status"]["memory"].to_string().contains(r#""kind":"Seed""#)
}

#[tokio::test]
async fn nothing_starts_while_the_promise_cannot_be_written() {
    for refused in [promises_on_claim, promises_in_status] {
        let mut scene = Scene::new().await;
        scene.server.refuse(refused);
        scene.begin();
        scene.begins(Command::Read).await;
        // The second try is a round of its own: the one before it was over.
        let mut tries = 0;
        while tries < 2 {
            scene.becomes("the promise is tried", |server| server.wrote(refused)).await;
            tries += scene.server.writes().into_iter().filter(refused).count();
        }
        assert_eq!(scene.begun(), [], "a start was sent that is written nowhere");
    }
}

#[tokio::test]
async fn a_status_that_cannot_be_read_is_no_empty_memory() {
    let mut scene = Scene::new().await;
    let memory = json!({"epoch": "three"});
    scene.server.change("replicatedstatefulsets", "x", |set| set["status"] = json!({"memory": memory}));
    scene.begin();
    scene.becomes("it is told", |server| condition(server, "Stalled")["status"] == "True").await;
    assert_eq!(condition(&scene.server, "Stalled")["reason"], "ObservationFailed");
    assert_eq!(status(&scene.server)["memory"], memory, "what may be mended by hand stays");
    assert_eq!(scene.begun(), []);
    let touched = |write: &Write| write.plural != "events" && write.name != "x/status";
    assert!(!scene.server.wrote(touched), "{:?}", scene.server.writes());
}

#[tokio::test]
async fn data_is_found_by_the_name_of_its_claim_alone() {
    let mut scene = Scene::new().await;
    let mut beyond = claim();
    beyond["metadata"]["name"] = json!("data-rss-x-2");
    beyond["metadata"]["uid"] = json!("k2");
    scene.server.put("/api/v1/namespaces/shop/persistentvolumeclaims/data-rss-x-2", beyond);
    scene.begin();
    let seen = |server: &ApiServer| status(server)["replicaStates"].as_array().map(Vec::len);
    scene.becomes("the set is told of", |server| seen(server).is_some()).await;
    assert_eq!(status(&scene.server)["replicaStates"][1]["name"], "rss-x-2");
}
