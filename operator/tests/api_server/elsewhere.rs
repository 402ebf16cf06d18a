//! A set that is deleted and made again on its other workload, with what that one left.

use operator::exec::Purpose;
use planner::memory::Epoch;
use planner::observation::Command;
use planner::record::{HolderId, Record};
use serde_json::{Value, json};

use crate::given_once::{begun, power_is_cut};
use crate::scene::{Scene, claim, condition, status};
use crate::server::ApiServer;

/// Of the claim of some member of the set that served from it.
fn served(member: &str) -> Record {
    let holder = HolderId::Claims(vec!["former".into()]);
    let record = Record::new(holder, member.into(), Epoch { number: 1, ..Epoch::default() });
    Record { confirmed: 1, ..record }
}

/// The claim of this record.
fn put_claim(server: &ApiServer, record: &Record, labels: &Value) {
    let name = format!("data-{}", record.replica);
    let record = serde_json::to_string(record).expect("JSON");
    let mut served = claim();
    served["metadata"] = json!({"name": name, "namespace": "shop", "uid": "former", "labels": labels,
        "annotations": {"clusterlabs.org/record": record}});
    server.put(&format!("/api/v1/namespaces/shop/persistentvolumeclaims/{name}"), served);
}

fn waits(server: &ApiServer) -> bool {
    let stalled = condition(server, "Stalled");
    status(server)["holds"].to_string().contains("OtherWorkload")
        && (&stalled["status"], &stalled["reason"]) == (&json!("True"), &json!("OtherWorkload"))
}

/// As many are stopped, and nothing but what the former workload left keeps them from beginning.
fn could_begin(server: &ApiServer, members: usize) -> bool {
    let status = status(server);
    let list = |field: &str| status[field].as_array().cloned().unwrap_or_default();
    let stopped = list("replicaStates").iter().filter(|state| state["appState"] == "Stopped").count();
    let is_of_former = |hold: &Value| {
        hold["reason"] == "OtherWorkload" || (hold["reason"] == "NotRunning" && hold["blocker"] == "rss-x-0")
    };
    waits(server) && stopped == members && list("holds").iter().all(is_of_former)
}

#[tokio::test]
async fn a_set_with_numbers_begins_nothing_while_its_data_is_where_names_were_given_once() {
    let mut scene = Scene::new().await;
    let member = "rss-x-0123456789ab";
    let labels = json!({"enge.me/statefulcluster": "rss-x", "enge.me/identity": member});
    put_claim(&scene.server, &served(member), &labels);
    scene.begin();
    scene.becomes("a person is asked beside one that could begin", |server| could_begin(server, 1)).await;
    assert_eq!(scene.begun(), [], "a database was begun beside the other one");
    scene.server.remove("persistentvolumeclaims", &format!("data-{member}"));
    scene.begins(Command::Seed).await;
}

#[tokio::test]
async fn a_set_whose_names_are_given_once_begins_nothing_while_its_data_is_under_numbers() {
    let mut scene = begun().await;
    // What it holds is waited for by nobody.
    let given_up = Record { waived: true, ..served("rss-x-0") };
    put_claim(&scene.server, &given_up, &json!({}));
    scene.becomes("a person is asked while three serve", waits).await;
    scene.begun();
    power_is_cut(&scene);
    scene.becomes("nothing else keeps three from it that hold all", |server| could_begin(server, 3)).await;
    // Whether the former ones still run is asked all the same.
    let mut begun = scene.begun();
    begun.retain(|purpose| *purpose != Purpose::Guarded(Command::Probe));
    assert_eq!(begun, [], "a database was begun beside the other one");
    scene.server.remove("persistentvolumeclaims", "data-rss-x-0");
    scene.begins(Command::Seed).await;
}
