use k8s_openapi::api::apps::v1::StatefulSet;
use serde_json::{Value, json};

use super::apply::as_json;
use super::stateful_set::keep_immutable;
use super::*;
use crate::target::Target;

mod deletion;

const GALERA: &str = include_str!("../../tests/fixtures/galera.yaml");
const DUMMY: &str = include_str!("../../tests/fixtures/dummy.yaml");
const EVERYTHING: &str = include_str!("../../tests/fixtures/everything.yaml");

fn target(text: &str, change: impl FnOnce(&mut Value)) -> Target {
    let mut set: Value = serde_saphyr::from_str(text).unwrap();
    set["metadata"]["namespace"] = json!("shop");
    set["metadata"]["uid"] = json!("u-1");
    set["spec"]["policy"] = json!({"builtin": "largest-integer"});
    change(&mut set);
    Target::parse(&serde_json::from_value(set).unwrap()).unwrap()
}

fn galera() -> Target {
    target(GALERA, |_| ())
}

fn stateful_set(target: &Target) -> Value {
    as_json(&build_stateful_set(target))
}

fn pod(target: &Target) -> Value {
    stateful_set(target)["spec"]["template"].clone()
}

/// The entry of a list that has this name.
fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    list.as_array().unwrap().iter().find(|entry| entry["name"] == name).unwrap_or(&Value::Null)
}

#[test]
fn the_stateful_set_leaves_every_decision_to_the_operator() {
    let set = stateful_set(&galera());
    assert_eq!(set["metadata"]["name"], "rss-galera");
    assert_eq!(set["metadata"]["namespace"], "shop");
    assert_eq!(set["spec"]["serviceName"], "galera-svc");
    assert_eq!(set["spec"]["podManagementPolicy"], "Parallel");
    assert_eq!(set["spec"]["updateStrategy"], json!({"type": "OnDelete"}));
    assert_eq!(
        set["spec"]["selector"]["matchLabels"],
        json!({"app": "galera", "rss-operator-managed": "true"})
    );
    assert_eq!(
        set["spec"]["persistentVolumeClaimRetentionPolicy"],
        json!({"whenDeleted": "Retain", "whenScaled": "Retain"})
    );
    assert_eq!(set["spec"]["volumeClaimTemplates"].as_array().map(Vec::len), Some(2));
    assert!(set["spec"].get("replicas").is_none());
    assert_eq!(
        set["metadata"]["ownerReferences"],
        json!([{"apiVersion": "clusterlabs.org/v1alpha1", "kind": "ReplicatedStatefulSet", "name": "galera",
            "uid": "u-1", "controller": true}])
    );
}

#[test]
fn labels_go_everywhere_and_annotations_to_stateful_set_and_pods() {
    let target = galera();
    let set = stateful_set(&target);
    let note = json!({"example.com/note": "kept"});
    assert_eq!(set["metadata"]["annotations"], note);
    assert_eq!(set["spec"]["template"]["metadata"]["annotations"], note);
    let common = json!({"app": "galera", "rss-operator-managed": "true", "team": "storage"});
    assert_eq!(set["metadata"]["labels"], common);
    for service in [build_headless_service(&target), build_client_service(&target).unwrap()] {
        assert_eq!(as_json(&service)["metadata"]["labels"], common);
        assert_eq!(service.metadata.annotations, None);
    }
    assert_eq!(
        set["spec"]["template"]["metadata"]["labels"],
        json!({"app": "galera", "rss-operator-managed": "true", "team": "storage", "rss-active-member": "false",
            "clusterlabs.org/role": "stopped"})
    );
}

#[test]
fn the_internal_service_names_members_that_are_not_ready() {
    assert_eq!(
        as_json(&build_headless_service(&galera()))["spec"],
        json!({"clusterIP": "None", "publishNotReadyAddresses": true,
            "selector": {"app": "galera", "rss-operator-managed": "true"},
            "ports": [{"name": "galera", "protocol": "TCP", "port": 3306, "targetPort": 3306}]})
    );
    assert_eq!(as_json(&build_headless_service(&target(DUMMY, |_| ())))["spec"].get("ports"), None);
}

#[test]
fn fields_that_the_operator_only_hands_on_are_those_of_the_pod() {
    let fields = json!({
        "priorityClassName": "high", "runtimeClassName": "gvisor", "schedulerName": "other",
        "hostAliases": [{"ip": "10.0.0.1", "hostnames": ["db"]}], "dnsPolicy": "None",
        "dnsConfig": {"nameservers": ["10.0.0.2"]}, "enableServiceLinks": false, "hostUsers": false});
    let target = target(GALERA, |set| {
        let pod = set["spec"]["pod"].as_object_mut().unwrap();
        pod.extend(fields.as_object().unwrap().clone());
    });
    let pod = &stateful_set(&target)["spec"]["template"]["spec"];
    for (key, value) in fields.as_object().unwrap() {
        assert_eq!(&pod[key], value, "{key}");
    }
}

#[test]
fn the_client_service_leads_to_active_members_only() {
    let service = as_json(&build_client_service(&galera()));
    assert_eq!(service["metadata"]["name"], "galera");
    assert_eq!(
        service["spec"],
        json!({"type": "ClusterIP", "sessionAffinity": "None",
            "selector": {"app": "galera", "rss-active-member": "true"},
            "ports": [{"name": "galera", "protocol": "TCP", "port": 3306, "targetPort": 3306}]})
    );
    assert_eq!(build_client_service(&target(DUMMY, |_| ())), None);
    let renamed = as_json(&build_client_service(&target(EVERYTHING, |_| ())));
    assert_eq!(
        (&renamed["metadata"]["name"], &renamed["spec"]["sessionAffinity"]),
        (&json!("db"), &json!("ClientIP"))
    );
}

#[test]
fn the_budget_lets_one_pod_go_unless_it_is_told_otherwise() {
    let budget = as_json(&build_disruption_budget(&galera()));
    assert_eq!(budget["spec"]["maxUnavailable"], 1);
    assert_eq!(budget["spec"]["unhealthyPodEvictionPolicy"], "IfHealthyBudget");
    assert_eq!(
        budget["spec"]["selector"]["matchLabels"],
        json!({"app": "galera", "rss-operator-managed": "true"})
    );
    let half = build_disruption_budget(&target(EVERYTHING, |_| ()));
    assert_eq!(as_json(&half)["spec"]["maxUnavailable"], "50%");
    let none = target(GALERA, |set| set["spec"]["disruptionBudget"] = json!({"enabled": false}));
    assert_eq!(build_disruption_budget(&none), None);
}

#[test]
fn the_first_container_has_what_the_guard_needs_and_the_others_have_not() {
    let pod = pod(&target(EVERYTHING, |_| ()));
    let containers = &pod["spec"]["containers"];
    let uid = |container: &Value| {
        named(&container["env"], "RSS_POD_UID")["valueFrom"]["fieldRef"]["fieldPath"].clone()
    };
    let run = |container: &Value| named(&container["volumeMounts"], "rss-run")["mountPath"].clone();
    assert_eq!((uid(&containers[0]), run(&containers[0])), (json!("metadata.uid"), json!("/run/rss")));
    assert_eq!((uid(&containers[1]), run(&containers[1])), (Value::Null, Value::Null));
    assert_eq!(named(&pod["spec"]["volumes"], "rss-run"), &json!({"name": "rss-run", "emptyDir": {}}));
}

#[test]
fn a_pod_is_ready_only_while_status_says_so_and_the_operator_too() {
    let pod = |target: &Target| pod(target)["spec"].clone();
    let spec = pod(&target(EVERYTHING, |set| {
        set["spec"]["reconcileInterval"] = json!("30s");
        set["spec"]["pod"]["commands"]["status"] = json!({"command": ["/check.sh", "a b"], "timeout": "20s"});
    }));
    assert_eq!(spec["readinessGates"], json!([{"conditionType": "clusterlabs.org/serving"}]));
    let probe = &spec["containers"][0]["readinessProbe"];
    let words = probe["exec"]["command"].as_array().unwrap();
    assert_eq!((&words[0], &words[4..]), (&json!("sh"), &[json!("/check.sh"), json!("a b")][..]));
    assert_eq!((&probe["periodSeconds"], &probe["timeoutSeconds"]), (&json!(30), &json!(20)));
    assert_eq!(spec["containers"][1].get("readinessProbe"), None, "commands run in the first one alone");
    let own = json!({"httpGet": {"path": "/", "port": 80}});
    let spec =
        pod(&target(EVERYTHING, |set| set["spec"]["pod"]["containers"][0]["readinessProbe"] = own.clone()));
    assert_eq!(spec["containers"][0]["readinessProbe"], own, "the resource's own stays, beside the gate");
}

#[test]
fn every_container_knows_who_and_where_it_is() {
    let pod = pod(&target(EVERYTHING, |_| ()));
    let lists = [&pod["spec"]["containers"], &pod["spec"]["initContainers"]];
    for container in lists.into_iter().flat_map(|list| list.as_array().unwrap()) {
        let env = &container["env"];
        assert_eq!(named(env, "SERVICE_NAME")["value"], "everything-svc");
        assert_eq!(named(env, "POD_NAME")["valueFrom"]["fieldRef"]["fieldPath"], "metadata.name");
        assert_eq!(named(env, "POD_NAMESPACE")["valueFrom"]["fieldRef"]["fieldPath"], "metadata.namespace");
        assert_eq!(named(env, "CHAOS_LEVEL")["value"], "4");
        assert_eq!(named(env, "CHAOS_MODULO")["value"], "16");
        let mounts = &container["volumeMounts"];
        assert_eq!(named(mounts, "rss-podinfo")["mountPath"], "/etc/podinfo");
        let second = named(mounts, "rss-secret-1");
        assert_eq!(
            (&second["mountPath"], &second["readOnly"]),
            (&json!("/etc/rss/secrets/second.example"), &json!(true))
        );
    }
    assert_eq!(named(&pod["spec"]["volumes"], "rss-secret-1")["secret"]["secretName"], "second.example");
    let info: Vec<_> = named(&pod["spec"]["volumes"], "rss-podinfo")["downwardAPI"]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["fieldRef"]["fieldPath"].clone())
        .collect();
    assert_eq!(info, ["metadata.labels", "metadata.annotations"]);
}

#[test]
fn a_variable_of_the_resource_stays_and_comes_after_ours() {
    let target = target(GALERA, |set| {
        set["spec"]["pod"]["containers"][0]["env"] =
            json!([{"name": "POD_NAME", "value": "mine"}, {"name": "X", "value": "$(POD_NAMESPACE)"}]);
    });
    let env = pod(&target)["spec"]["containers"][0]["env"].clone();
    let names: Vec<_> = env.as_array().unwrap().iter().map(|variable| variable["name"].clone()).collect();
    assert_eq!(names, ["RSS_POD_UID", "SERVICE_NAME", "POD_NAMESPACE", "POD_NAME", "X"]);
    assert_eq!(named(&env, "POD_NAME")["value"], "mine");
}

#[test]
fn without_chaos_there_is_no_word_of_it() {
    assert!(!pod(&galera()).to_string().contains("CHAOS"));
}

#[test]
fn what_stands_under_spec_reaches_the_pod() {
    let spec = pod(&target(EVERYTHING, |_| ()))["spec"].clone();
    assert_eq!(spec["containers"][0]["resources"]["limits"], json!({"memory": "1Gi", "cpu": "0.5"}));
    assert_eq!(spec["containers"][1]["resources"]["limits"], json!({"cpu": "10m"}));
    assert_eq!(spec["nodeSelector"], json!({"disk": "ssd", "zone": "a"}));
    assert_eq!(spec["serviceAccountName"], "db");
    assert_eq!(spec["imagePullSecrets"], json!([{"name": "pull"}]));
    assert_eq!(spec["tolerations"], json!([{"key": "dedicated", "operator": "Exists"}]));
    assert_eq!(spec["securityContext"], json!({"runAsUser": 1000, "fsGroup": 1000}));
    assert_eq!(spec["automountServiceAccountToken"], false);
    assert_eq!(spec["terminationGracePeriodSeconds"], 60);
    assert_eq!(spec["topologySpreadConstraints"].as_array().map(Vec::len), Some(1));
    let own = target(EVERYTHING, |set| {
        set["spec"]["pod"]["containers"][0]["resources"] = json!({"limits": {"cpu": "1"}})
    });
    assert_eq!(pod(&own)["spec"]["containers"][0]["resources"], json!({"limits": {"cpu": "1"}}));
}

#[test]
fn anti_affinity_is_required_by_hostname_beside_what_the_resource_says() {
    let spread = pod(&galera())["spec"]["affinity"].clone();
    let required = &spread["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    assert_eq!(
        required,
        &json!([{"topologyKey": "kubernetes.io/hostname",
            "labelSelector": {"matchLabels": {"app": "galera", "rss-operator-managed": "true"}}}])
    );
    let both = target(EVERYTHING, |set| set["spec"]["pod"]["antiAffinity"] = json!(true));
    let terms = pod(&both)["spec"]["affinity"]["podAntiAffinity"].clone();
    assert_eq!(terms.as_object().map(serde_json::Map::len), Some(2));
    assert_eq!(
        pod(&target(DUMMY, |set| set["spec"]["pod"]["antiAffinity"] = json!(false)))["spec"].get("affinity"),
        None
    );
}

#[test]
fn names_are_what_scripts_and_people_rely_on() {
    let target = galera();
    assert_eq!(pod_name(&target, 2), "rss-galera-2");
    assert_eq!(peer(&target, "rss-galera-2"), "rss-galera-2.galera-svc");
    assert_eq!(selector(&target), "app=galera,rss-operator-managed=true");
    assert_eq!(client_service_name(&target), Some("galera"));
}

#[test]
fn an_immutable_difference_is_named_and_put_back() {
    let live = |change: &dyn Fn(&mut Value)| -> StatefulSet {
        let mut live = stateful_set(&galera());
        // As the API server answers.
        live["spec"]["volumeClaimTemplates"][0]["spec"]["resources"]["requests"]["storage"] =
            json!("10240Mi");
        live["spec"]["volumeClaimTemplates"][0]["spec"]["volumeMode"] = json!("Filesystem");
        live["spec"]["volumeClaimTemplates"][0]["status"] = json!({"phase": "Pending"});
        change(&mut live);
        serde_json::from_value(live).unwrap()
    };
    for (live, expected) in [
        (live(&|_| ()), vec![]),
        (live(&|s| s["spec"]["serviceName"] = json!("old")), vec![ImmutableField::ServiceName]),
        (
            live(&|s| s["spec"]["podManagementPolicy"] = json!("OrderedReady")),
            vec![ImmutableField::PodManagementPolicy],
        ),
        (
            live(&|s| s["spec"]["selector"]["matchLabels"] = json!({"app": "galera", "old": "x"})),
            vec![ImmutableField::Selector],
        ),
        (
            live(&|s| s["spec"]["volumeClaimTemplates"][1]["metadata"]["name"] = json!("old")),
            vec![ImmutableField::VolumeClaimTemplates],
        ),
        (
            live(&|s| drop(s["spec"]["volumeClaimTemplates"].take())),
            vec![ImmutableField::VolumeClaimTemplates],
        ),
    ] {
        let mut wanted = build_stateful_set(&galera());
        assert_eq!(keep_immutable(&mut wanted, &live), expected);
        let (wanted, live) = (wanted.spec.unwrap(), live.spec.unwrap());
        assert_eq!(wanted.service_name, live.service_name);
        assert_eq!(wanted.pod_management_policy, live.pod_management_policy);
        assert_eq!(wanted.selector, live.selector);
        let labels = wanted.template.metadata.unwrap().labels.unwrap();
        assert!(
            live.selector.match_labels.unwrap().iter().all(|(key, value)| labels.get(key) == Some(value))
        );
        assert_eq!(wanted.volume_claim_templates.is_some(), live.volume_claim_templates.is_some());
    }
}

#[test]
fn taking_over_keeps_replicas_out_of_what_is_applied_and_asks_nothing_of_the_order() {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
    let entry = |manager: &str, subresource: Value, fields: Value| {
        json!({"manager": manager, "operation": "Update", "subresource": subresource, "apiVersion": "apps/v1",
            "fieldsType": "FieldsV1", "fieldsV1": fields})
    };
    let meta = |entries: Value| -> ObjectMeta {
        serde_json::from_value(json!({"resourceVersion": "7", "managedFields": entries})).unwrap()
    };
    let made = json!({"f:spec": {"f:replicas": {}, "f:template": {"f:spec": {}}}});
    let made = entry("someone", Value::Null, made);
    let edited = json!({"f:spec": {"f:template": {"f:metadata": {"f:labels": {}}}}});
    let edited = entry("editor", Value::Null, edited);
    let status = entry("someone", json!("status"), json!({"f:status": {}}));
    let once = json!({"f:spec": {"f:template": {"f:spec": {}}}});
    let twice = json!({"f:spec": {"f:template": {"f:metadata": {"f:labels": {}}, "f:spec": {}}}});
    let mut ours = Value::Null;
    for (told, owned) in [
        (json!([made, status]), &once),
        (json!([made, edited, status]), &twice),
        (json!([edited, status, made]), &twice),
    ] {
        let patch = ownership::take_over(&meta(told)).unwrap();
        assert_eq!(patch[0], json!({"op": "test", "path": "/metadata/resourceVersion", "value": "7"}));
        let entries = &patch[1]["value"];
        ours = entries[0].clone();
        assert_eq!((&ours["manager"], &ours["operation"]), (&json!(FIELD_MANAGER), &json!("Apply")));
        assert_eq!(&ours["fieldsV1"], owned);
        assert_eq!(entries[1]["subresource"], "status");
        assert_eq!(entries.as_array().map(Vec::len), Some(2));
    }
    ours["time"] = Value::Null;
    assert_eq!(ownership::take_over(&meta(json!([ours]))), None);
}
