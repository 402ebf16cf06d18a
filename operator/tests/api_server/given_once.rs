//! A set whose members are given their identities once: its StatefulCluster, whoever looks after both, and kubelets.

use std::collections::BTreeSet;

use operator::cluster::Clusters;
use planner::observation::Command;
use serde_json::{Value, json};

use crate::scene::{Scene, condition, record_of, status};
use crate::server::{ApiServer, Write};

const CHILD: &str = "rss-x";

/// A set of three that is new.
pub(crate) async fn begun() -> Scene {
    let mut scene = Scene::new().await;
    scene.server.remove("pods", "rss-x-0");
    scene.server.remove("persistentvolumeclaims", "data-rss-x-0");
    scene.server.change("replicatedstatefulsets", "x", |set| {
        (set["spec"]["workload"], set["spec"]["replicas"]) = (json!("StatefulCluster"), json!(3));
    });
    tokio::spawn(Clusters::new(&scene.context.clients.reads, &[]).run(scene.context.clone()));
    tokio::spawn(kubelets(scene.server.clone()));
    scene.begin();
    scene.becomes("three serve", |server| serve(server, 3)).await;
    scene
}

/// Each pod whose claim is there runs on the one node.
async fn kubelets(server: ApiServer) {
    let new = |server: &ApiServer| {
        let claims = names(&server.all("persistentvolumeclaims"));
        let may_start = |pod: &Value| claims.contains(&format!("data-{}", name(pod)));
        server.all("pods").into_iter().find(|pod| pod["spec"]["nodeName"].is_null() && may_start(pod))
    };
    loop {
        server.becomes(|server| new(server).is_some()).await;
        let Some(pod) = new(&server) else { continue };
        let claim = format!("data-{}", name(&pod));
        server.change("persistentvolumeclaims", &claim, |claim| claim["status"] = json!({"phase": "Bound"}));
        server.change("pods", name(&pod), |pod| {
            pod["spec"]["nodeName"] = json!("n0");
            let id = format!("c://{}", pod["metadata"]["uid"].as_str().expect("it was made"));
            pod["status"] = running(&id, &Value::Null);
        });
    }
}

fn running(id: &str, before: &Value) -> Value {
    json!({"phase": "Running",
        "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}],
        "containerStatuses": [{"name": "db", "image": "db", "imageID": "", "ready": true, "restartCount": 0,
            "containerID": id, "state": {"running": {}}, "lastState": before}]})
}

/// Every process ends, and every kubelet starts its container again.
pub(crate) fn power_is_cut(scene: &Scene) {
    scene.all_stop();
    for pod in scene.server.all("pods") {
        scene.server.change("pods", name(&pod), |pod| {
            let id = &pod["status"]["containerStatuses"][0]["containerID"];
            let ended = json!({"terminated": {"exitCode": 137, "reason": "Error", "containerID": id}});
            let again = format!("{}-again", id.as_str().expect("it ran"));
            pod["status"] = running(&again, &ended);
        });
    }
}

/// Their kubelets end them, the set knows of it, and they are gone.
async fn are_evicted(scene: &Scene, pods: &BTreeSet<String>) {
    for pod in pods {
        scene.server.change("pods", pod, |pod| {
            let id = &pod["status"]["containerStatuses"][0]["containerID"];
            let ended = json!({"terminated": {"exitCode": 137, "reason": "Error", "containerID": id}});
            pod["status"]["phase"] = json!("Failed");
            pod["status"]["containerStatuses"][0]["state"] = ended;
        });
    }
    let is_over = |server: &ApiServer, pod: &String| {
        let claim = server.get("persistentvolumeclaims", &format!("data-{pod}")).expect("its claim");
        record_of(&claim)["open"].is_null()
    };
    scene.becomes("it is known", |server| pods.iter().all(|pod| is_over(server, pod))).await;
    pods.iter().for_each(|pod| scene.server.remove("pods", pod));
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().expect("a name")
}

fn names(objects: &[Value]) -> BTreeSet<String> {
    objects.iter().map(|object| name(object).to_owned()).collect()
}

fn serve(server: &ApiServer, count: usize) -> bool {
    status(server)["ready"] == format!("{count}/{count}")
}

fn child(server: &ApiServer) -> Value {
    server.get("statefulclusters", CHILD).map(|child| child["spec"].clone()).unwrap_or_default()
}

fn want(scene: &Scene, replicas: u32) {
    change(scene, |spec| spec["replicas"] = json!(replicas));
}

/// What a person writes.
fn change(scene: &Scene, what: impl FnOnce(&mut Value)) {
    scene.server.change("replicatedstatefulsets", "x", |set| {
        let generation = set["metadata"]["generation"].as_i64().expect("a number");
        set["metadata"]["generation"] = json!(generation + 1);
        what(&mut set["spec"]);
    });
}

#[tokio::test]
async fn a_set_is_born_with_names_that_are_given_once_and_recovers_with_the_same_after_a_power_cut() {
    let mut scene = begun().await;
    let born = names(&scene.server.all("pods"));
    let is_identity = |pod: &String| pod.strip_prefix("rss-x-").is_some_and(|random| random.len() == 12);
    assert!(born.len() == 3 && born.iter().all(is_identity), "{born:?}");
    let spec = child(&scene.server);
    assert_eq!((&spec["replicas"], &spec["replacement"]["released"]), (&json!(3), &json!([])));
    scene.begun();
    power_is_cut(&scene);
    let seed = scene.begins(Command::Seed).await;
    assert!(born.contains(&seed.call.container.pod.0));
    scene.becomes("all serve again", |server| serve(server, 3)).await;
    assert_eq!(names(&scene.server.all("pods")), born, "nobody was replaced");
    assert_eq!(status(&scene.server)["epoch"], 2);
}

#[tokio::test]
async fn of_a_set_that_may_not_be_looked_at_nobody_says_that_it_is_well() {
    let scene = begun().await;
    scene.server.hide(Some("shop"));
    power_is_cut(&scene);
    let is_told = |server: &ApiServer| condition(server, "Stalled")["status"] == "True";
    scene.becomes("a person is told", is_told).await;
    for (kind, is) in [("Ready", "Unknown"), ("Available", "Unknown"), ("Reconciling", "False")] {
        let told = condition(&scene.server, kind);
        assert_eq!((&told["status"], &told["reason"]), (&json!(is), &json!("ObservationFailed")), "{kind}");
    }
    assert_eq!(status(&scene.server)["epoch"], 1, "what was known of it stays");
    let is_event = |event: &Value| event["reason"] == "ObservationFailed";
    scene.becomes("an event tells it", |server| server.all("events").iter().any(is_event)).await;
    scene.server.hide(None);
    scene.becomes("all serve again", |server| serve(server, 3)).await;
    assert_eq!(condition(&scene.server, "Ready")["status"], "True");
}

/// Of a set that another installation looked after, and nobody may look at.
async fn claimed_by_another() -> Scene {
    let scene = Scene::new().await;
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["spec"]["workload"] = json!("StatefulCluster");
        set["status"] = json!({"ready": "1/1", "installation": {"name": "other/it", "lease": "other/it"}});
    });
    scene.server.hide(Some("shop"));
    scene
}

#[tokio::test]
async fn what_another_installation_says_of_its_set_stays_while_this_one_may_not_look_at_it() {
    let mut scene = claimed_by_another().await;
    let held = json!({"metadata": {"name": "it", "namespace": "other"}, "spec": {"holderIdentity": "a pod",
        "renewTime": "2026-01-01T00:00:00.000000Z", "leaseDurationSeconds": 3600}});
    scene.server.put("/apis/coordination.k8s.io/v1/namespaces/other/leases/it", held);
    scene.begin();
    scene.becomes("whose it is is asked, and again", |server| server.asked("leases", "it") >= 2).await;
    assert_eq!(status(&scene.server)["ready"], "1/1");
    assert!(!scene.server.wrote(|_| true), "{:?}", scene.server.writes());
}

#[tokio::test]
async fn where_the_installation_of_before_is_gone_this_one_says_that_it_may_not_look() {
    let mut scene = claimed_by_another().await;
    scene.begin();
    let is_told = |server: &ApiServer| condition(server, "Stalled")["reason"] == "ObservationFailed";
    scene.becomes("it is told", is_told).await;
}

#[tokio::test]
async fn who_rests_goes_with_its_name_when_a_set_becomes_smaller_and_who_comes_later_has_another_one() {
    let scene = begun().await;
    let born = names(&scene.server.all("pods"));
    want(&scene, 2);
    scene.becomes("two serve", |server| serve(server, 2) && server.all("pods").len() == 2).await;
    let left = names(&scene.server.all("pods"));
    let gone: Vec<_> = born.difference(&left).cloned().collect();
    assert_eq!(child(&scene.server)["replacement"]["released"], json!(gone));
    assert_eq!(names(&scene.server.all("persistentvolumeclaims")).len(), 3, "its claim is kept");
    want(&scene, 3);
    scene.becomes("three serve", |server| serve(server, 3)).await;
    let now = names(&scene.server.all("pods"));
    assert!(now.is_superset(&left) && !now.contains(&gone[0]), "{born:?} became {now:?}");
}

#[tokio::test]
async fn a_changed_template_reaches_all_pods_and_each_keeps_its_name_and_its_claim() {
    let scene = begun().await;
    let (born, claims) = (names(&scene.server.all("pods")), scene.server.all("persistentvolumeclaims"));
    change(&scene, |spec| spec["pod"]["containers"][0]["image"] = json!("db:2"));
    let is_new = |pod: &Value| pod["spec"]["containers"][0]["image"] == "db:2";
    scene
        .becomes("three serve with it", |server| {
            serve(server, 3) && server.all("pods").iter().filter(|pod| is_new(pod)).count() == 3
        })
        .await;
    assert_eq!(names(&scene.server.all("pods")), born);
    let uid = |claim: &Value| claim["metadata"]["uid"].clone();
    let now = scene.server.all("persistentvolumeclaims");
    assert_eq!(now.iter().map(uid).collect::<Vec<_>>(), claims.iter().map(uid).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_set_that_is_only_to_rest_keeps_its_pods_and_serves_with_them_again() {
    let scene = begun().await;
    let born = names(&scene.server.all("pods"));
    want(&scene, 0);
    scene.becomes("it rests", |server| status(server)["reason"] == "StoppedBySpec").await;
    assert_eq!(condition(&scene.server, "Scaling")["status"], "False");
    assert_eq!(
        (&child(&scene.server)["replicas"], names(&scene.server.all("pods"))),
        (&json!(3), born.clone())
    );
    want(&scene, 3);
    scene.becomes("three serve", |server| serve(server, 3)).await;
    assert_eq!(names(&scene.server.all("pods")), born);
}

#[tokio::test]
async fn who_has_no_pod_any_more_comes_back_with_what_it_holds_and_a_person_can_give_it_up() {
    let scene = begun().await;
    let born = names(&scene.server.all("pods"));
    let gone = born.first().expect("there are three").clone();
    let uid = |server: &ApiServer| server.get("pods", &gone).map(|pod| pod["metadata"]["uid"].clone());
    let before = uid(&scene.server);
    are_evicted(&scene, &BTreeSet::from([gone.clone()])).await;
    let is_back = |server: &ApiServer| serve(server, 3) && uid(server).is_some() && uid(server) != before;
    scene.becomes("it serves again", is_back).await;
    assert_eq!(names(&scene.server.all("pods")), born, "nobody took its place");
    scene.server.change("statefulclusters", CHILD, |child| {
        let generation = child["metadata"]["generation"].as_i64().unwrap_or_default();
        child["metadata"]["generation"] = json!(generation + 1);
        child["spec"]["replacement"]["released"] = json!([gone]);
    });
    let is_another = |server: &ApiServer| {
        let now = names(&server.all("pods"));
        serve(server, 3) && now.len() == 3 && !now.contains(&gone)
    };
    scene.becomes("another takes its place", is_another).await;
}

#[tokio::test]
async fn a_statefulcluster_that_is_deleted_is_made_again_with_the_same_names_and_claims() {
    let scene = begun().await;
    let born = names(&scene.server.all("pods"));
    let uids = |server: &ApiServer| -> BTreeSet<String> {
        server.all("pods").iter().map(|pod| pod["metadata"]["uid"].to_string()).collect()
    };
    let before = uids(&scene.server);
    scene.server.remove("statefulclusters", CHILD);
    let waits = |server: &ApiServer| {
        let child = server.get("statefulclusters", CHILD).unwrap_or_default();
        let holds = child["status"]["holds"].as_array().into_iter().flatten();
        let holds: Vec<_> = holds.map(|hold| &hold["reason"]).collect();
        child["spec"]["replicas"] == 3 && holds == ["PodLeaving"; 3]
    };
    scene.becomes("it is made again, and waits for the pods of before to end", waits).await;
    scene.all_stop();
    are_evicted(&scene, &born).await;
    let ends_a_pod = |write: &Write| write.plural == "pods" && write.verb == "delete";
    assert!(!scene.server.wrote(ends_a_pod), "they are not its own");
    let are_back = |server: &ApiServer| {
        serve(server, 3) && names(&server.all("pods")) == born && uids(server).is_disjoint(&before)
    };
    scene.becomes("all serve again", are_back).await;
    assert_eq!(names(&scene.server.all("persistentvolumeclaims")).len(), 3);
    assert_eq!(status(&scene.server)["epoch"], 2);
}

#[tokio::test]
async fn a_statefulcluster_of_somebody_else_is_left_alone_with_its_pods() {
    let mut scene = Scene::new().await;
    let owner = |uid: &str| {
        json!([{"apiVersion": "enge.me/v1alpha1", "kind": "StatefulCluster", "name": CHILD, "uid": uid,
            "controller": true}])
    };
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["spec"]["workload"] = json!("StatefulCluster");
    });
    scene.server.remove("persistentvolumeclaims", "data-rss-x-0");
    scene.server.change("pods", "rss-x-0", |pod| pod["metadata"]["ownerReferences"] = owner("theirs"));
    scene.server.put(
        "/apis/enge.me/v1alpha1/namespaces/shop/statefulclusters/rss-x",
        json!({"apiVersion": "enge.me/v1alpha1", "kind": "StatefulCluster",
            "metadata": {"name": CHILD, "namespace": "shop", "uid": "theirs"},
            "spec": {"replicas": 1, "selector": {}, "template": {}}}),
    );
    scene.begin();
    scene.becomes("it is told", |server| condition(server, "Stalled")["reason"] == "ChildrenFailed").await;
    assert_eq!(scene.begun(), [], "a command was begun in a pod of somebody else");
    assert!(!scene.server.wrote(|write| write.plural == "statefulclusters" && write.verb != "create"));
}
