//! Two installations of the operator over one namespace.

use operator::api::Installation;
use operator::cluster::Clusters;
use operator::context::Context;
use operator::telemetry::Metrics;
use serde_json::{Value, json};

use super::{CLUSTERS, asked_for, change_spec, coder, is_settled, kubelets, status};
use crate::scene::Scene;
use crate::server::ApiServer;

/// The lease of an installation, which is renewed as far as can be seen at once.
fn put_lease(server: &ApiServer, namespace: &str, holder: &str) {
    let path = format!("/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/rss");
    let lease = json!({"metadata": {"name": "rss", "namespace": namespace}, "spec": {"holderIdentity": holder,
        "leaseDurationSeconds": 3600, "renewTime": "2026-01-01T00:00:00.000000Z"}});
    server.put(&path, lease);
}

/// An operator of the installation of this namespace, with counts of its own.
fn begin(scene: &Scene, namespace: &str) -> Metrics {
    let lease = format!("{namespace}/rss");
    let metrics = Metrics::default();
    let installation = Installation { name: lease.clone(), lease, renewed: None };
    let context = Context { installation, metrics: metrics.clone(), ..scene.context.clone() };
    let clusters = Clusters::new(&context.clients.reads, &[]);
    tokio::spawn(clusters.run(context));
    metrics
}

fn owner(server: &ApiServer) -> Value {
    status(server)["installation"]["name"].clone()
}

fn tells_whose(server: &ApiServer) -> bool {
    server.wrote(|write| write.plural == "events" && write.body["reason"] == "NotOurs")
}

#[tokio::test]
async fn what_another_installation_looks_after_is_left_alone_until_its_lease_is_given_back() {
    let scene = Scene::new().await;
    put_lease(&scene.server, "theirs", "somebody");
    let mut cluster = coder(json!({}));
    cluster["status"] = json!({"installation": {"name": "theirs/rss", "lease": "theirs/rss"}});
    scene.server.put(&format!("{CLUSTERS}/coder"), cluster);
    begin(&scene, "ours");
    tokio::spawn(kubelets(scene.server.clone()));
    scene.becomes("it says whose it is", tells_whose).await;
    let is_word = |plural: &str| plural == "events";
    assert!(!scene.server.wrote(|write| !is_word(&write.plural)), "nothing else is written");

    put_lease(&scene.server, "theirs", "");
    change_spec(&scene.server, |spec| spec["replicas"] = json!(2));
    scene.becomes("it takes over", |server| is_settled(server, 2)).await;
    assert_eq!(owner(&scene.server), "ours/rss");
}

#[tokio::test]
async fn of_two_installations_that_begin_at_once_one_makes_the_pods() {
    let scene = Scene::new().await;
    for namespace in ["one", "two"] {
        put_lease(&scene.server, namespace, "somebody");
    }
    scene.server.put(&format!("{CLUSTERS}/coder"), coder(json!({})));
    let counts = ["one", "two"].map(|namespace| begin(&scene, namespace));
    tokio::spawn(kubelets(scene.server.clone()));
    scene.becomes("three are ready", |server| is_settled(server, 3)).await;
    scene.becomes("the other says whose it is", tells_whose).await;
    assert_eq!(asked_for(&scene.server.writes()).len(), 3);
    let made = counts.each_ref().map(|counts| {
        let line = r#"rss_steps_total{controller="statefulcluster",step="CreatePod"} 3"#;
        counts.text().contains(line)
    });
    let of = owner(&scene.server);
    assert_eq!(made, [of == "one/rss", of == "two/rss"], "{of}");
}
