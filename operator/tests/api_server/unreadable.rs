//! A resource that does not follow its definition.

use serde_json::json;

use crate::scene::{Scene, condition, status};
use crate::server::Write;

#[tokio::test]
async fn a_resource_that_cannot_be_read_is_told_which_field_it_is_and_nothing_else_is_touched() {
    let mut scene = Scene::new().await;
    let told = |kind: &str| {
        json!({"type": kind, "status": "True", "reason": "Well", "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z"})
    };
    let memory = json!({"epoch": {"number": 3}, "of another release": true});
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["spec"]["pod"]["commands"]["stop"] = json!({"command": "not a list"});
        set["status"] =
            json!({"memory": memory, "replicas": 1, "conditions": [told("Ready"), told("PolicyReady")]});
    });
    scene.begin();
    scene.becomes("it is told", |server| condition(server, "Accepted")["status"] == "False").await;
    let accepted = condition(&scene.server, "Accepted");
    assert_eq!(accepted["reason"], "InvalidSpec");
    let message = accepted["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("spec.pod.commands.stop.command: invalid type"), "{message}");
    assert_eq!(condition(&scene.server, "Stalled")["status"], "True");
    assert_eq!(condition(&scene.server, "Ready")["status"], "Unknown", "nobody looks at its members");
    assert_eq!(condition(&scene.server, "PolicyReady"), told("PolicyReady"), "what was known stays");
    assert_eq!(status(&scene.server)["memory"], memory);
    let writes = scene.server.writes();
    let of_status: Vec<&Write> = writes.iter().filter(|write| write.plural != "events").collect();
    assert_eq!(of_status.len(), 1, "{of_status:?}");
    let sent: Vec<_> = of_status[0].body["status"].as_object().expect("a status").keys().cloned().collect();
    assert_eq!(of_status[0].name, "x/status");
    assert_eq!(sent, ["conditions", "observedGeneration", "ready", "reason"]);
    assert_eq!(scene.begun(), []);
}
