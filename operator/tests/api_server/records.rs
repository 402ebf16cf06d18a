//! Claims of which the operator is told late.

use serde_json::json;

use crate::scene::{Scene, status, write_record};
use crate::server::ApiServer;

/// What is known of the data on a claim, on which nothing runs.
fn write_rest(server: &ApiServer, replica: &str, claim: &str, waived: bool) {
    let record = json!({"holder": {"claims": [claim]}, "replica": replica, "epoch": {"number": 1}, "confirmed": 1,
        "joining": false, "starts": 1, "waived": waived, "left": false, "lockBusy": false, "ended": false});
    write_record(server, replica, &record);
}

#[tokio::test]
async fn a_seed_is_promised_on_what_claims_tell_now_and_not_on_what_a_watch_that_is_late_tells() {
    let scene = Scene::new().await;
    scene.put_another_member();
    scene.server.remove("pods", "rss-x-1");
    write_rest(&scene.server, "rss-x-0", "k0", false);
    // Who led before saw the second one run, so that it is not given up any more; nothing else is to be written there.
    write_rest(&scene.server, "rss-x-1", "k1", true);
    let now = |server: &ApiServer| write_rest(server, "rss-x-1", "k1", false);
    let mut scene = scene.begun_behind("persistentvolumeclaims", now).await;
    let waits = |server: &ApiServer| {
        let holds = status(server)["holds"].as_array().cloned().unwrap_or_default();
        holds.iter().any(|hold| (&hold["scope"], &hold["reason"]) == (&json!("rss-x-1"), &json!("Unread")))
    };
    scene.becomes("the set waits for the second", waits).await;
    assert!(!scene.begun().iter().any(|purpose| purpose.as_str() == "Seed"));
    scene.server.mute(None);
}
