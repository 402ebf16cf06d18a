//! The definition that is installed: its size, its words, its file.

use operator::api::Reason;
use operator::api::condition::ConditionType;
use operator::crdgen;
use serde_json::Value;

/// `kubectl apply` keeps the whole object in an annotation, and annotations end at 262,144 bytes.
const BUDGET: usize = 180_000;

fn crd() -> Value {
    serde_json::to_value(crdgen::crd()).expect("plain JSON")
}

fn schema() -> Value {
    crd()["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

#[test]
fn plain_kubectl_apply_can_carry_it() {
    let size = crd().to_string().len();
    assert!(size < BUDGET, "{size} bytes of compact JSON");
}

#[test]
fn every_field_is_described_in_one_line_at_least() {
    fn undescribed(schema: &Value, path: &str, found: &mut Vec<String>) {
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{name}");
            if field["description"].as_str().is_none_or(str::is_empty) {
                found.push(path.clone());
            }
            undescribed(field, &path, found);
            undescribed(&field["items"], &path, found);
        }
    }
    let mut found = Vec::new();
    let schema = schema();
    undescribed(&schema["properties"]["spec"], "spec", &mut found);
    undescribed(&schema["properties"]["status"], "status", &mut found);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn the_schema_is_structural() {
    fn each(schema: &Value, path: &str, check: &mut impl FnMut(&Value, &str)) {
        check(schema, path);
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            each(field, &format!("{path}.{name}"), check);
        }
        for key in ["items", "additionalProperties"] {
            if schema[key].is_object() {
                each(&schema[key], &format!("{path}[]"), check);
            }
        }
    }
    each(&schema(), "", &mut |schema, path| {
        let any = schema["x-kubernetes-int-or-string"] == true
            || schema["x-kubernetes-preserve-unknown-fields"] == true;
        assert!(schema["type"].is_string() || any, "{path} has no type: {schema}");
        assert!(schema.get("$ref").is_none() && schema.get("nullable").is_none(), "{path}: {schema}");
        assert!(
            !matches!(schema["format"].as_str(), Some("uint" | "uint8" | "uint16" | "uint32" | "uint64")),
            "{path}"
        );
    });
}

#[test]
fn a_status_that_nobody_wrote_says_that_nobody_has_looked() {
    assert_eq!(schema()["properties"]["status"]["default"], serde_json::json!({ "observedGeneration": -1 }));
}

#[test]
fn names_columns_and_scale_are_what_people_were_told() {
    let crd = crd();
    let version = &crd["spec"]["versions"][0];
    assert_eq!(crd["metadata"]["name"], "replicatedstatefulsets.clusterlabs.org");
    assert_eq!(crd["spec"]["names"]["shortNames"], serde_json::json!(["rss"]));
    assert_eq!(version["subresources"]["scale"]["labelSelectorPath"], ".status.selector");
    let columns: Vec<_> = version["additionalPrinterColumns"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|c| c["name"].as_str())
        .collect();
    assert_eq!(columns, ["Ready", "Primaries", "Phase", "Reason", "Age"]);
}

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/crd.yaml");

#[test]
fn the_file_in_deploy_is_what_the_types_say() {
    let text = std::fs::read_to_string(FILE).expect("deploy/crd.yaml is there");
    assert!(text == crdgen::yaml(&crdgen::crd()), "deploy/crd.yaml is stale: run `cargo xtask generate`");
}

const CONDITIONS: &str = include_str!("../../docs/conditions-and-events.md");
const POLICIES: &str = include_str!("../../docs/policies.md");

#[test]
fn every_condition_and_every_reason_of_a_policy_is_in_the_documentation() {
    for kind in ConditionType::ALL {
        assert!(CONDITIONS.contains(&format!("`{}`", kind.as_str())), "{kind:?}");
    }
    let of_policies = [
        Reason::PolicyActive,
        Reason::PolicyNotKept,
        Reason::PolicyLoading,
        Reason::PolicyUnavailable,
        Reason::SignatureRefused,
        Reason::PolicyRefused,
        Reason::SettingsRefused,
        Reason::DoesNotConform,
    ];
    for reason in of_policies {
        assert!(POLICIES.contains(&format!("`{}`", reason.as_str())), "{reason:?}");
    }
}
