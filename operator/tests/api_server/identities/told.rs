//! What people are told of what was not done, and what is counted.

use std::time::Duration;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use operator::cluster::Clusters;
use operator::context::Context;
use serde_json::json;
use stateful_cluster::audit::{Breach, Rule};
use tokio::sync::watch;

use super::{
    CLUSTERS, asked_for, begun, begun_without_kubelets, change_spec, claims, coder, condition, holds,
    is_settled, kubelets, names, pods, status,
};
use crate::scene::{Scene, for_ever};
use crate::server::ApiServer;

#[tokio::test]
async fn pods_whose_claims_are_refused_are_told_and_go_when_fewer_are_wanted() {
    let scene = begun(json!({})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3) && claims(server).len() == 3).await;
    let before = names(&pods(&scene.server));
    scene.server.deny(|write| write.verb == "create" && write.plural == "persistentvolumeclaims");
    change_spec(&scene.server, |spec| spec["replicas"] = json!(5));
    let is_told = |server: &ApiServer| holds(server, "ClaimRefused").len() == 2 && pods(server).len() == 5;
    scene.becomes("it is told", is_told).await;
    change_spec(&scene.server, |spec| spec["replicas"] = json!(3));
    let are_gone = |server: &ApiServer| names(&pods(server)) == before;
    scene.becomes("they are gone", are_gone).await;
    scene.becomes("it is told no more", |server| holds(server, "ClaimRefused").is_empty()).await;
}

#[tokio::test]
async fn a_budget_that_is_spent_tells_one_time_at_which_it_is_no_more() {
    let scene = begun(json!({"replacement": {"budget": 1}})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
    let remove = |server: &ApiServer| {
        let all = names(&pods(server));
        server.remove("pods", all.first().expect("a pod"));
    };
    remove(&scene.server);
    let is_replaced = |server: &ApiServer| {
        is_settled(server, 3)
            && status(server)["memory"]["spent"].as_array().is_some_and(|all| all.len() == 1)
    };
    scene.becomes("another takes its place", is_replaced).await;
    remove(&scene.server);
    scene.becomes("it is told", |server| holds(server, "BudgetSpent").len() == 1).await;
    let message = |server: &ApiServer| condition(server, "Reconciling")["message"].to_string();
    let said = message(&scene.server);
    let time = said.split("the next one is at ").nth(1).and_then(|rest| rest.split(',').next());
    let time: Timestamp = time.and_then(|time| time.parse().ok()).expect(&said);
    let (now, hour) = (Timestamp::now(), SignedDuration::from_secs(3600));
    assert!(time > now && time.duration_since(now) <= hour + SignedDuration::from_secs(1), "{said}");
    change_spec(&scene.server, |spec| spec["progressDeadlineSeconds"] = json!(700));
    scene.becomes("it is looked at again", |server| status(server)["observedGeneration"] == 2).await;
    assert_eq!(message(&scene.server), said);
}

#[tokio::test]
async fn a_plan_that_the_audit_refuses_is_told_and_not_followed() {
    let scene = Scene::new().await;
    scene.server.put(&format!("{CLUSTERS}/coder"), coder(json!({})));
    let refuses = |_: &_, _: &_, _: &_| Err(vec![Breach { rule: Rule::Room, identity: None }]);
    let clusters = Clusters::new(&scene.context.clients.reads, &[]).audited(refuses);
    tokio::spawn(clusters.run(scene.context.clone()));
    let is_told = |server: &ApiServer| condition(server, "Stalled")["reason"] == "Breach";
    scene.becomes("it is told", is_told).await;
    assert!(asked_for(&scene.server.writes()).is_empty());
    assert!(status(&scene.server)["memory"]["given"].as_object().expect("names").is_empty());
}

#[tokio::test]
async fn what_cannot_be_acted_on_is_told_by_its_field() {
    let scene = begun(json!({"replicas": -1})).await;
    let is_told = |server: &ApiServer| condition(server, "Accepted")["status"] == "False";
    scene.becomes("it is told", is_told).await;
    let message = condition(&scene.server, "Accepted")["message"].clone();
    assert!(message.as_str().expect("words").contains("spec.replicas: "), "{message}");
    assert!(pods(&scene.server).is_empty());
}

#[tokio::test]
async fn one_that_is_being_deleted_says_so_and_who_is_waited_for() {
    let scene = begun(json!({})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
    scene.server.change("statefulclusters", "coder", |cluster| {
        cluster["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        cluster["metadata"]["finalizers"] = json!(["orphan", "example.com/backup"]);
    });
    scene.becomes("it is told", |server| status(server)["reason"] == "Deleting").await;
    for (kind, expected) in [("Ready", "False"), ("Reconciling", "True"), ("Stalled", "False")] {
        let found = condition(&scene.server, kind);
        assert_eq!((&found["status"], &found["reason"]), (&json!(expected), &json!("Deleting")), "{kind}");
        let message = found["message"].as_str().expect("words");
        assert!(message.ends_with(": orphan, example.com/backup"), "{message}");
    }
    assert!(status(&scene.server)["memory"].is_object(), "what was promised is kept");
}

#[tokio::test]
async fn an_operator_that_may_not_see_the_resource_ends_when_it_is_told_to() {
    let scene = Scene::new().await;
    scene.server.forbid("statefulclusters");
    let (says, leads) = watch::channel(for_ever());
    let clusters = Clusters::new(&scene.context.clients.reads, &[]);
    let running = tokio::spawn(clusters.run(Context { leads, ..scene.context.clone() }));
    scene.becomes("it asks", |server| server.listed().contains("statefulclusters")).await;
    drop(says);
    let ended = tokio::time::timeout(Duration::from_secs(20), running).await;
    ended.expect("it does not end").expect("no panic");
}

#[tokio::test]
async fn steps_and_holds_are_counted_by_their_names_while_they_last() {
    let scene = begun_without_kubelets(json!({})).await;
    let says = |line: &str| scene.context.metrics.text().contains(line);
    let holds = r#"rss_holds{controller="statefulcluster",reason="PodStarting"}"#;
    let starts = |server: &ApiServer| {
        let status = status(server);
        status["holds"].as_array().is_some_and(|holds| holds.len() == 3) && claims(server).len() == 3
    };
    scene.becomes("three start", starts).await;
    assert!(says(&format!("{holds} 3")), "what the status tells was counted before");
    for step in ["CreatePod", "CreateClaim"] {
        assert!(
            says(&format!(r#"rss_steps_total{{controller="statefulcluster",step="{step}"}} 3"#)),
            "{step}"
        );
    }
    tokio::spawn(kubelets(scene.server.clone()));
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
    assert!(says(&format!("{holds} 0")));
}
