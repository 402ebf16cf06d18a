//! What stands beside the pods: the governing service, and the templates that they have.

use serde_json::{Value, json};

use super::{
    begin, begun, begun_without_kubelets, change_spec, claims, condition, holds, is_settled, kubelets,
};
use super::{name, status};
use crate::scene::Scene;
use crate::server::{ApiServer, Write};

fn is_event(write: &Write, reason: &str) -> bool {
    write.plural == "events" && write.body["reason"] == reason
}

#[tokio::test]
async fn pods_do_without_a_service_that_cannot_be_made_and_that_is_told() {
    let scene = Scene::new().await;
    scene.server.deny(|write| write.verb == "create" && write.plural == "services");
    begin(&scene, json!({"serviceName": "peers"}));
    tokio::spawn(kubelets(scene.server.clone()));
    scene.becomes("three are ready", |server| is_settled(server, 3) && claims(server).len() == 3).await;
    let is_told = |server: &ApiServer| holds(server, "ChildrenFailed") == [json!("peers")];
    scene.becomes("it is told", is_told).await;
    assert_eq!(condition(&scene.server, "Stalled")["reason"], "ChildrenFailed");
    let is_said = |server: &ApiServer| server.wrote(|write| is_event(write, "ChildrenFailed"));
    scene.becomes("people are told", is_said).await;
    scene.server.deny(|_| false);
    let is_made = |server: &ApiServer| server.get("services", "peers").is_some() && !is_told(server);
    scene.becomes("it is made", is_made).await;
}

#[tokio::test]
async fn a_service_that_somebody_deleted_is_made_again() {
    let scene = begun(json!({"serviceName": "peers"})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
    scene.server.remove("services", "peers");
    change_spec(&scene.server, |spec| spec["replicas"] = json!(2));
    scene.becomes("it is there", |server| server.get("services", "peers").is_some()).await;
}

#[tokio::test]
async fn nothing_is_done_with_a_template_that_cannot_be_kept() {
    let scene = Scene::new().await;
    scene.server.deny(|write| write.verb == "create" && write.plural == "controllerrevisions");
    begin(&scene, json!({"serviceName": "peers"}));
    // The last thing of a round.
    let is_said = |server: &ApiServer| server.wrote(|write| is_event(write, "ChildrenFailed"));
    scene.becomes("people are told", is_said).await;
    assert_eq!(holds(&scene.server, "ChildrenFailed").len(), 1);
    assert!(!scene.server.wrote(|write| write.plural == "pods"));
    assert!(scene.server.get("services", "peers").is_some(), "what does not need it is made");
    scene.server.deny(|_| false);
    tokio::spawn(kubelets(scene.server.clone()));
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
}

#[tokio::test]
async fn events_tell_of_nothing_that_was_not_done() {
    let scene = begun_without_kubelets(json!({})).await;
    scene.server.refuse(|write| write.verb == "create" && write.plural == "pods");
    scene.becomes("it is waited for", |server| holds(server, "CreationUnknown").len() == 3).await;
    assert!(!scene.server.wrote(|write| is_event(write, "IdentityGiven")));
    assert!(scene.server.wrote(|write| is_event(write, "StepFailed")));
}

#[tokio::test]
async fn a_template_that_has_the_name_of_anothers_is_kept_under_one_of_its_own() {
    let first = begun(json!({})).await;
    first.becomes("three are ready", |server| is_settled(server, 3)).await;
    let mut others = first.server.all("controllerrevisions").remove(0);
    let taken = name(&others).to_owned();
    others["metadata"]["ownerReferences"][0]["uid"] = json!("somebody");
    others["data"] = json!({});

    let scene = Scene::new().await;
    scene.server.put(&format!("/apis/apps/v1/namespaces/shop/controllerrevisions/{taken}"), others.clone());
    begin(&scene, json!({}));
    tokio::spawn(kubelets(scene.server.clone()));
    let own = format!("{taken}-c0");
    let is_ours =
        |server: &ApiServer| is_settled(server, 3) && status(server)["updateRevision"] == json!(own);
    scene.becomes("three are ready", is_ours).await;
    let kept = scene.server.get("controllerrevisions", &own).expect("it is kept");
    let image = |template: &Value| template["spec"]["containers"][0]["image"].clone();
    let wanted = scene.server.get("statefulclusters", "coder").expect("it is there");
    assert_eq!(image(&kept["data"]["spec"]["template"]), image(&wanted["spec"]["template"]));
    let untouched = scene.server.get("controllerrevisions", &taken).expect("it is another's");
    assert_eq!(untouched["data"], others["data"]);
}
