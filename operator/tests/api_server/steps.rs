//! Steps that land after the world moved on: each names the object that it is meant for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use operator::enact::Enactment;
use operator::observe::Objects;
use operator::target::Target;
use planner::names::ReplicaName;
use planner::plan::Cause;
use planner::{Plan, Step};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::scene::{Scene, pod, set};
use crate::server::ApiServer;

const WORKLOAD: &str = "/apis/apps/v1/namespaces/shop/statefulsets/rss-x";
const POD: &str = "/api/v1/namespaces/shop/pods/rss-x-0";

fn workload(uid: &str) -> Value {
    json!({"metadata": {"name": "rss-x", "namespace": "shop", "uid": uid},
        "spec": {"replicas": 1, "selector": {}, "serviceName": "x-svc", "template": {}}})
}

fn of_kind<K: DeserializeOwned>(scene: &Scene, plural: &str, name: &str) -> Arc<K> {
    let object = scene.server.get(plural, name).expect("it is there");
    Arc::new(serde_json::from_value(object).expect("an object of Kubernetes"))
}

/// Takes one step that was planned on what there is, after this happened to the API server's objects.
async fn late(step: Step, happened: impl FnOnce(&Scene)) -> Scene {
    late_of(step, |_, _| (), happened).await
}

/// The same, where this is there besides.
async fn late_of(
    step: Step,
    besides: impl FnOnce(&Scene, &mut Objects),
    happened: impl FnOnce(&Scene),
) -> Scene {
    let scene = Scene::new().await;
    scene.server.put(WORKLOAD, workload("w0"));
    let mut objects = Objects {
        set: Arc::new(serde_json::from_value(set()).expect("a set")),
        cluster: None,
        workload: Some(of_kind(&scene, "statefulsets", "rss-x")),
        pods: BTreeMap::from([("rss-x-0".into(), of_kind(&scene, "pods", "rss-x-0"))]),
        claims: BTreeMap::new(),
        elsewhere: BTreeSet::new(),
        nodes: None,
    };
    besides(&scene, &mut objects);
    happened(&scene);
    let target = Target::parse(&objects.set).expect("a valid set");
    let attempts = scene.attempts();
    let enactment =
        Enactment { context: &scene.context, attempts: &attempts, objects: &objects, target: &target };
    let plan = Plan { steps: vec![step], ..Plan::default() };
    enactment.enact(&plan).await.expect("what is stale is no failure");
    scene
}

fn replaced(scene: &Scene) {
    let mut another = pod();
    another["metadata"]["uid"] = json!("p1");
    scene.server.put(POD, another);
}

fn nothing(_: &Scene) {}

#[tokio::test]
async fn only_the_pod_that_was_looked_at_is_deleted() {
    let step = Step::Recycle {
        replica: "rss-x-0".into(),
        if_pod: "p0".into(),
        grace_seconds: None,
        cause: Cause::Hung,
    };
    let scene = late(step.clone(), nothing).await;
    assert_eq!(scene.server.get("pods", "rss-x-0"), None);
    let scene = late(step, replaced).await;
    assert_eq!(scene.server.get("pods", "rss-x-0").expect("it stays")["metadata"]["uid"], "p1");
}

#[tokio::test]
async fn only_the_statefulset_that_was_looked_at_is_deleted() {
    let scene = late(Step::Recreate, nothing).await;
    assert_eq!(scene.server.get("statefulsets", "rss-x"), None);
    assert_eq!(scene.server.writes()[0].body["propagationPolicy"], "Orphan", "its pods run on");
    let scene = late(Step::Recreate, |scene| scene.server.put(WORKLOAD, workload("w1"))).await;
    assert_eq!(scene.server.get("statefulsets", "rss-x").expect("it stays")["metadata"]["uid"], "w1");
}

#[tokio::test]
async fn only_the_pod_that_was_looked_at_is_labelled() {
    let step = Step::Label { replica: "rss-x-0".into(), if_pod: "p0".into(), active: true, role: None };
    let label = |scene: Scene| {
        scene.server.get("pods", "rss-x-0").expect("it stays")["metadata"]["labels"]["rss-active-member"]
            .clone()
    };
    assert_eq!(label(late(step.clone(), nothing).await), "true");
    assert_eq!(label(late(step, replaced).await), Value::Null);
}

#[tokio::test]
async fn a_set_is_scaled_only_if_nobody_changed_it_since_it_was_looked_at() {
    let step = Step::Resize { to: 3, if_from: 1, released: Vec::new(), cause: Cause::Size };
    let size = |scene: Scene| {
        scene.server.get("statefulsets", "rss-x").expect("it stays")["spec"]["replicas"].clone()
    };
    assert_eq!(size(late(step.clone(), nothing).await), 3);
    let scaled = |scene: &Scene| {
        scene.server.change("statefulsets", "rss-x", |workload| workload["spec"]["replicas"] = json!(2));
    };
    assert_eq!(size(late(step.clone(), scaled).await), 2, "a person scaled it in between");
    let made_anew = |scene: &Scene| scene.server.put(WORKLOAD, workload("w1"));
    assert_eq!(size(late(step.clone(), made_anew).await), 1, "it is another one of this name");
    let of_two = Step::Resize { to: 3, if_from: 2, released: Vec::new(), cause: Cause::Size };
    assert_eq!(size(late(of_two, nothing).await), 1, "the plan was made on another size");
    let of_names =
        Step::Resize { to: 3, if_from: 1, released: vec![ReplicaName::from("rss-x-0")], cause: Cause::Size };
    assert_eq!(size(late(of_names, nothing).await), 1, "of numbers nobody can be named");
}

const CLUSTER: &str = "/apis/enge.me/v1alpha1/namespaces/shop/statefulclusters/rss-x";

/// Of those of it that were given up before one left nothing.
fn cluster(uid: &str) -> Value {
    let released = json!(["rss-x-nothing", "rss-x-left", "rss-x-claim", "rss-x-pod"]);
    json!({"apiVersion": "enge.me/v1alpha1", "kind": "StatefulCluster",
        "metadata": {"name": "rss-x", "namespace": "shop", "uid": uid},
        "spec": {"replicas": 3, "selector": {}, "template": {}, "replacement": {"budget": 1, "released": released}}})
}

/// A pod of one of them and a claim of another, which no cache shows; a claim of a StatefulCluster of another name.
fn leave(server: &ApiServer) {
    let of = |name: &str, cluster: &str| {
        let labels = json!({"enge.me/identity": name, "enge.me/statefulcluster": cluster});
        json!({"metadata": {"name": name, "namespace": "shop", "uid": name, "labels": labels}})
    };
    server.put("/api/v1/namespaces/shop/pods/rss-x-pod", of("rss-x-pod", "rss-x"));
    let claims = "/api/v1/namespaces/shop/persistentvolumeclaims";
    server.put(&format!("{claims}/data-rss-x-claim"), of("rss-x-claim", "rss-x"));
    server.put(&format!("{claims}/data-rss-y-claim"), of("rss-x-nothing", "rss-y"));
}

#[tokio::test]
async fn who_is_given_up_is_named_with_the_size_and_only_if_nobody_changed_either_since() {
    let given_up = async |if_from, happened: fn(&Scene)| {
        let released = vec![ReplicaName::from("rss-x-goes")];
        let step = Step::Resize { to: 2, if_from, released, cause: Cause::Size };
        let besides = |scene: &Scene, objects: &mut Objects| {
            scene.server.put(CLUSTER, cluster("c0"));
            objects.cluster = Some(of_kind(scene, "statefulclusters", "rss-x"));
            leave(&scene.server);
            objects.claims = BTreeMap::from([("rss-x-left".into(), Vec::new())]);
        };
        let scene = late_of(step, besides, happened).await;
        let spec = scene.server.get("statefulclusters", "rss-x").expect("it stays")["spec"].clone();
        assert_eq!(spec["replacement"]["budget"], 1, "what a person wrote stays");
        (spec["replicas"].clone(), spec["replacement"]["released"].clone())
    };
    let before = (json!(3), json!(["rss-x-nothing", "rss-x-left", "rss-x-claim", "rss-x-pod"]));
    let after = (json!(2), json!(["rss-x-claim", "rss-x-goes", "rss-x-left", "rss-x-pod"]));
    assert_eq!(given_up(3, nothing).await, after, "who left nothing is not named any more");
    assert_eq!(given_up(4, nothing).await, before, "the plan was made on another size");
    let made_anew = |scene: &Scene| scene.server.put(CLUSTER, cluster("c1"));
    assert_eq!(given_up(3, made_anew).await, before, "it is another one of this name");
    let named = |scene: &Scene| {
        scene.server.change("statefulclusters", "rss-x", |cluster| {
            cluster["spec"]["replacement"]["released"] = json!(["rss-x-other"]);
        });
    };
    assert_eq!(given_up(3, named).await, (json!(3), json!(["rss-x-other"])), "a person named another");
}
