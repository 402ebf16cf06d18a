//! What an administrator is asked to grant: what is not granted cannot be done, whatever the code does.

use serde_json::Value;

/// The rights in all namespaces, those in one, and those in the operator's own.
const ROLES: [(&str, &str); 3] = [
    ("cluster-role", include_str!("../../deploy/cluster-role.yaml")),
    ("role", include_str!("../../deploy/role.yaml")),
    ("policies-role", include_str!("../../deploy/policies-role.yaml")),
];

/// Each right of a role, as a resource with a verb.
fn rights(role: &str) -> Vec<(String, String)> {
    let role: Value = serde_saphyr::from_str(role).expect("a role is YAML");
    let texts = |list: &Value| -> Vec<String> {
        let entries = list.as_array().into_iter().flatten();
        entries.filter_map(|entry| entry.as_str().map(str::to_owned)).collect()
    };
    let of_rule = |rule: &Value| -> Vec<(String, String)> {
        let verbs = texts(&rule["verbs"]);
        let each = |resource: String| verbs.clone().into_iter().map(move |verb| (resource.clone(), verb));
        texts(&rule["resources"]).into_iter().flat_map(each).collect()
    };
    role["rules"].as_array().expect("a role has rules").iter().flat_map(of_rule).collect()
}

/// The resources on which one of these verbs is granted by a role, each once.
fn granted(role: &str, verbs: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = rights(role)
        .into_iter()
        .filter(|(_, verb)| verbs.contains(&verb.as_str()))
        .map(|(resource, _)| resource)
        .collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn nothing_can_be_made_that_would_mount_a_claim_beside_the_pods_of_the_statefulset() {
    for (name, role) in ROLES {
        let harmless = [
            "configmaps",
            "customresourcedefinitions",
            "events",
            "leases",
            "poddisruptionbudgets",
            "pods/exec",
            "services",
            "statefulsets",
        ];
        for resource in granted(role, &["create", "*"]) {
            assert!(harmless.contains(&resource.as_str()), "{name} lets {resource} be made");
        }
    }
}

#[test]
fn no_claim_no_volume_and_no_set_can_be_deleted() {
    for (name, role) in ROLES {
        let replaced = ["configmaps", "poddisruptionbudgets", "pods", "services", "statefulsets"];
        for resource in granted(role, &["delete", "deletecollection", "*"]) {
            assert!(replaced.contains(&resource.as_str()), "{name} lets {resource} be deleted");
        }
    }
}

#[test]
fn what_sets_name_is_read_by_its_name_and_never_listed() {
    for (name, role) in &ROLES[..2] {
        let read: Vec<String> = rights(role)
            .into_iter()
            .filter(|(resource, _)| ["secrets", "configmaps", "serviceaccounts"].contains(&resource.as_str()))
            .map(|(resource, verb)| format!("{verb} {resource}"))
            .collect();
        assert_eq!(read, ["get secrets", "get configmaps", "get serviceaccounts"], "{name}");
    }
}

#[test]
fn events_are_listed_where_sets_are_and_never_watched() {
    for (name, role) in &ROLES[..2] {
        let of_events = rights(role).into_iter().filter(|(resource, _)| resource == "events");
        let verbs: Vec<String> = of_events.map(|(_, verb)| verb).collect();
        assert_eq!(verbs, ["create", "patch", "list"], "{name}");
    }
}

#[test]
fn no_right_is_given_to_everything_or_to_hold_up_a_deletion() {
    for (name, role) in ROLES {
        for (resource, verb) in rights(role) {
            assert!(resource != "*" && verb != "*", "{name}: {verb} {resource}");
            assert!(!resource.ends_with("/finalizers"), "{name}: {verb} {resource}");
        }
    }
}
