//! Whole rounds: what is written before what is done, and that nothing is done where it cannot be written.

use std::time::Duration;

use planner::audit::Rule;
use planner::observation::Command;
use planner::{Breach, Memory, Observation, Plan};
use serde_json::{Value, json};

use crate::scene::{Scene, claim, condition, pod, record_of, status};
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
    let on_claim = open(&record_of(&seed.claim));
    let in_status = open(&seed.set["status"]["memory"]["holders"][0]);
    assert_eq!((on_claim.len(), &on_claim), (1, &in_status));
    assert!(seed.call.argv.contains(&on_claim[0]), "{:?} is not {on_claim:?}", seed.call.argv);
}

#[tokio::test]
async fn a_command_has_the_time_that_the_resource_gives_it_and_no_more() {
    let mut scene = Scene::new().await;
    scene.server.change("replicatedstatefulsets", "x", |set| {
        let commands = &mut set["spec"]["pod"]["commands"];
        commands["sequence"]["timeout"] = json!("1s");
        commands["primary"]["timeout"] = json!("90m");
    });
    scene.begin();
    assert_eq!(scene.begins(Command::Read).await.call.deadline, Duration::from_secs(1));
    assert_eq!(scene.begins(Command::Seed).await.call.deadline, Duration::from_mins(90));
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

/// Half of a promise stands on claims when the status is written: with a conflict there a key of a person's would be used up.
#[tokio::test]
async fn what_others_write_beside_does_not_keep_a_promise_from_the_status() {
    let annotated = |server: &ApiServer| {
        server.change("replicatedstatefulsets", "x", |set| {
            set["metadata"]["annotations"]["of"] = json!("another")
        });
    };
    let mut scene = Scene::new().await.begun_behind("replicatedstatefulsets", annotated).await;
    scene.begins(Command::Seed).await;
}

/// Another process led a moment ago: what stands on claims would be of what it had written over.
#[tokio::test]
async fn nothing_is_promised_on_a_resource_that_wants_or_remembers_something_else_by_now() {
    let paused = |set: &mut Value| {
        (set["spec"]["paused"], set["metadata"]["generation"]) = (json!(true), json!(2));
    };
    let remembers =
        |set: &mut Value| set["status"] = json!({"memory": Memory { outages: 7, ..Memory::default() }});
    for change in [paused as fn(&mut Value), remembers] {
        let then = |server: &ApiServer| server.change("replicatedstatefulsets", "x", change);
        let mut scene = Scene::new().await.begun_behind("replicatedstatefulsets", then).await;
        let is_asked = |server: &ApiServer| server.asked("replicatedstatefulsets", "x") > 1;
        scene.becomes("the resource is asked for, twice", is_asked).await;
        let promised = |write: &Write| write.plural == "persistentvolumeclaims" || write.name == "x/status";
        assert!(!scene.server.wrote(promised), "{:?}", scene.server.writes());
        assert_eq!(scene.begun(), [], "what is decided on is not so any more");
    }
}

#[tokio::test]
async fn no_round_waits_for_an_event() {
    let mut scene = Scene::new().await;
    scene.server.stall("events");
    scene.begin();
    scene.becomes("it is well", |server| status(server)["phase"] == "Running").await;
    assert!(scene.server.wrote(|write| write.plural == "events"), "there was something to tell");
}

#[tokio::test]
async fn a_step_that_is_refused_again_and_again_is_told() {
    let mut scene = Scene::new().await;
    scene.server.deny(|write| write.plural == "pods");
    scene.begin();
    let is_told = |event: &Value| {
        event["reason"] == "StepFailed" && event["note"].as_str().is_some_and(|note| note.contains("403"))
    };
    scene.becomes("an event tells it", |server| server.all("events").iter().any(is_told)).await;
    assert_eq!(
        status(&scene.server)["replicaStates"][0]["appState"],
        "Stopped",
        "the members are told of as ever"
    );
}

#[tokio::test]
async fn a_promise_that_cannot_be_written_on_a_claim_does_not_keep_the_status_from_the_members() {
    let mut scene = Scene::new().await;
    scene.server.deny(|write| write.plural == "persistentvolumeclaims");
    scene.begin();
    let is_told = |server: &ApiServer| condition(server, "Stalled")["reason"] == "PromiseFailed";
    scene.becomes("it is told", is_told).await;
    let message = condition(&scene.server, "Stalled")["message"].to_string();
    assert!(message.contains("403"), "{message}");
    assert_eq!(status(&scene.server)["replicaStates"][0]["appState"], "Stopped");
    assert_eq!(status(&scene.server)["ready"], "0/1");
    assert_eq!(scene.begun(), [], "nothing begins that is not promised");
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

/// What belongs to somebody else, by the names that the set would use.
fn strangers() -> [(&'static str, Value); 2] {
    let labels = json!({"app": "z", "rss-operator-managed": "true"});
    let pod_of_it = json!([{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "rss-x", "uid": "theirs",
        "controller": true}]);
    let mut pod = pod();
    pod["metadata"]["ownerReferences"] = pod_of_it;
    pod["metadata"]["labels"] = labels.clone();
    let workload = json!({"metadata": {"name": "rss-x", "namespace": "shop", "uid": "theirs"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "z"}}, "serviceName": "z",
            "template": {"metadata": {"labels": labels}}}});
    [
        ("/apis/apps/v1/namespaces/shop/statefulsets/rss-x", workload),
        ("/api/v1/namespaces/shop/pods/rss-x-0", pod),
    ]
}

#[tokio::test]
async fn a_statefulset_of_somebody_else_is_neither_scaled_nor_are_its_pods_members() {
    for replicas in [0, 1, 3] {
        let mut scene = Scene::new().await;
        scene.server.change("replicatedstatefulsets", "x", |set| set["spec"]["replicas"] = json!(replicas));
        for (path, object) in strangers() {
            scene.server.put(path, object);
        }
        scene.begin();
        let told = |server: &ApiServer| condition(server, "Stalled")["reason"] == "ForeignObject";
        scene.becomes("the set tells whose it is", told).await;
        let touched = |write: &Write| !write.name.starts_with("x/") && write.plural != "events";
        // What a round does it has done before it tells of it.
        for generation in [2, 3, 4] {
            scene.server.change("replicatedstatefulsets", "x", |set| {
                set["metadata"]["generation"] = json!(generation);
            });
            let told = |server: &ApiServer| status(server)["observedGeneration"] == generation;
            scene.becomes("the set is looked at again", told).await;
        }
        assert!(!scene.server.wrote(touched), "replicas {replicas}: {:?}", scene.server.writes());
        assert_eq!(scene.begun(), [], "replicas {replicas}");
    }
}

fn finds_all_wrong(_: &Observation, _: &Memory, _: &Plan) -> Result<(), Vec<Breach>> {
    let what = "the test says so".to_owned();
    Err(vec![Breach { rule: Rule::ALL[0], replica: None, what }])
}

#[tokio::test]
async fn a_plan_that_is_found_wrong_is_not_followed_and_the_status_goes_with_the_members() {
    let mut scene = Scene::new().await;
    scene.context.audit = finds_all_wrong;
    scene.server.change("replicatedstatefulsets", "x", |set| {
        // So the set was told of before.
        set["status"] = json!({"phase": "Running", "ready": "1/1", "members": {"primary": ["rss-x-0"]},
            "conditions": [{"type": "Ready", "status": "True", "reason": "AllMembersServe", "message": "",
                "lastTransitionTime": "2026-01-01T00:00:00Z"}]});
    });
    scene.begin();
    let breached = |server: &ApiServer| condition(server, "Stalled")["reason"] == "Breach";
    scene.becomes("the breach is told", breached).await;
    let told = status(&scene.server);
    assert_eq!((&told["ready"], &told["members"]["primary"]), (&json!("0/1"), &json!([])), "{told}");
    assert_eq!(condition(&scene.server, "Ready")["status"], "False");
    assert_eq!(told["phase"], "Failed");
    scene.server.change("pods", "rss-x-0", |pod| pod["metadata"]["labels"]["team"] = json!("b"));
    scene.server.change("replicatedstatefulsets", "x", |set| set["metadata"]["generation"] = json!(2));
    let again = |server: &ApiServer| status(server)["observedGeneration"] == 2;
    scene.becomes("it is told anew", again).await;
    let touched = |write: &Write| !write.name.starts_with("x/") && write.plural != "events";
    assert!(!scene.server.wrote(touched), "{:?}", scene.server.writes());
    assert_eq!(scene.begun(), []);
}

#[tokio::test]
async fn a_key_that_was_refused_is_taken_from_the_annotation_and_what_is_no_key_stays() {
    let mut scene = Scene::new().await;
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["metadata"]["annotations"] =
            json!({"clusterlabs.org/allow": "AcceptLoss/rss-x-7/0000, please", "other": "stays"});
    });
    scene.begin();
    let annotations = |server: &ApiServer| {
        server.get("replicatedstatefulsets", "x").expect("it is there")["metadata"]["annotations"].clone()
    };
    let taken = |server: &ApiServer| annotations(server)["clusterlabs.org/allow"] == "please";
    scene.becomes("the key is taken away", taken).await;
    assert_eq!(annotations(&scene.server)["other"], "stays");
}
