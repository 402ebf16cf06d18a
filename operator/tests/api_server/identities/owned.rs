//! Where an owner decides who goes.

use serde_json::{Value, json};

use super::{asked_for, begun, change_spec, claims, condition, holds, is_settled, names, pods};
use crate::server::ApiServer;

#[tokio::test]
async fn where_an_owner_decides_who_is_gone_or_ended_comes_back_to_its_claim_until_it_is_given_up() {
    let scene = begun(json!({"replacement": {"released": []},
        "persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete"}}))
    .await;
    scene.becomes("three are ready", |server| is_settled(server, 3) && claims(server).len() == 3).await;
    let all = names(&pods(&scene.server));
    let gone = all.first().expect("a pod").clone();
    let uid = |server: &ApiServer| server.get("pods", &gone).map(|pod| pod["metadata"]["uid"].clone());
    let is_another =
        |server: &ApiServer, before: &Option<Value>| uid(server).is_some() && uid(server) != *before;
    let first = uid(&scene.server);
    scene.server.remove("pods", &gone);
    scene.becomes("it is back", |server| is_settled(server, 3) && is_another(server, &first)).await;
    let second = uid(&scene.server);
    scene
        .server
        .change("pods", &gone, |pod| pod["status"] = json!({"phase": "Failed", "reason": "Terminated"}));
    scene.becomes("it is told", |server| holds(server, "PodEnded") == [json!(gone)]).await;
    scene.becomes("it is back again", |server| is_settled(server, 3) && is_another(server, &second)).await;
    assert_eq!((names(&pods(&scene.server)), claims(&scene.server).len()), (all, 3));
    assert_eq!(asked_for(&scene.server.writes()).len(), 5);
    change_spec(&scene.server, |spec| spec["replacement"]["released"] = json!([gone]));
    let is_back = |server: &ApiServer| is_settled(server, 3) && claims(server).len() == 3;
    let claim = format!("data-{gone}");
    let lost_it = |server: &ApiServer| !names(&claims(server)).contains(&claim);
    scene.becomes("another takes its place", |server| is_back(server) && lost_it(server)).await;
}

#[tokio::test]
async fn where_an_owner_decides_those_go_that_it_names_and_no_others() {
    let scene = begun(json!({"replacement": {"released": []}})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
    let all = names(&pods(&scene.server));
    change_spec(&scene.server, |spec| spec["replicas"] = json!(2));
    scene.becomes("it is told", |server| holds(server, "SurplusKept").len() == 1).await;
    assert_eq!(names(&pods(&scene.server)), all);
    let goes = all.iter().nth(1).expect("a pod").clone();
    change_spec(&scene.server, |spec| spec["replacement"]["released"] = json!([goes]));
    scene.becomes("it is gone", |server| is_settled(server, 2)).await;
    assert!(!names(&pods(&scene.server)).contains(&goes));
    change_spec(&scene.server, |spec| spec["template"]["spec"]["containers"][0]["image"] = json!("new"));
    let is_told = |server: &ApiServer| holds(server, "OwnerRollsOut").len() == 1;
    scene.becomes("the others keep their image", is_told).await;
    assert_eq!(condition(&scene.server, "Stalled")["status"], "False", "nobody but the owner is asked");
    assert_eq!(condition(&scene.server, "Reconciling")["reason"], "OwnerRollsOut");
    assert!(!scene.server.wrote(|write| write.verb == "strategic" && write.plural == "pods"));
}
