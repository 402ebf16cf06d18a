//! Templates that the API server takes no pod of, and how they are kept.

use serde_json::json;

use super::{begun, change_spec, condition, holds, is_settled, names, pods};
use crate::server::{ApiServer, Write};

#[tokio::test]
async fn a_template_whose_pods_are_refused_is_told_and_taken_back() {
    let make: fn(&Write) -> bool = |write| write.verb == "create" && write.plural == "pods";
    let change: fn(&Write) -> bool = |write| write.verb == "strategic" && write.plural == "pods";
    for (refused, field, bad) in [(make, "args", json!(["bad"])), (change, "image", json!("bad"))] {
        let scene = begun(json!({"progressDeadlineSeconds": 1})).await;
        scene.becomes("three are ready", |server| is_settled(server, 3)).await;
        let before = names(&pods(&scene.server));
        scene.server.deny(refused);
        change_spec(&scene.server, |spec| spec["template"]["spec"]["containers"][0][field] = bad);
        scene.becomes("it is told", |server| holds(server, "PodRefused").len() == 1).await;
        let is_taken_back = |server: &ApiServer| holds(server, "TakenBack").len() == 1;
        scene.becomes("it is taken back", is_taken_back).await;
        scene.becomes("it is told no more", |server| holds(server, "PodRefused").is_empty()).await;
        let said = condition(&scene.server, "Stalled")["message"].to_string();
        assert_eq!(said.contains("(image of coder-stateful: bad)"), field == "image", "{said}");
        assert!(said.contains("(the API server refused its pods: event StepFailed says why)"), "{said}");
        assert_eq!(names(&pods(&scene.server)), before, "{field}");
    }
}

#[tokio::test]
async fn a_template_is_kept_in_the_bytes_that_the_api_server_itself_would_write() {
    let command = json!(["sh", "-c", "a > b && c < d"]);
    let template = json!({"spec": {"containers": [{"name": "a", "image": "a", "command": command}]}});
    let scene = begun(json!({"template": template})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
    let writes = scene.server.writes();
    let kept = writes.iter().find(|write| write.plural == "controllerrevisions").expect("it is kept");
    assert!(kept.raw.contains(r"a \u003e b \u0026\u0026 c \u003c d"), "{}", kept.raw);
    assert!(!kept.raw.contains(['<', '>', '&']), "{}", kept.raw);
    assert_eq!(kept.body["data"]["spec"]["template"]["spec"]["containers"][0]["command"], command);
}
