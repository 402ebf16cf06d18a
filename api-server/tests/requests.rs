//! The rules that the sequences of `e2e/tests/requests` found right, one by one and without a cluster.

use api_server::{Answer, Place, Request, Store};
use hyper::http;
use serde_json::{Value, json};

const CLUSTERS: &str = "/apis/enge.me/v1alpha1/namespaces/a/statefulclusters";
const MAPS: &str = "/api/v1/namespaces/a/configmaps";
const CLAIMS: &str = "/api/v1/namespaces/a/persistentvolumeclaims";
const PODS: &str = "/api/v1/namespaces/a/pods";
const SERVICES: &str = "/api/v1/namespaces/a/services";
const SETS: &str = "/apis/clusterlabs.org/v1alpha1/namespaces/a/replicatedstatefulsets";
const WORKLOADS: &str = "/apis/apps/v1/namespaces/a/statefulsets";

fn ask(store: &mut Store, method: &str, path: &str, body: Value) -> Answer {
    let content = match method {
        "PATCH" => "application/merge-patch+json",
        "APPLY" => "application/apply-patch+yaml",
        "STRATEGIC" => "application/strategic-merge-patch+json",
        _ => "application/json",
    };
    let method = if content == "application/json" { method } else { "PATCH" };
    let head = http::Request::builder().method(method).uri(path).header("content-type", content);
    let (head, ()) = head.body(()).expect("a request").into_parts();
    let request = Request::of(&head, body.to_string().as_bytes()).expect("a body");
    store.write(&request.expect("a write"))
}

/// Code and reason, or just the code.
fn said((code, body): &Answer) -> (u16, &str) {
    (code.as_u16(), body["reason"].as_str().unwrap_or_default())
}

fn made(path: &str, object: Value) -> Store {
    let mut store = Store::default();
    let answer = ask(&mut store, "POST", path, object);
    assert_eq!(said(&answer), (201, ""), "{}", answer.1);
    store
}

fn map() -> Store {
    made(MAPS, json!({"metadata": {"name": "m"}, "data": {"k": "1"}}))
}

#[test]
fn a_write_lands_on_the_version_and_the_object_that_were_meant_or_not_at_all() {
    for (method, metadata, expected) in [
        ("PUT", json!({"name": "m"}), (200, "")),
        ("PUT", json!({"name": "m", "resourceVersion": "1", "uid": "configmaps.m.0"}), (200, "")),
        ("PUT", json!({"name": "m", "resourceVersion": "9"}), (409, "Conflict")),
        ("PUT", json!({"name": "m", "uid": "x"}), (409, "Conflict")),
        ("PATCH", json!({"resourceVersion": "9"}), (409, "Conflict")),
        // To a patch a UID is a field that cannot be changed.
        ("PATCH", json!({"uid": "x"}), (422, "Invalid")),
        ("PATCH", json!({"uid": "x", "resourceVersion": "9"}), (409, "Conflict")),
    ] {
        let answer = ask(&mut map(), method, &format!("{MAPS}/m"), json!({"metadata": metadata, "data": {}}));
        assert_eq!(said(&answer), expected, "{method} {metadata}");
    }
    for (preconditions, expected) in [
        (json!({"uid": "configmaps.m.0", "resourceVersion": "1"}), (200, "")),
        (json!({"uid": "x"}), (409, "Conflict")),
        (json!({"resourceVersion": "9"}), (409, "Conflict")),
    ] {
        let mut store = map();
        let answer = ask(&mut store, "DELETE", &format!("{MAPS}/m"), json!({"preconditions": preconditions}));
        assert_eq!(said(&answer), expected, "{preconditions}");
        assert_eq!(store.get(&format!("{MAPS}/m")).is_none(), expected.0 == 200);
    }
}

#[test]
fn a_size_of_nothing_has_no_owner_any_more_and_nobody_owns_the_next_one() {
    let workload = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "w"},
        "spec": {"replicas": 3, "serviceName": "s"}});
    let mut store = made(&format!("{WORKLOADS}?fieldManager=a"), workload);
    for (size, is_owned) in [(2, true), (0, false), (1, false)] {
        let scale = json!({"metadata": {"name": "w"}, "spec": {"replicas": size}});
        let answer = ask(&mut store, "PUT", &format!("{WORKLOADS}/w/scale?fieldManager=b"), scale);
        assert_eq!(said(&answer), (200, ""), "{}", answer.1);
        let owners =
            store.get(&format!("{WORKLOADS}/w")).expect("it is there")["metadata"]["managedFields"].clone();
        assert_eq!(owners.to_string().contains("f:replicas"), is_owned, "{size}: {owners}");
    }
}

#[test]
fn one_of_a_name_is_there_and_the_next_one_is_another() {
    let mut store = map();
    let again = || json!({"metadata": {"name": "m"}});
    assert_eq!(said(&ask(&mut store, "POST", MAPS, again())), (409, "AlreadyExists"));
    let path = format!("{MAPS}/m");
    let first = store.get(&path).expect("it is there")["metadata"]["uid"].clone();
    ask(&mut store, "DELETE", &path, json!({}));
    assert_eq!(said(&ask(&mut store, "DELETE", &path, json!({}))), (404, "NotFound"));
    assert_eq!(said(&ask(&mut store, "PATCH", &path, json!({}))), (404, "NotFound"));
    assert_ne!(ask(&mut store, "POST", MAPS, again()).1["metadata"]["uid"], first);
}

#[test]
fn what_changes_nothing_is_no_new_version() {
    let mut store = map();
    let path = format!("{MAPS}/m");
    let version = |answer: &Answer| answer.1["metadata"]["resourceVersion"].clone();
    let same = ask(&mut store, "PATCH", &path, json!({"data": {"k": "1"}}));
    assert_eq!(version(&same), "1");
    assert_eq!(version(&ask(&mut store, "PATCH", &path, json!({"data": {"k": "2"}}))), "2");
    assert_eq!(store.since(&Place::of(MAPS, ""), 1).lines().count(), 1);
}

#[test]
fn the_status_is_written_by_its_part_alone_and_that_writes_nothing_else() {
    let set = json!({"metadata": {"name": "x"}, "spec": {"replicas": 1}, "status": {"reason": "early"}});
    let mut store = made(SETS, set);
    let path = format!("{SETS}/x");
    let seen = |store: &Store| {
        let set = store.get(&path).expect("it is there");
        (
            set["spec"]["replicas"].clone(),
            set["status"]["reason"].clone(),
            set["metadata"]["generation"].clone(),
        )
    };
    assert_eq!(seen(&store), (json!(1), Value::Null, json!(1)));
    let both = |version: &str| {
        let metadata = json!({"name": "x", "resourceVersion": version});
        json!({"metadata": metadata, "spec": {"replicas": 2}, "status": {"reason": "r"}})
    };
    ask(&mut store, "PUT", &format!("{path}/status"), both("1"));
    assert_eq!(seen(&store), (json!(1), json!("r"), json!(1)));
    ask(&mut store, "PUT", &path, both("2"));
    assert_eq!(seen(&store), (json!(2), json!("r"), json!(2)));
    assert_eq!(said(&ask(&mut store, "PUT", &format!("{path}/status"), both("2"))), (409, "Conflict"));
}

fn owned(mut store: Store, applies: &[(&str, Value)]) -> (Store, Vec<u16>) {
    let codes = applies.iter().map(|(query, spec)| {
        let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": spec});
        ask(&mut store, "APPLY", &format!("{SERVICES}/s?{query}"), service).0.as_u16()
    });
    let codes = codes.collect();
    (store, codes)
}

#[test]
fn an_apply_makes_what_is_not_there_unless_it_names_the_object_that_it_means() {
    let there = json!("services.s.0");
    for (is_there, uid, expected) in [
        (false, Value::Null, (201, "")),
        (false, there.clone(), (409, "Conflict")),
        (true, Value::Null, (200, "")),
        (true, there, (200, "")),
        (true, json!("x"), (422, "Invalid")),
    ] {
        let ports = json!({"ports": [{"port": 1}]});
        let applies = if is_there { vec![("fieldManager=a", ports.clone())] } else { Vec::new() };
        let (mut store, _) = owned(Store::default(), &applies);
        let metadata = json!({"name": "s", "uid": uid});
        let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": ports});
        let answer = ask(&mut store, "APPLY", &format!("{SERVICES}/s?fieldManager=a"), service);
        assert_eq!(said(&answer), expected, "there: {is_there}, meant: {uid}");
    }
}

#[test]
fn what_an_apply_leaves_out_goes_unless_another_applied_it_too() {
    let ports = |ports: &[u64]| {
        let ports: Vec<Value> = ports.iter().map(|port| json!({"port": port})).collect();
        json!({"ports": ports})
    };
    for (by, expected) in
        [("fieldManager=a", json!([{"port": 2}])), ("fieldManager=b", json!([{"port": 1}, {"port": 2}]))]
    {
        let applies =
            [(by, ports(&[1])), ("fieldManager=a", ports(&[1, 2])), ("fieldManager=a", ports(&[2]))];
        let (store, codes) = owned(Store::default(), &applies);
        assert_eq!(codes, [201, 200, 200]);
        assert_eq!(
            store.get(&format!("{SERVICES}/s")).expect("it is there")["spec"]["ports"],
            expected,
            "{by}"
        );
    }
}

/// Its definition tells no keys.
#[test]
fn an_apply_of_a_resource_that_was_defined_puts_a_list_in_the_place_of_another_and_leaves_what_others_wrote()
{
    let containers = |names: &[&str]| names.iter().map(|name| json!({"name": name})).collect::<Value>();
    let cluster = |spec: Value, owner: &str| {
        let owners = json!([{"apiVersion": "v1", "kind": "K", "name": owner, "uid": owner}]);
        json!({"apiVersion": "enge.me/v1alpha1", "kind": "StatefulCluster",
            "metadata": {"name": "c", "ownerReferences": owners}, "spec": spec})
    };
    let mut first =
        cluster(json!({"replicas": 3, "containers": containers(&["x", "y"]), "serviceName": "s"}), "o");
    let mut store = made(&format!("{CLUSTERS}?fieldManager=a"), first.clone());
    first["spec"].as_object_mut().expect("fields").remove("replicas");
    let path = format!("{CLUSTERS}/c?fieldManager=a&force=true");
    assert_eq!(said(&ask(&mut store, "APPLY", &path, first)), (200, ""));
    let second = cluster(json!({"containers": containers(&["y", "z"])}), "p");
    assert_eq!(said(&ask(&mut store, "APPLY", &path, second)), (200, ""));
    let there = store.get(&format!("{CLUSTERS}/c")).expect("it is there");
    let spec = &there["spec"];
    assert_eq!((&spec["containers"], &spec["replicas"]), (&containers(&["y", "z"]), &json!(3)));
    assert_eq!(spec["serviceName"], "s", "who made it owns it");
    assert_eq!(
        there["metadata"]["ownerReferences"].as_array().map(Vec::len),
        Some(2),
        "metadata has its keys"
    );
}

#[test]
fn what_another_owns_is_taken_by_force_alone() {
    let sized = |name: &str| json!({"type": name});
    let (store, codes) = owned(
        Store::default(),
        &[
            ("fieldManager=a", sized("x")),
            ("fieldManager=b", sized("x")),
            ("fieldManager=b", sized("y")),
            ("fieldManager=b&force=true", sized("y")),
            ("fieldManager=a", json!({})),
        ],
    );
    assert_eq!(codes, [201, 200, 409, 200, 200]);
    assert_eq!(store.get(&format!("{SERVICES}/s")).expect("it is there")["spec"]["type"], "y");
}

#[test]
fn what_is_held_goes_when_everybody_let_go() {
    let claim = json!({"metadata": {"name": "c", "finalizers": ["x/hold"]}});
    let mut store = made(CLAIMS, claim);
    let path = format!("{CLAIMS}/c");
    assert_eq!(ask(&mut store, "DELETE", &path, json!({})).1["metadata"]["deletionGracePeriodSeconds"], 0);
    store.let_go(&path);
    let finalizers = |all: Value| json!({"metadata": {"finalizers": all}});
    assert!(store.get(&path).is_some(), "x/hold");
    let more = ask(&mut store, "PATCH", &path, finalizers(json!(["x/hold", "y/hold"])));
    assert_eq!(said(&more), (422, "Invalid"));
    ask(&mut store, "PATCH", &path, finalizers(json!([])));
    assert!(store.get(&path).is_none());
}

#[test]
fn a_pod_that_was_placed_waits_for_its_kubelet_unless_it_is_forced() {
    let pod = |node: Value| json!({"metadata": {"name": "p"}, "spec": {"nodeName": node}});
    for (node, options, left) in [
        (json!("n"), json!({}), json!(30)),
        (json!("n"), json!({"gracePeriodSeconds": 5}), json!(5)),
        (json!("n"), json!({"gracePeriodSeconds": 0}), Value::Null),
        (Value::Null, json!({}), Value::Null),
    ] {
        let mut store = made(PODS, pod(node));
        let path = format!("{PODS}/p");
        ask(&mut store, "DELETE", &path, options.clone());
        let is = store.get(&path).map(|pod| pod["metadata"]["deletionGracePeriodSeconds"].clone());
        assert_eq!(is.unwrap_or_default(), left, "{options}");
    }
}

#[test]
fn what_may_not_be_changed_is_refused() {
    let workload =
        json!({"metadata": {"name": "w"}, "spec": {"replicas": 1, "serviceName": "s", "template": {}}});
    let pod = json!({"metadata": {"name": "p"}, "spec": {"hostname": "h", "containers": [{"name": "c", "image": "1"}]}});
    for (all, object, name, spec, code) in [
        (WORKLOADS, &workload, "w", json!({"replicas": 2, "template": {"x": 1}}), 200),
        (WORKLOADS, &workload, "w", json!({"serviceName": "other"}), 422),
        (PODS, &pod, "p", json!({"containers": [{"name": "c", "image": "2"}]}), 200),
        (PODS, &pod, "p", json!({"hostname": "i"}), 422),
    ] {
        let mut store = made(all, object.clone());
        let answer = ask(&mut store, "PATCH", &format!("{all}/{name}"), json!({"spec": spec}));
        assert_eq!(answer.0.as_u16(), code, "{all} {spec}");
    }
}

#[test]
fn what_these_rules_do_not_know_is_refused_and_remembered() {
    let mut store = map();
    let path = format!("{MAPS}/m");
    let asked = [
        ("POST", "/api/v1/namespaces/a/secrets".to_owned(), json!({"metadata": {"name": "s"}})),
        ("POST", MAPS.to_owned(), json!({"metadata": {"generateName": "m"}})),
        ("DELETE", path.clone(), json!({"propagationPolicy": "Foreground"})),
        ("PUT", format!("{path}/status"), json!({"metadata": {"name": "m"}})),
    ];
    for (count, (method, path, body)) in asked.into_iter().enumerate() {
        assert_eq!(said(&ask(&mut store, method, &path, body)), (501, "NotImplemented"), "{method} {path}");
        assert_eq!(store.unsupported().len(), count + 1);
    }
    assert_eq!(store.read(&Place::of(MAPS, "labelSelector=!x")).0.as_u16(), 501);
}

#[test]
fn a_store_that_goes_back_has_what_was_there_tells_nobody_of_what_came_since_and_gives_no_uid_twice() {
    let (old, gone) = (format!("{MAPS}/m"), format!("{MAPS}/gone"));
    let mut store = map();
    ask(&mut store, "POST", MAPS, json!({"metadata": {"name": "gone"}}));
    let objects = |store: &Store| store.of("configmaps").map(|(_, map)| map.clone()).collect::<Vec<_>>();
    let (version, before) = (store.version(), objects(&store));
    let make = |store: &mut Store| ask(store, "POST", MAPS, json!({"metadata": {"name": "new"}})).1;
    let first = make(&mut store);
    ask(&mut store, "PATCH", &old, json!({"data": {"k": "2"}}));
    ask(&mut store, "DELETE", &gone, json!({}));
    ask(&mut store, "PATCH", &old, json!({"data": {"k": "3"}}));
    assert!(store.get(&gone).is_none() && objects(&store) != before);
    store.go_back(version);
    assert_eq!((store.version(), objects(&store)), (version, before));
    assert_eq!(store.since(&Place::of(MAPS, ""), version), "");
    let second = make(&mut store);
    assert_eq!(
        first["metadata"]["resourceVersion"], second["metadata"]["resourceVersion"],
        "it is given again"
    );
    assert_ne!(first["metadata"]["uid"], second["metadata"]["uid"]);
}
