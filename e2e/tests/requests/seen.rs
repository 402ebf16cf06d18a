//! What of an answer, and of an object, is compared: what the rules in memory claim to know. Defaults, times, the status
//! that controllers write, and what the cluster adds are not of it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::universe::Kind;

/// Fields of metadata that are compared as they are.
const METADATA: [&str; 3] = ["labels", "finalizers", "deletionGracePeriodSeconds"];

/// Of an object, however it is spelled.
pub(crate) fn object(kind: Kind, object: &Value) -> Value {
    if object.is_null() {
        return json!("none");
    }
    let meta = &object["metadata"];
    let mut seen = json!({"terminating": !meta["deletionTimestamp"].is_null(), "spec": spec(kind, object),
        "notes": own(&meta["annotations"])});
    // Nobody applies ours by the server, and a write of the status has labels change their owner that it does not write.
    if !kind.is_custom() {
        seen["owners"] = json!(owners(object));
    }
    for field in METADATA {
        seen[field] = Some(&meta[field]).filter(|value| !is_empty(value)).cloned().unwrap_or_default();
    }
    if matches!(kind, Kind::Pod | Kind::Workload | Kind::Budget | Kind::Set | Kind::Cluster) {
        seen["generation"] = meta["generation"].clone();
    }
    if kind.is_custom() {
        seen["status"] = object["status"]["reason"].clone();
    }
    seen
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

/// Others annotate, too.
fn own(annotations: &Value) -> BTreeMap<String, Value> {
    let all = annotations.as_object().into_iter().flatten();
    all.filter(|(key, _)| key.starts_with("rss.test/"))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

fn spec(kind: Kind, object: &Value) -> Value {
    let spec = &object["spec"];
    let containers = |spec: &Value| -> Value {
        let all = spec["containers"].as_array().into_iter().flatten();
        let seen = |one: &Value| json!({"name": one["name"], "image": one["image"], "env": one["env"]});
        all.map(seen).collect()
    };
    let ports = || -> Value {
        let all = spec["ports"].as_array().into_iter().flatten();
        all.map(|port| json!([port["name"], port["port"]])).collect()
    };
    match kind {
        Kind::ConfigMap => object["data"].clone(),
        Kind::Revision => json!([object["data"], object["revision"]]),
        Kind::Lease => json!([spec["holderIdentity"], spec["leaseTransitions"]]),
        Kind::Service => {
            json!([spec["clusterIP"], spec["selector"], is(&spec["publishNotReadyAddresses"]), ports()])
        }
        Kind::Budget => json!([spec["maxUnavailable"], spec["minAvailable"], spec["selector"]]),
        Kind::Claim => json!([spec["storageClassName"], spec["accessModes"]]),
        Kind::Pod => json!([containers(spec), spec["nodeName"], spec["hostname"]]),
        Kind::Workload => json!([
            spec["replicas"].as_u64().unwrap_or(1),
            spec["serviceName"],
            spec["selector"],
            spec["template"]["metadata"]["annotations"],
            containers(&spec["template"]["spec"])
        ]),
        Kind::Set => spec["replicas"].clone(),
        Kind::Cluster => json!([spec["replicas"], containers(&spec["template"]["spec"])]),
    }
}

/// False is what is not there.
fn is(value: &Value) -> bool {
    value.as_bool().unwrap_or(false)
}

/// Who owns labels, notes, the size, the limits of a budget, and images and variables of a template, and by which way to
/// write.
fn owners(object: &Value) -> Vec<String> {
    let all = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    let ours = all.filter(|entry| ["ours", "other"].iter().any(|name| entry["manager"] == *name));
    let told = ours.filter(|entry| entry["subresource"] != "status").map(|entry| {
        let fields = &entry["fieldsV1"];
        let mut parts: Vec<String> = Vec::new();
        for (what, at) in [("label", "f:labels"), ("note", "f:annotations")] {
            let keys = fields["f:metadata"][at].as_object().into_iter().flat_map(|keys| keys.keys());
            parts
                .extend(keys.filter(|key| key.starts_with("f:rss.test/")).map(|key| format!("{what} {key}")));
        }
        let spec = &fields["f:spec"];
        for limit in ["f:replicas", "f:maxUnavailable", "f:minAvailable"] {
            parts.extend(spec[limit].is_object().then(|| limit.to_owned()));
        }
        parts.extend(of_template(&spec["f:template"]));
        format!("{} {} {}: {parts:?}", entry["manager"], entry["operation"], entry["subresource"])
    });
    let mut told: Vec<String> = told.filter(|told| !told.ends_with("[]")).collect();
    told.sort();
    told
}

/// What an entry owns of a template: notes, and the image and each variable of its container.
fn of_template(template: &Value) -> Vec<String> {
    let keys = |fields: &Value| -> Vec<String> {
        fields.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
    };
    let notes = keys(&template["f:metadata"]["f:annotations"]);
    let container = &template["f:spec"]["f:containers"][r#"k:{"name":"db"}"#];
    let image = container["f:image"].is_object().then(|| "f:image".to_owned());
    let variables = keys(&container["f:env"]).into_iter().filter(|key| key.starts_with("k:"));
    let notes = notes.into_iter().filter(|key| key.starts_with("f:rss.test/"));
    notes.chain(image).chain(variables).map(|field| format!("template {field}")).collect()
}

/// Of an answer, and whether its version and UID are others than those that were known.
pub(crate) fn answer(kind: Kind, (code, body): &(u16, Value), known: &Value, names: &[String]) -> Value {
    if *code >= 400 {
        let causes = body["details"]["causes"].as_array().into_iter().flatten();
        let is_another = causes.into_iter().any(|cause| cause["field"] == "metadata.uid");
        return json!({"code": code, "reason": body["reason"], "another": is_another});
    }
    if let Some(items) = body["items"].as_array() {
        let is_there = |name: &&String| items.iter().any(|item| item["metadata"]["name"] == **name);
        return json!({"code": code, "names": names.iter().filter(is_there).collect::<Vec<_>>()});
    }
    let differs = |field: &str| body["metadata"][field] != known["metadata"][field];
    match body["kind"].as_str() {
        Some("Status") => json!({"code": code, "kind": "Status"}),
        Some("Scale") => json!({"code": code, "kind": "Scale", "size": body["spec"]["replicas"],
            "version": differs("resourceVersion"), "uid": differs("uid")}),
        _ => {
            let seen = object(kind, body);
            // These get another version now and then also where nothing is changed, as when their defaults are stored.
            let is_idle = (kind == Kind::Claim || kind.is_custom()) && seen == object(kind, known);
            let version = (!is_idle).then(|| differs("resourceVersion"));
            json!({"code": code, "object": seen, "version": version, "uid": differs("uid")})
        }
    }
}

/// What a watch told of the objects of some names, without what is told again.
pub(crate) fn events(kind: Kind, lines: &str, names: &[String]) -> Vec<String> {
    let mut last = BTreeMap::new();
    let mut told = Vec::new();
    for event in lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let name = event["object"]["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        if !names.contains(&name) {
            continue;
        }
        let seen = object(kind, &event["object"]);
        let is_again = event["type"] == "MODIFIED" && last.get(&name) == Some(&seen);
        if !is_again {
            told.push(format!("{} {name} {seen}", event["type"]));
        }
        last.insert(name, seen);
    }
    told
}
