//! A StatefulCluster, its operator, and kubelets that make every pod ready.

mod beside;
mod installations;
mod late;
mod owned;
mod taken;
mod templates;
mod told;

use std::collections::BTreeSet;

use operator::cluster::Clusters;
use serde_json::{Value, json};

use crate::scene::Scene;
use crate::server::{ApiServer, Write};

const CLUSTERS: &str = "/apis/enge.me/v1alpha1/namespaces/shop/statefulclusters";

/// The ancestor's own example, with more in its spec.
fn coder(more: Value) -> Value {
    let text = include_str!("../fixtures/coder.yaml");
    let mut cluster: Value = serde_saphyr::from_str(text).expect("a fixture is YAML");
    cluster["metadata"] = json!({"name": "coder", "namespace": "shop", "uid": "c0", "generation": 1});
    for (key, value) in more.as_object().expect("fields") {
        cluster["spec"][key] = value.clone();
    }
    cluster
}

/// The operator looks after the example.
async fn begun(more: Value) -> Scene {
    let scene = begun_without_kubelets(more).await;
    tokio::spawn(kubelets(scene.server.clone()));
    scene
}

async fn begun_without_kubelets(more: Value) -> Scene {
    let scene = Scene::new().await;
    begin(&scene, more);
    scene
}

fn begin(scene: &Scene, more: Value) {
    scene.server.put(&format!("{CLUSTERS}/coder"), coder(more));
    let clusters = Clusters::new(&scene.context.clients.reads, &[]);
    tokio::spawn(clusters.run(scene.context.clone()));
}

/// Every pod whose claim is there gets the one node, and is ready.
async fn kubelets(server: ApiServer) {
    let new = |server: &ApiServer| {
        let claims = names(&claims(server));
        let may_start = |pod: &Value| claims.contains(&format!("data-{}", name(pod)));
        pods(server).into_iter().find(|pod| pod["spec"]["nodeName"].is_null() && may_start(pod))
    };
    loop {
        server.becomes(|server| new(server).is_some()).await;
        let Some(pod) = new(&server) else { continue };
        server.change("pods", name(&pod), |pod| {
            pod["spec"]["nodeName"] = json!("n0");
            pod["status"] = json!({"phase": "Running", "conditions": [
                {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}]});
        });
    }
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().expect("a name")
}

/// The pods of the example.
fn pods(server: &ApiServer) -> Vec<Value> {
    let mut pods = server.all("pods");
    pods.retain(|pod| pod["metadata"]["labels"]["enge.me/identity"].is_string());
    pods
}

fn names(objects: &[Value]) -> BTreeSet<String> {
    objects.iter().map(|object| name(object).to_owned()).collect()
}

fn claims(server: &ApiServer) -> Vec<Value> {
    let mut claims = server.all("persistentvolumeclaims");
    claims.retain(|claim| claim["metadata"]["labels"]["enge.me/identity"].is_string());
    claims
}

fn status(server: &ApiServer) -> Value {
    server.get("statefulclusters", "coder").map(|cluster| cluster["status"].clone()).unwrap_or_default()
}

fn condition(server: &ApiServer, kind: &str) -> Value {
    let status = status(server);
    let mut conditions = status["conditions"].as_array().into_iter().flatten();
    conditions.find(|condition| condition["type"] == kind).cloned().unwrap_or_default()
}

fn is_settled(server: &ApiServer, replicas: usize) -> bool {
    status(server)["ready"] == format!("{replicas}/{replicas}") && pods(server).len() == replicas
}

fn change_spec(server: &ApiServer, change: impl FnOnce(&mut Value)) {
    server.change("statefulclusters", "coder", |cluster| {
        change(&mut cluster["spec"]);
        let generation = cluster["metadata"]["generation"].as_i64().expect("a number");
        cluster["metadata"]["generation"] = json!(generation + 1);
    });
}

/// The pods that were asked for, in their order.
fn asked_for(writes: &[Write]) -> Vec<String> {
    let births = writes.iter().filter(|write| write.verb == "create" && write.plural == "pods");
    births.map(|write| name(&write.body).to_owned()).collect()
}

#[tokio::test]
async fn the_ancestors_manifest_becomes_pods_each_with_a_claim_of_its_own() {
    let scene = begun(json!({"serviceName": "peers"})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3) && claims(server).len() == 3).await;
    for pod in pods(&scene.server) {
        let identity = name(&pod).to_owned();
        assert_eq!(identity.strip_prefix("coder-").map(str::len), Some(12), "{identity}");
        let labels = &pod["metadata"]["labels"];
        assert_eq!((labels["app"].as_str(), &labels["enge.me/identity"]), (Some("coder"), &json!(identity)));
        let claim = format!("data-{identity}");
        assert_eq!(pod["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"], json!(claim));
        let found = scene.server.get("persistentvolumeclaims", &claim).expect("its claim");
        assert_eq!(found["metadata"]["annotations"]["enge.me/pod-uid"], pod["metadata"]["uid"]);
        for (label, value) in [("app", "coder"), ("enge.me/statefulcluster", "coder")] {
            assert_eq!(found["metadata"]["labels"][label], value, "{label}");
        }
        assert_eq!(
            (&pod["spec"]["hostname"], &pod["spec"]["subdomain"]),
            (&json!(identity), &json!("peers"))
        );
    }
    let service = scene.server.get("services", "peers").expect("the governing service");
    assert_eq!(service["spec"]["clusterIP"], "None");
    assert_eq!(status(&scene.server)["selector"], "app=coder,enge.me/statefulcluster=coder");
    assert_eq!(scene.server.all("controllerrevisions").len(), 1);
}

#[tokio::test]
async fn an_identity_is_written_down_before_its_pod_is_asked_for() {
    let scene = begun(json!({})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
    let mut given = BTreeSet::new();
    for write in scene.server.writes() {
        if write.name == "coder/status" {
            let names = write.body["status"]["memory"]["given"].as_object().expect("names").keys().cloned();
            given.extend(names);
        }
        for identity in asked_for(std::slice::from_ref(&write)) {
            assert!(given.contains(&identity), "{identity} was not promised");
        }
    }
    assert_eq!(given.len(), 3);
}

#[tokio::test]
async fn a_pod_that_somebody_deleted_is_replaced_by_another_identity_and_its_claim_is_nobodys() {
    let scene = begun(json!({})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3) && claims(server).len() == 3).await;
    let before = names(&pods(&scene.server));
    let gone = before.first().expect("a pod").clone();
    scene.server.remove("pods", &gone);
    let is_back = |server: &ApiServer| is_settled(server, 3) && claims(server).len() == 4;
    scene.becomes("another takes its place", is_back).await;
    let after = names(&pods(&scene.server));
    assert!(!after.contains(&gone));
    assert_eq!(before.intersection(&after).count(), 2, "the others stay");
    let new = after.difference(&before).next().expect("another one");
    let note = format!("{new} takes the place of {gone}: its pod was deleted");
    let is_told = |server: &ApiServer| {
        server.wrote(|write| write.plural == "events" && write.body["note"] == note.as_str())
    };
    scene.becomes("it is told", is_told).await;
    let mounts = pods(&scene.server).iter().map(ToString::to_string).collect::<String>();
    assert!(!mounts.contains(&format!("data-{gone}")));
}

#[tokio::test]
async fn an_image_is_changed_in_the_pods_that_live() {
    let scene = begun(json!({})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
    let before = names(&pods(&scene.server));
    change_spec(&scene.server, |spec| spec["template"]["spec"]["containers"][0]["image"] = json!("new"));
    let is_new = |pod: &Value| pod["spec"]["containers"][0]["image"] == "new";
    scene.becomes("all have it", |server| pods(server).iter().all(is_new)).await;
    assert_eq!(names(&pods(&scene.server)), before);
    scene.becomes("it is told", |server| status(server)["updatedReplicas"] == 3).await;
    assert!(!scene.server.wrote(|write| write.verb == "delete" && write.plural == "pods"));
    let kept = scene.server.all("controllerrevisions");
    assert_eq!(kept.len(), 2, "the former template is kept");
}

#[tokio::test]
async fn another_command_needs_other_identities_one_after_the_other() {
    let scene = begun(json!({})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
    let before = names(&pods(&scene.server));
    change_spec(&scene.server, |spec| spec["template"]["spec"]["containers"][0]["args"] = json!(["new"]));
    let is_done = |server: &ApiServer| {
        let status = status(server);
        is_settled(server, 3) && status["observedGeneration"] == 2 && status["updatedReplicas"] == 3
    };
    scene.becomes("all have it", is_done).await;
    assert!(names(&pods(&scene.server)).is_disjoint(&before));
    assert_eq!(asked_for(&scene.server.writes()).len(), 6);
}

#[tokio::test]
async fn a_request_without_an_answer_is_never_sent_again() {
    let scene = begun_without_kubelets(json!({})).await;
    scene.server.refuse(|write| write.verb == "create" && write.plural == "pods");
    let waits = |server: &ApiServer| {
        let status = status(server);
        let holds = status["holds"].as_array().into_iter().flatten();
        holds.filter(|hold| hold["reason"] == "CreationUnknown").count() == 3
    };
    scene.becomes("what was not answered is waited for", waits).await;
    let asked = asked_for(&scene.server.writes());
    assert_eq!(asked.iter().collect::<BTreeSet<_>>().len(), asked.len(), "{asked:?}");
    assert_eq!(asked.len(), 3);
}

#[tokio::test]
async fn a_pod_on_a_lost_node_is_set_aside_and_then_deleted_and_never_by_force() {
    let scene = begun(json!({"replacement": {"unheardAfter": "1s"}})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
    let lost = names(&pods(&scene.server)).first().expect("a pod").clone();
    let mut node = scene.server.get("nodes", "n0").expect("the node");
    node["metadata"] = json!({"name": "n1", "uid": "n1"});
    node["status"]["conditions"][0]["status"] = json!("Unknown");
    scene.server.put("/api/v1/nodes/n1", node);
    scene.server.writes();
    scene.server.change("pods", &lost, |pod| pod["spec"]["nodeName"] = json!("n1"));
    let is_replaced = |server: &ApiServer| is_settled(server, 3) && !names(&pods(server)).contains(&lost);
    scene.becomes("another takes its place", is_replaced).await;
    let writes = scene.server.writes();
    let of_lost: Vec<_> =
        writes.iter().filter(|write| write.plural == "pods" && write.name == lost).collect();
    assert_eq!(of_lost.iter().map(|write| write.verb).collect::<Vec<_>>(), ["strategic", "delete"]);
    assert_eq!(of_lost[0].body["metadata"]["labels"]["app"], Value::Null);
    assert!(of_lost[1].body["preconditions"]["uid"].is_string());
    assert!(of_lost[1].body.get("gracePeriodSeconds").is_none());
}

#[tokio::test]
async fn claims_of_those_that_were_removed_follow_the_retention_policy() {
    let policy = json!({"persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete"}});
    let scene = begun(policy).await;
    scene.becomes("three are ready", |server| is_settled(server, 3) && claims(server).len() == 3).await;
    change_spec(&scene.server, |spec| spec["replicas"] = json!(1));
    scene.becomes("one is left", |server| is_settled(server, 1) && claims(server).len() == 1).await;
    let left = pods(&scene.server);
    assert_eq!(names(&claims(&scene.server)), BTreeSet::from([format!("data-{}", name(&left[0]))]));
    let bound = |write: &Write| write.verb != "delete" || write.body["preconditions"]["uid"].is_string();
    assert!(scene.server.writes().iter().all(bound));
}

#[tokio::test]
async fn whoever_a_person_marked_goes_first() {
    let scene = begun(json!({})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
    for expected in [2, 1] {
        let marked = names(&pods(&scene.server)).first().expect("a pod").clone();
        scene.server.change("pods", &marked, |pod| {
            pod["metadata"]["annotations"]["enge.me/remove-first"] = json!("true");
        });
        change_spec(&scene.server, |spec| spec["replicas"] = json!(expected));
        scene.becomes("there are fewer", |server| is_settled(server, expected)).await;
        assert!(!names(&pods(&scene.server)).contains(&marked));
    }
}

/// The blockers of holds of one kind.
fn holds(server: &ApiServer, reason: &str) -> Vec<Value> {
    let status = status(server);
    let holds = status["holds"].as_array().into_iter().flatten();
    holds.filter(|hold| hold["reason"] == reason).map(|hold| hold["blocker"].clone()).collect()
}

#[tokio::test]
async fn a_new_operator_goes_on_where_the_one_before_it_ended() {
    let scene = begun(json!({})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
    let before = names(&pods(&scene.server));
    let clusters = Clusters::new(&scene.context.clients.reads, &[]);
    tokio::spawn(clusters.run(scene.context.clone()));
    change_spec(&scene.server, |spec| spec["replicas"] = json!(5));
    scene.becomes("five are ready", |server| is_settled(server, 5)).await;
    assert!(names(&pods(&scene.server)).is_superset(&before));
}

#[tokio::test]
async fn the_next_pod_gets_a_new_image_only_when_the_one_before_runs_it() {
    let scene = begun(json!({})).await;
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
    let runs = |pod: &str, image: &str, id: &str| {
        scene.server.change("pods", pod, |pod| {
            pod["status"]["containerStatuses"] = json!([{"name": "coder-stateful", "image": image, "imageID": "",
                "containerID": id, "ready": true, "restartCount": 0, "state": {"running": {}}}]);
        });
    };
    let all = names(&pods(&scene.server));
    all.iter().for_each(|pod| runs(pod, "docker.io/codercom/code-server:latest", &format!("c://{pod}")));
    change_spec(&scene.server, |spec| spec["template"]["spec"]["containers"][0]["image"] = json!("new"));
    let is_new = |pod: &&Value| pod["spec"]["containers"][0]["image"] == "new";
    for done in 1..=3 {
        let waits = |server: &ApiServer| {
            let status = status(server);
            status["updatedReplicas"] == done && status["availableReplicas"] == 2
        };
        scene.becomes("one restarts, and the others wait", waits).await;
        let restarting: Vec<_> = pods(&scene.server).iter().filter(is_new).cloned().collect();
        assert_eq!(restarting.len(), done);
        restarting.iter().for_each(|pod| runs(name(pod), "new", &format!("c://new-{}", name(pod))));
    }
    scene.becomes("all run it", |server| is_settled(server, 3)).await;
    assert_eq!(names(&pods(&scene.server)), all);
}
