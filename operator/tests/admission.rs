//! What the API server accepts and refuses, by evaluating the installed schema's rules here.

use std::time::Duration;

use kube::core::cel::Validator;
use operator::api::{ReplicatedStatefulSet, StatefulCluster};
use operator::crdgen;
use serde_json::{Value, json};

const FIXTURES: [(&str, &str); 7] = [
    ("example-3", include_str!("fixtures/example-3.yaml")),
    ("example-5", include_str!("fixtures/example-5.yaml")),
    ("stopped", include_str!("fixtures/stopped.yaml")),
    ("dummy", include_str!("fixtures/dummy.yaml")),
    ("given-once", include_str!("../../examples/dummy/given-once.yaml")),
    ("galera", include_str!("fixtures/galera.yaml")),
    ("everything", include_str!("fixtures/everything.yaml")),
];

fn fixture(name: &str) -> Value {
    let (_, text) = FIXTURES.iter().find(|(known, _)| *known == name).expect("a fixture of that name");
    serde_saphyr::from_str(text).expect("a fixture is YAML")
}

fn schema() -> Value {
    let crd = serde_json::to_value(crdgen::crd()).expect("plain JSON");
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

/// What the rules say against an object, as "path: message".
fn refusals(schema: &Value, object: &Value) -> Vec<String> {
    match Validator::new().validate(schema, object, None) {
        Ok(()) => Vec::new(),
        Err(errors) => errors.iter().map(|e| format!("{}: {}", e.field_path, e.message)).collect(),
    }
}

/// The manifest with the value at a JSON pointer replaced; `null` removes it.
fn with(mut object: Value, pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    match object.pointer_mut(parent).expect("the parent is there") {
        Value::Object(fields) if value.is_null() => drop(fields.remove(key)),
        Value::Object(fields) => drop(fields.insert(key.into(), value)),
        Value::Array(items) => items[key.parse::<usize>().expect("an index")] = value,
        other => panic!("{pointer} is inside {other}"),
    }
    object
}

#[test]
fn every_manifest_is_accepted_and_keeps_every_field() {
    let schema = schema();
    for (name, _) in FIXTURES {
        let written = fixture(name);
        assert_eq!(refusals(&schema, &written), Vec::<String>::new(), "{name}");
        let read: ReplicatedStatefulSet = serde_json::from_value(written.clone()).expect(name);
        assert_eq!(
            lost(&written, &serde_json::to_value(&read).expect("plain JSON"), ""),
            Vec::<String>::new(),
            "{name}"
        );
        assert_eq!(unknown(&schema, &written, ""), Vec::<String>::new(), "{name}");
        read.validate_cel().expect(name);
    }
}

/// The ancestor's, and the example that is that with an image of its own.
#[test]
fn the_manifest_of_a_stateful_cluster_is_accepted_as_it_stands_and_keeps_every_field() {
    let definition = serde_json::to_value(crdgen::stateful_cluster()).expect("plain JSON");
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let [ancestors, example] =
        [include_str!("fixtures/coder.yaml"), include_str!("../../examples/coder/cluster.yaml")]
            .map(|text| serde_saphyr::from_str::<Value>(text).expect("a manifest is YAML"));
    for written in [&ancestors, &example] {
        let read: StatefulCluster = serde_json::from_value(written.clone()).expect("it is one");
        let read = serde_json::to_value(read).expect("plain JSON");
        let said = [refusals(schema, written), lost(written, &read, ""), unknown(schema, written, "")];
        assert_eq!(said.concat(), Vec::<String>::new());
    }
    let container = "/spec/template/spec/containers/0";
    let other = with(example, &format!("{container}/imagePullPolicy"), Value::Null);
    assert_eq!(with(other, &format!("{container}/image"), json!("codercom/code-server")), ancestors);
}

/// Fields that were written and are not in what was read.
fn lost(written: &Value, read: &Value, path: &str) -> Vec<String> {
    match (written, read) {
        (Value::Object(fields), Value::Object(kept)) => fields
            .iter()
            .flat_map(|(key, value)| {
                lost(value, kept.get(key).unwrap_or(&Value::Null), &format!("{path}.{key}"))
            })
            .collect(),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).flat_map(|(a, b)| lost(a, b, &format!("{path}[]"))).collect()
        }
        (a, b) if a == b => Vec::new(),
        _ => vec![path.to_owned()],
    }
}

/// Fields that the API server would prune.
fn unknown(schema: &Value, value: &Value, path: &str) -> Vec<String> {
    match value {
        Value::Object(_)
            if schema["x-kubernetes-preserve-unknown-fields"] == json!(true) || path == ".metadata" =>
        {
            Vec::new()
        }
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(key, value)| {
                let path = format!("{path}.{key}");
                match schema["properties"].get(key).or_else(|| schema.get("additionalProperties")) {
                    Some(inner) => unknown(inner, value, &path),
                    None if path == ".apiVersion" || path == ".kind" || path == ".metadata" => Vec::new(),
                    None => vec![path],
                }
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(|item| unknown(&schema["items"], item, path)).collect(),
        _ => Vec::new(),
    }
}

fn galera(pointer: &str, value: Value) -> Value {
    with(fixture("galera"), pointer, value)
}

/// What is refused in the commands: the object, the field that is named, and words of the message.
fn wrong_commands() -> Vec<(Value, &'static str, &'static str)> {
    let commands = |rest: &str, value| galera(&format!("/spec/pod/commands/{rest}"), value);
    let stop = "spec.pod.commands.stop";
    vec![
        (commands("sequence", Value::Null), "spec.pod.commands.sequence", "commands.sequence is required"),
        (commands("primary", Value::Null), "spec.pod.commands.primary", "commands.primary is required"),
        (commands("status", Value::Null), "spec.pod.commands.status", "commands.status is required"),
        (commands("stop", Value::Null), "spec.pod.commands.stop", "commands.stop is required"),
        (commands("stop/command", json!([])), stop, "names no program"),
        (commands("stop/command", json!([""])), stop, "names no program"),
        (commands("stop/timeout", json!("soon")), "spec.pod.commands.stop.timeout", "\"1h30m\""),
        (galera("/spec/pod/containers", json!([])), "spec.pod.containers", "at least one container"),
    ]
}

/// The same of names, services and the policy.
fn wrong_names() -> Vec<(Value, &'static str, &'static str)> {
    let name = |name: &str| galera("/metadata/name", json!(name));
    let service = |name: &str| galera("/spec/service", json!({ "name": name }));
    let two = json!({"builtin": "largest-integer", "image": "a"});
    let keys = json!({"publicKeys": [{"secretKeyRef": {"name": "keys", "key": "cosign.pub"}}]});
    let unsignable = json!({"builtin": "largest-integer", "verification": keys});
    vec![
        (name("3db"), "", "metadata.name is also"),
        (name("a.b"), "", "metadata.name is also"),
        (name(&"a".repeat(49)), "", "at most 48"),
        (service("3db"), "spec.service.name", "a letter first"),
        (service(&"a".repeat(64)), "spec.service.name", "at most 63"),
        (galera("/spec/secrets", json!(["a", "b", "a"])), "spec.secrets", "twice"),
        (galera("/spec/policy", json!({})), "spec.policy", "exactly one source"),
        (galera("/spec/policy", two), "spec.policy", "exactly one source"),
        (galera("/spec/policy", unsignable), "spec.policy", "verification is for an image"),
        (
            with(fixture("everything"), "/spec/policy/candidate", json!({})),
            "spec.policy.candidate",
            "exactly one source",
        ),
    ]
}

/// The same of numbers and ports.
fn wrong_numbers() -> Vec<(Value, &'static str, &'static str)> {
    let ports = |list| galera("/spec/servicePorts", list);
    let rehearsed = |interval| galera("/spec/recovery", json!({"rehearsalInterval": interval}));
    let twice = json!([{"port": 1, "name": "a"}, {"port": 1, "name": "b", "protocol": "TCP"}]);
    let all = "spec.servicePorts";
    vec![
        (galera("/spec/replicas", json!(256)), "spec.replicas", "at most 255"),
        (galera("/spec/primaries", json!(-1)), "spec.primaries", "less than 0"),
        (galera("/spec/chaosLevel", json!(20)), "spec.chaosLevel", "at most 19"),
        (galera("/spec/reconcileInterval", json!("0s")), "spec.reconcileInterval", "above zero"),
        (
            rehearsed(json!("9s")),
            "spec.recovery.rehearsalInterval",
            "less than ten seconds: write 10s or more",
        ),
        (
            galera("/spec/recovery", json!({"replaceAfter": "29s"})),
            "spec.recovery.replaceAfter",
            "less than thirty seconds: write 30s or more",
        ),
        (rehearsed(json!("soon")), "spec.recovery.rehearsalInterval", "above zero"),
        (ports(twice), all, "one port and protocol twice"),
        (ports(json!([{"port": 1}, {"port": 2, "name": "b"}])), all, "a name of its own"),
        (ports(json!([{"port": 1, "name": "b"}, {"port": 2, "name": "b"}])), all, "a name of its own"),
    ]
}

/// The same of a set on a StatefulCluster.
fn wrong_given_once() -> Vec<(Value, &'static str, &'static str)> {
    let given_once = |pointer: &str, value| with(fixture("given-once"), pointer, value);
    let claims = "spec.pod.volumeClaimTemplates";
    vec![
        (given_once("/metadata/name", json!("a".repeat(47))), "", "at most 46"),
        (given_once("/spec/pod/volumeClaimTemplates", Value::Null), claims, "known by its claims"),
        (given_once("/spec/pod/volumeClaimTemplates", json!([])), claims, "known by its claims"),
    ]
}

#[test]
fn each_rule_refuses_what_it_is_for_and_says_what_would_be_right() {
    let schema = schema();
    let wrong = [wrong_commands(), wrong_names(), wrong_numbers(), wrong_given_once()];
    for (object, path, words) in wrong.into_iter().flatten() {
        let said = refusals(&schema, &object);
        assert_eq!(said.len(), 1, "{path}, {words}: {said:?}");
        let named = said[0].trim_start_matches('.').starts_with(path);
        assert!(named && said[0].contains(words), "{said:?} for {path}, {words}");
    }
}

#[test]
fn the_limits_themselves_are_accepted() {
    let schema = schema();
    for object in [
        with(fixture("galera"), "/metadata/name", json!("a".repeat(48))),
        with(fixture("given-once"), "/metadata/name", json!("a".repeat(46))),
        with(fixture("galera"), "/spec/replicas", json!(255)),
        with(fixture("galera"), "/spec/primaries", json!(0)),
        with(fixture("galera"), "/spec/chaosLevel", json!(-1)),
        with(fixture("galera"), "/spec/service", json!({"name": "a".repeat(63)})),
        with(
            fixture("galera"),
            "/spec/servicePorts",
            json!([{"port": 1, "name": "a"}, {"port": 1, "name": "b", "protocol": "UDP"}]),
        ),
    ] {
        assert_eq!(refusals(&schema, &object), Vec::<String>::new());
    }
}

#[test]
fn the_shortest_times_of_a_recovery_are_judged_alike_by_the_rules_and_by_the_operator() {
    let schema = schema();
    for (field, shortest) in [("rehearsalInterval", 10), ("replaceAfter", 30)] {
        let is_taken = |given: &Value| {
            refusals(&schema, &with(fixture("galera"), "/spec/recovery", json!({field: given}))).is_empty()
        };
        for written in [
            "9s", "9.9s", "009s", "PT9s", "9", "999ms", "9999ms", "10000ms", "10s", "10", "29s", "29.9s",
            "029s", "29", "29999ms", "30000ms", "30s", "30", "300ms", "0.5m", "1h", "9m", "90s", "100s",
        ] {
            let interval: operator::api::Span = serde_json::from_value(json!(written)).expect("a text");
            let is_long = interval.duration().expect("a length of time") >= Duration::from_secs(shortest);
            assert_eq!(is_taken(&json!(written)), is_long, "{field}: {written}");
        }
        for number in [shortest - 1, shortest] {
            assert_eq!(is_taken(&json!(number)), number == shortest, "{field}: {number}");
        }
    }
}

#[test]
fn lengths_of_time_are_judged_alike_by_the_rule_and_by_the_parser() {
    let schema = schema();
    for written in [
        json!("20s"),
        json!("2m"),
        json!("1h30m"),
        json!("1DT2h"),
        json!("P1DT2H"),
        json!("90"),
        json!(90),
        json!("1.5h"),
        json!("250ms"),
        json!("0"),
        json!("0s"),
        json!(0),
        json!(-3),
        json!("-3"),
        json!("-3s"),
        json!(""),
        json!("soon"),
        json!("1h1d"),
        json!("s"),
        json!("10 s"),
        json!("T"),
        json!("P"),
        json!("1x"),
        json!("00"),
        json!("0.0s"),
        json!("1.2.3s"),
    ] {
        let object = with(fixture("example-3"), "/spec/reconcileInterval", written.clone());
        let span: operator::api::Span = serde_json::from_value(written.clone()).expect("a number or a text");
        assert_eq!(
            refusals(&schema, &object).is_empty(),
            span.duration().is_ok(),
            "{written}: {:?}",
            span.duration()
        );
    }
}

#[test]
fn a_length_of_time_that_is_refused_is_told_with_its_field_and_as_it_was_written() {
    let schema = schema();
    for (written, shown) in [(json!("abc"), "abc"), (json!("0s"), "0s"), (json!(-3), "-3"), (json!(""), "")] {
        let set = galera("/spec/pod/commands/stop/timeout", written.clone());
        let expected = format!(
            "spec.pod.commands.stop.timeout: \"{shown}\" is of no use: write a length of time above zero"
        );
        let told = refusals(&schema, &set);
        assert!(matches!(&told[..], [one] if one.starts_with(&expected)), "{written}: {told:?}");
    }
}

#[test]
fn the_text_of_a_rule_reaches_whoever_broke_it_and_a_port_is_one() {
    // The API server puts its own words in the place of ours where a rule gives this reason.
    assert!(!schema().to_string().contains("FieldValueDuplicate"));
    let port = &schema()["properties"]["spec"]["properties"]["servicePorts"]["items"]["properties"]["port"];
    assert_eq!((port["minimum"].as_f64(), port["maximum"].as_f64()), (Some(1.0), Some(65535.0)));
}

#[test]
fn of_a_set_whose_names_are_given_once_no_claim_is_deleted_for_the_size() {
    let schema = schema();
    for (workload, when_scaled, expected) in [
        ("StatefulSet", "Delete", true),
        ("StatefulCluster", "Retain", true),
        ("StatefulCluster", "Delete", false),
    ] {
        let mut set = galera("/spec/workload", json!(workload));
        set["spec"]["persistentVolumeClaimRetentionPolicy"] = json!({"whenScaled": when_scaled});
        let found = Validator::new().validate(&schema, &set, None);
        assert_eq!(found.is_ok(), expected, "{workload}, {when_scaled}");
    }
}

#[test]
fn what_runs_the_pods_cannot_be_changed() {
    let schema = schema();
    let of = |workload: Value| galera("/spec/workload", workload);
    let (left_out, set, cluster) = (of(Value::Null), of(json!("StatefulSet")), of(json!("StatefulCluster")));
    for (before, after, expected) in [
        (&left_out, &left_out, true),
        (&left_out, &set, true),
        (&set, &left_out, true),
        (&cluster, &cluster, true),
        (&left_out, &cluster, false),
        (&cluster, &left_out, false),
        (&cluster, &set, false),
    ] {
        let found = Validator::new().validate(&schema, after, Some(before));
        assert_eq!(
            found.is_ok(),
            expected,
            "{} to {}",
            before["spec"]["workload"],
            after["spec"]["workload"]
        );
    }
}
