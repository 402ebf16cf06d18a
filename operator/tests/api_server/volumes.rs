//! Volumes that were detached from a lost node.

use planner::observation::Command;
use serde_json::{Value, json};

use crate::scene::{Scene, status, write_open_start};
use crate::server::ApiServer;

type Arrange = fn(&ApiServer);

/// The member was started on a node that is gone, with its pod, and the resource says what detaching proves.
async fn lost(detached_volume: &str) -> Scene {
    let scene = Scene::new().await;
    write_open_start(&scene.server, "p-lost", ("lost", "b"), "Held");
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["spec"]["recovery"] = json!({"forcedDeletion": "Hold", "detachedVolume": detached_volume});
    });
    volume(&scene.server, json!({"csi": {"driver": "disk.example.org", "volumeHandle": "1"}}));
    driver(&scene.server, json!({}));
    scene
}

fn volume(server: &ApiServer, spec: Value) {
    server.put("/api/v1/persistentvolumes/pv0", json!({"metadata": {"name": "pv0"}, "spec": spec}));
}

fn driver(server: &ApiServer, spec: Value) {
    let driver = json!({"metadata": {"name": "disk.example.org"}, "spec": spec});
    server.put("/apis/storage.k8s.io/v1/csidrivers/disk.example.org", driver);
}

fn attach(server: &ApiServer, node: &str) {
    let spec =
        json!({"attacher": "disk.example.org", "nodeName": node, "source": {"persistentVolumeName": "pv0"}});
    let attachment = json!({"metadata": {"name": node}, "spec": spec});
    server.put(&format!("/apis/storage.k8s.io/v1/volumeattachments/{node}"), attachment);
}

async fn waits_for_the_start(scene: &mut Scene, because: &str) {
    let holds = |server: &ApiServer| status(server)["holds"].to_string().contains("StartOpen");
    scene.becomes(&format!("the set waits, for {because}"), holds).await;
    assert_eq!(scene.begun().len(), 0, "nothing is begun beside it");
}

#[tokio::test]
async fn a_volume_that_was_detached_from_the_lost_node_closes_the_start_there() {
    let mut scene = lost("Closed").await;
    attach(&scene.server, "n0");
    scene.begin();
    scene.begins(Command::Seed).await;
}

#[tokio::test]
async fn only_a_missing_attachment_of_a_volume_that_would_have_one_proves_that() {
    let cases: [(&str, Arrange); 5] = [
        ("it is attached there", |server| attach(server, "lost")),
        ("it is a path of the node", |server| volume(server, json!({"hostPath": {"path": "/data"}}))),
        ("its driver attaches nothing", |server| driver(server, json!({"attachRequired": false}))),
        ("its driver is not known", |server| {
            let spec = json!({"csi": {"driver": "other.example.org", "volumeHandle": "1"}});
            volume(server, spec);
        }),
        ("it is not known which volume it is", |server| {
            server.change("persistentvolumeclaims", "data-rss-x-0", |claim| claim["spec"] = json!({}));
        }),
    ];
    for (sentence, arrange) in cases {
        let mut scene = lost("Closed").await;
        arrange(&scene.server);
        scene.begin();
        waits_for_the_start(&mut scene, sentence).await;
    }
}

#[tokio::test]
async fn attachments_that_may_not_be_listed_prove_nothing() {
    let mut scene = lost("Closed").await;
    scene.server.forbid("volumeattachments");
    scene.begin();
    waits_for_the_start(&mut scene, "nothing was learnt").await;
}

#[tokio::test]
async fn nobody_is_asked_where_it_is_no_proof() {
    let mut scene = lost("Hold").await;
    scene.begin();
    waits_for_the_start(&mut scene, "that proves nothing").await;
    assert!(!scene.server.listed().contains("volumeattachments"));
}
