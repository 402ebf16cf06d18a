//! A set that is deleted and made again on its other workload, with what that one left.

use planner::memory::Epoch;
use planner::observation::Command;
use planner::record::{HolderId, Record};
use serde_json::json;

use crate::scene::{Scene, claim, condition, status};
use crate::server::ApiServer;

/// A claim that some member of the set served from, under the name of this one.
fn put_served(server: &ApiServer, member: &str, labels: &serde_json::Value) {
    let name = format!("data-{member}");
    let holder = HolderId::Claims(vec!["former".into()]);
    let mut record = Record::new(holder, member.into(), Epoch { number: 1, ..Epoch::default() });
    record.confirmed = 1;
    let record = serde_json::to_string(&record).expect("JSON");
    let mut served = claim();
    served["metadata"] = json!({"name": name, "namespace": "shop", "uid": "former", "labels": labels,
        "annotations": {"clusterlabs.org/record": record}});
    server.put(&format!("/api/v1/namespaces/shop/persistentvolumeclaims/{name}"), served);
}

fn waits(server: &ApiServer) -> bool {
    status(server)["holds"].to_string().contains("OtherWorkload")
        && condition(server, "Stalled")["status"] == "True"
}

#[tokio::test]
async fn a_set_with_numbers_begins_nothing_while_its_data_is_where_names_were_given_once() {
    let mut scene = Scene::new().await;
    let member = "rss-x-0123456789ab";
    let labels = json!({"enge.me/statefulcluster": "rss-x", "enge.me/identity": member});
    put_served(&scene.server, member, &labels);
    scene.begin();
    scene.becomes("a person is asked", waits).await;
    assert_eq!(scene.begun(), [], "a database was begun beside the other one");
    scene.server.remove("persistentvolumeclaims", &format!("data-{member}"));
    scene.begins(Command::Seed).await;
}

#[tokio::test]
async fn a_set_whose_names_are_given_once_begins_nothing_while_its_data_is_under_numbers() {
    let mut scene = Scene::new().await;
    scene.server.remove("pods", "rss-x-0");
    scene.server.remove("persistentvolumeclaims", "data-rss-x-0");
    put_served(&scene.server, "rss-x-0", &json!({}));
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["spec"]["workload"] = json!("StatefulCluster");
    });
    scene.begin();
    scene.becomes("a person is asked", waits).await;
    assert_eq!(scene.begun(), []);
}
