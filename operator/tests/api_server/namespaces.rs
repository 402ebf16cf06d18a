//! Several namespaces, of which one cannot be watched.

use std::time::Duration;

use hyper::StatusCode;
use operator::cluster::Clusters;
use operator::telemetry::Leader;
use serde_json::{Value, json};

use crate::scene::{Scene, set};
use crate::server::ApiServer;

/// The namespace that cannot be watched.
const GONE: &str = "gone";

/// What the operator needs of each namespace: plural and kind.
const NEEDED: [(&str, &str); 6] = [
    ("replicatedstatefulsets", "ReplicatedStatefulSet"),
    ("statefulsets", "StatefulSet"),
    ("pods", "Pod"),
    ("persistentvolumeclaims", "PersistentVolumeClaim"),
    ("services", "Service"),
    ("poddisruptionbudgets", "PodDisruptionBudget"),
];

/// A second set, in the namespace that cannot be watched.
async fn scene() -> Scene {
    let scene = Scene::new().await.in_namespaces(&["shop", GONE]);
    let mut far = set();
    far["metadata"] = json!({"name": "far", "namespace": GONE, "uid": "far", "generation": 1});
    scene
        .server
        .put(&format!("/apis/clusterlabs.org/v1alpha1/namespaces/{GONE}/replicatedstatefulsets/far"), far);
    scene.ready.leader(Leader::Known);
    scene
}

fn is_looked_after(server: &ApiServer, plural: &str, name: &str) -> bool {
    server.get(plural, name).is_some_and(|found| found["status"]["conditions"].is_array())
}

/// The line of a metric.
fn line(controller: &str, namespace: &str, kind: &str, ready: u8) -> String {
    format!(r#"rss_watch_ready{{controller="{controller}",namespace="{namespace}",kind="{kind}"}} {ready}"#)
}

async fn until(sentence: &str, so: impl Fn() -> bool) {
    let so = async {
        while !so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), so).await.unwrap_or_else(|_| panic!("{sentence}"));
}

async fn one_stops_no_other(plural: &'static str, kind: &str, code: StatusCode) {
    let mut scene = scene().await;
    scene.server.close(Some((GONE, plural, code)));
    scene.begin();
    scene
        .becomes("the other namespace is served", |server| {
            is_looked_after(server, "replicatedstatefulsets", "x")
        })
        .await;
    until("the operator is ready", || scene.ready.missing().is_none()).await;
    let notes = scene.ready.notes();
    assert!(
        notes.contains("namespace gone: the operator looks after no ReplicatedStatefulSet there"),
        "{notes}"
    );
    assert!(notes.contains(&format!("({kind}: failed to list")) && !notes.contains("shop"), "{notes}");
    let metrics = scene.context.metrics.text();
    let of = |namespace: &str, ready: u8| line("replicatedstatefulset", namespace, kind, ready);
    assert!(metrics.contains(&of(GONE, 0)) && metrics.contains(&of("shop", 1)), "{metrics}");
    assert!(!is_looked_after(&scene.server, "replicatedstatefulsets", "far"), "its caches are not full");

    scene.server.close(None);
    scene.becomes("it recovers", |server| is_looked_after(server, "replicatedstatefulsets", "far")).await;
    assert_eq!(scene.ready.notes(), "");
    assert!(scene.context.metrics.text().contains(&of(GONE, 1)));
}

#[tokio::test]
async fn a_namespace_that_refuses_a_list_stops_no_other_and_recovers_by_itself() {
    for (plural, kind) in NEEDED {
        one_stops_no_other(plural, kind, StatusCode::FORBIDDEN).await;
    }
    one_stops_no_other("replicatedstatefulsets", "ReplicatedStatefulSet", StatusCode::NOT_FOUND).await;
}

#[tokio::test]
async fn an_operator_whose_namespaces_all_refuse_is_not_ready_and_says_why() {
    let mut scene = Scene::new().await.in_namespaces(&[GONE]);
    scene.ready.leader(Leader::Known);
    scene.server.close(Some((GONE, "pods", StatusCode::FORBIDDEN)));
    scene.begin();
    until("the notes name the refusal", || scene.ready.notes().contains("(Pod: failed to list")).await;
    assert!(scene.ready.missing().is_some());
}

#[tokio::test]
async fn a_stateful_cluster_is_looked_after_whatever_becomes_of_another_namespace() {
    let scene = scene().await;
    let cluster = |namespace: &str, name: &str| -> Value {
        let text = include_str!("../fixtures/coder.yaml");
        let mut cluster: Value = serde_saphyr::from_str(text).expect("a fixture is YAML");
        cluster["metadata"] = json!({"name": name, "namespace": namespace, "uid": name, "generation": 1});
        cluster
    };
    for (namespace, name) in [("shop", "near"), (GONE, "away")] {
        let path = format!("/apis/enge.me/v1alpha1/namespaces/{namespace}/statefulclusters/{name}");
        scene.server.put(&path, cluster(namespace, name));
    }
    scene.server.close(Some((GONE, "controllerrevisions", StatusCode::FORBIDDEN)));
    let clusters = Clusters::new(&scene.context.clients.reads, &["shop".to_owned(), GONE.to_owned()]);
    tokio::spawn(clusters.run(scene.context.clone()));
    scene.becomes("it is served", |server| is_looked_after(server, "statefulclusters", "near")).await;
    let named = "namespace gone: the operator looks after no StatefulCluster there (ControllerRevision: failed to list";
    until("the notes name it", || scene.ready.notes().contains(named)).await;
    let metrics = scene.context.metrics.text();
    assert!(metrics.contains(&line("statefulcluster", GONE, "ControllerRevision", 0)), "{metrics}");
    assert!(!is_looked_after(&scene.server, "statefulclusters", "away"), "its caches are not full");
    scene.server.close(None);
    scene.becomes("it recovers", |server| is_looked_after(server, "statefulclusters", "away")).await;
}
