//! `recovery.rehearsalInterval`: members are asked while they run, and a condition says what would become of a lights-out.

use planner::observation::Command;
use serde_json::{Value, json};

use crate::policies::is;
use crate::scene::{Scene, condition, status};
use crate::server::ApiServer;

/// A set with this under `recovery`, that is begun.
async fn begun(recovery: Value) -> Scene {
    let mut scene = Scene::new().await;
    scene.server.change("replicatedstatefulsets", "x", |set| set["spec"]["recovery"] = recovery);
    scene.begin();
    scene
}

#[tokio::test]
async fn a_set_that_is_well_is_asked_while_it_runs_and_told_whether_it_would_be_brought_back() {
    let mut scene = begun(json!({"rehearsalInterval": "1h"})).await;
    scene.begins(Command::Seed).await;
    let asked = scene.begins(Command::Rehearse).await;
    assert!(is_unasked(&asked.set), "before it was asked nobody could say");
    let ready = |server: &ApiServer| is(server, "RecoveryReady", "True", "WouldRecover");
    scene.becomes("it would be brought back", ready).await;
    assert!(condition(&scene.server, "RecoveryReady")["message"].to_string().contains("rss-x-0"));
    assert_eq!(status(&scene.server)["memory"]["holders"][0]["reading"], Value::Null, "it is no reading");
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["spec"]["recovery"] = json!({"rehearsalInterval": "1h", "mode": "PlanOnly"});
    });
    let held = |server: &ApiServer| is(server, "RecoveryReady", "False", "PlannedOnly");
    scene.becomes("a person would be waited for", held).await;
    let told = |server: &ApiServer| {
        server.wrote(|write| {
            let note = write.body["note"].as_str().unwrap_or_default();
            let is_so = note.starts_with("RecoveryReady is False (PlannedOnly): if all members stopped now");
            write.body["reason"] == "WouldNotRecover" && write.body["type"] == "Warning" && is_so
        })
    };
    scene.becomes("that is told when it turns so", told).await;
    scene.server.change("replicatedstatefulsets", "x", |set| set["spec"]["recovery"] = json!({}));
    let gone = |server: &ApiServer| condition(server, "RecoveryReady").is_null();
    scene.becomes("nobody wants to know", gone).await;
    assert!(scene.begun().iter().all(|purpose| purpose.as_str() != "Rehearse"), "it was asked once");
}

/// Whether the status said then that nobody was asked, or that nobody served.
fn is_unasked(set: &Value) -> bool {
    let conditions = set["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let said = conditions.iter().find(|condition| condition["type"] == "RecoveryReady");
    said.is_some_and(|said| said["status"] == "Unknown")
}
