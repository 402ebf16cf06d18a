//! The definition of StatefulCluster: its size, what the API server accepts and refuses by it, and the rights for it.

use kube::core::cel::Validator;
use operator::crdgen;
use serde_json::{Value, json};

/// `kubectl apply` keeps the whole object in an annotation, and annotations end at 262,144 bytes.
const BUDGET: usize = 150_000;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/crd-stateful-cluster.yaml");

const ROLE: &str = include_str!("../../deploy/stateful-cluster-role.yaml");

fn schema() -> Value {
    let definition = serde_json::to_value(crdgen::stateful_cluster()).expect("plain JSON");
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

/// The ancestor's own example, as it stands.
fn coder() -> Value {
    serde_saphyr::from_str(include_str!("fixtures/coder.yaml")).expect("a fixture is YAML")
}

/// What the rules say against an object, as "path: message".
fn refusals(object: &Value, before: Option<&Value>) -> Vec<String> {
    match Validator::new().validate(&schema(), object, before) {
        Ok(()) => Vec::new(),
        Err(errors) => errors.iter().map(|e| format!("{}: {}", e.field_path, e.message)).collect(),
    }
}

fn with(pointer: &str, value: Value) -> Value {
    let mut object = coder();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    object.pointer_mut(parent).expect("the parent is there")[key] = value;
    object
}

#[test]
fn plain_kubectl_apply_can_carry_it() {
    let size = serde_json::to_string(&crdgen::stateful_cluster()).expect("plain JSON").len();
    assert!(size < BUDGET, "{size} bytes of compact JSON");
}

#[test]
fn the_file_in_deploy_is_what_the_types_say() {
    let text = std::fs::read_to_string(FILE).expect("the file is there");
    let wanted = crdgen::yaml(&crdgen::stateful_cluster());
    assert!(text == wanted, "{FILE} is stale: run `cargo xtask generate`");
}

#[test]
fn names_columns_and_scale_are_what_people_were_told() {
    let definition = serde_json::to_value(crdgen::stateful_cluster()).expect("plain JSON");
    let version = &definition["spec"]["versions"][0];
    assert_eq!(definition["metadata"]["name"], "statefulclusters.enge.me");
    assert_eq!(definition["spec"]["names"]["shortNames"], json!(["stcl"]));
    assert_eq!(version["subresources"]["scale"]["labelSelectorPath"], ".status.selector");
    let columns = version["additionalPrinterColumns"].as_array().into_iter().flatten();
    let columns: Vec<_> = columns.filter_map(|column| column["name"].as_str()).collect();
    assert_eq!(columns, ["Ready", "Up-to-date", "Reason", "Age"]);
    assert_eq!(schema()["properties"]["status"]["default"], json!({ "observedGeneration": -1 }));
}

#[test]
fn every_field_of_our_own_is_described() {
    let spec = schema()["properties"]["spec"]["properties"].clone();
    let status = schema()["properties"]["status"]["properties"].clone();
    let replacement = spec["replacement"]["properties"].clone();
    for (name, field) in [spec, status, replacement].iter().flat_map(|all| all.as_object().expect("fields")) {
        assert!(field["description"].as_str().is_some_and(|text| !text.is_empty()), "{name}");
    }
}

#[test]
fn the_status_has_every_field_of_a_stateful_sets() {
    let status = schema()["properties"]["status"]["properties"].clone();
    for field in [
        "availableReplicas",
        "collisionCount",
        "conditions",
        "currentReplicas",
        "currentRevision",
        "observedGeneration",
        "readyReplicas",
        "replicas",
        "updateRevision",
        "updatedReplicas",
    ] {
        assert!(status[field].is_object(), "{field}");
    }
}

#[test]
fn what_cannot_be_meant_is_refused_at_its_field() {
    const LABELS: &str = "spec.template.metadata.labels";
    let labels = |value: Value| {
        with(
            "/spec/template",
            json!({"metadata": {"labels": value},
        "spec": coder()["spec"]["template"]["spec"].clone()}),
        )
    };
    let selector = |value: Value| with("/spec/selector", json!({"matchLabels": value}));
    let twice = json!([{"metadata": {"name": "a"}, "spec": {}}, {"metadata": {"name": "a"}, "spec": {}}]);
    each_is_refused([
        (with("/spec/replicas", json!(-1)), "spec.replicas", "from 0 to 1000"),
        (with("/spec/replicas", json!(1001)), "spec.replicas", "from 0 to 1000"),
        (with("/spec/selector", json!({})), "spec.selector", "is empty"),
        (labels(json!({"app": "other"})), LABELS, "contradicts"),
        (labels(json!({"enge.me/identity": "db-x"})), LABELS, "leave them out"),
        (labels(json!({"controller-revision-hash": "x"})), LABELS, "leave them out"),
        (
            selector(json!({"enge.me/statefulcluster": "other"})),
            "spec.selector.matchLabels",
            "is the name of the resource",
        ),
        (with("/spec/template/spec/containers", json!([])), "spec.template", "needs a container"),
        (with("/spec/volumeClaimTemplates", twice), "spec.volumeClaimTemplates", "name of its own"),
        (with("/spec/serviceName", json!("3db")), "spec.serviceName", "a letter first"),
        (with("/metadata/name", json!("a".repeat(51))), "", "at most 50"),
        (with("/metadata/name", json!("a.b")), "", "at most 50"),
        (
            with("/spec/persistentVolumeClaimRetentionPolicy", json!({"whenScaled": "Recycle"})),
            "spec.persistentVolumeClaimRetentionPolicy",
            "Retain or Delete",
        ),
    ]);
}

#[test]
fn what_no_pods_could_be_brought_to_is_refused_at_its_field() {
    let strategy = |value: Value| with("/spec/updateStrategy", value);
    let restart = with("/spec/template/spec/restartPolicy", json!("Never"));
    each_is_refused([
        (
            strategy(json!({"rollingUpdate": {"partition": 1}})),
            "spec.updateStrategy.rollingUpdate.partition",
            "no numbers",
        ),
        (
            strategy(json!({"rollingUpdate": {"maxUnavailable": 2}})),
            "spec.updateStrategy.rollingUpdate.maxUnavailable",
            "only 1",
        ),
        (strategy(json!({"type": "Recreate"})), "spec.updateStrategy.type", "OnDelete"),
        (with("/spec/ordinals", json!({"start": 1})), "spec.ordinals", "no numbers"),
        (restart, "spec.template", "restartPolicy"),
        (
            with("/spec/template/spec/activeDeadlineSeconds", json!(60)),
            "spec.template.spec.activeDeadlineSeconds",
            "leave it out",
        ),
        (
            with("/spec/minReadySeconds", json!(600)),
            "spec.progressDeadlineSeconds",
            "more than spec.minReadySeconds",
        ),
        (
            with("/spec/progressDeadlineSeconds", json!(0)),
            "spec.progressDeadlineSeconds",
            "more than spec.minReadySeconds",
        ),
    ]);
}

fn each_is_refused<const N: usize>(cases: [(Value, &str, &str); N]) {
    for (object, path, words) in cases {
        let found = refusals(&object, None);
        let fits = |text: &&String| {
            text.trim_start_matches('.').starts_with(&format!("{path}: ")) && text.contains(words)
        };
        assert!(found.iter().any(|text| fits(&text)), "{path} {words}: {found:?}");
    }
}

#[test]
fn what_means_the_same_is_accepted() {
    let partition = json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 0, "maxUnavailable": 1}});
    let labels = json!({"metadata": {"labels": {"app": "coder", "tier": "a"}},
        "spec": coder()["spec"]["template"]["spec"].clone()});
    for object in [
        with("/spec/updateStrategy", partition),
        with("/spec/template", labels),
        with("/spec/replicas", json!(0)),
        with("/spec/serviceName", json!("")),
        with("/spec/minReadySeconds", json!(599)),
        with("/spec/selector", json!({"matchLabels": {"app": "coder"}})),
        with("/spec/persistentVolumeClaimRetentionPolicy", json!({"whenScaled": "Delete"})),
    ] {
        assert_eq!(refusals(&object, None), Vec::<String>::new(), "{object}");
    }
}

#[test]
fn what_pods_and_claims_were_made_by_cannot_be_changed() {
    for (pointer, value) in [
        ("/spec/selector", json!({"matchLabels": {"app": "other"}})),
        ("/spec/volumeClaimTemplates", json!([])),
        ("/spec/serviceName", json!("peers")),
    ] {
        let found = refusals(&with(pointer, value), Some(&coder()));
        assert!(found.iter().any(|text| text.contains("cannot be changed")), "{pointer}: {found:?}");
    }
}

#[test]
fn a_selector_has_to_be_there() {
    let required = schema()["properties"]["spec"]["required"].clone();
    assert_eq!(required, json!(["selector", "template"]));
    assert_eq!(schema()["properties"]["spec"]["properties"]["replicas"]["default"], json!(1));
}

#[test]
fn nothing_is_granted_beyond_what_identities_need() {
    let role: Value = serde_saphyr::from_str(ROLE).expect("a role is YAML");
    let granted = |verb: &str| -> Vec<&str> {
        let rules = role["rules"].as_array().expect("rules").iter();
        let with = rules.filter(|rule| rule["verbs"].as_array().expect("verbs").contains(&json!(verb)));
        with.flat_map(|rule| rule["resources"].as_array().expect("resources"))
            .filter_map(Value::as_str)
            .collect()
    };
    let own = ["pods", "persistentvolumeclaims", "controllerrevisions", "services"];
    assert_eq!(granted("create"), [["statefulclusters"].as_slice(), &own].concat());
    assert_eq!(granted("delete"), ["pods", "persistentvolumeclaims", "controllerrevisions"]);
    assert_eq!(granted("update"), ["statefulclusters/status"]);
    assert!(["*", "deletecollection"].iter().all(|verb| granted(verb).is_empty()));
}

#[test]
fn a_length_of_time_that_is_refused_is_told_as_it_was_written() {
    let told = refusals(&with("/spec/replacement", json!({"unhealthyAfter": "abc"})), None);
    let expected = "spec.replacement.unhealthyAfter: \"abc\" is of no use: write a length of time above zero";
    assert!(matches!(&told[..], [one] if one.starts_with(expected)), "{told:?}");
}
