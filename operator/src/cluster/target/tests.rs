use serde_json::json;
use stateful_cluster::target::{Order, Patience, Retention, Update};

use super::fixture::{cluster, wanted};
use super::{Invalid, Wanted};

#[test]
fn what_is_left_out_is_filled_in() {
    let wanted = wanted(json!({}));
    let heart = &wanted.heart;
    assert_eq!((heart.replicas, heart.order, heart.update), (3, Order::Parallel, Update::Rolling));
    assert_eq!((heart.when_removed, heart.budget, heart.paused), (Retention::Retain, 3, false));
    assert_eq!(heart.released, None, "what is seen decides");
    let patience = Patience { unhealthy: 600, unheard: 300, window: 3600, progress: 600 };
    assert_eq!((&heart.patience, wanted.history), (&patience, 10));
    assert_eq!(heart.claims, ["data".into()]);
    assert_eq!(wanted.selector(), "app=coder,enge.me/statefulcluster=coder");
}

#[test]
fn where_another_resource_owns_it_nobody_goes_unless_that_one_says_so() {
    for (released, is_owned, expected) in [
        (json!(null), false, None),
        (json!(null), true, Some([].into())),
        (json!(["coder-a"]), true, Some(["coder-a".into()].into())),
    ] {
        let mut cluster = cluster(json!({"replacement": {"released": released}}));
        let owner = json!([{"apiVersion": "clusterlabs.org/v1alpha1", "kind": "ReplicatedStatefulSet", "name": "coder",
            "uid": "set", "controller": true}]);
        cluster.metadata.owner_references =
            is_owned.then(|| serde_json::from_value(owner).expect("a reference"));
        let wanted = Wanted::parse(&cluster).expect("it can be acted on");
        assert_eq!(wanted.heart.released, expected, "{released} {is_owned}");
    }
}

#[test]
fn what_is_said_is_done() {
    let wanted =
        wanted(json!({"podManagementPolicy": "OrderedReady", "updateStrategy": {"type": "OnDelete"},
        "persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete", "whenDeleted": "Delete"},
        "replacement": {"budget": 0, "unheardAfter": "20s", "released": ["coder-a", "coder-a"]},
        "progressDeadlineSeconds": 9}));
    let heart = &wanted.heart;
    assert_eq!((heart.order, heart.update), (Order::OneByOne, Update::OnDelete));
    assert_eq!((heart.when_removed, wanted.claims_go_with_it), (Retention::Delete, true));
    assert_eq!((heart.budget, heart.patience.unheard, heart.patience.progress), (0, 20, 9));
    assert_eq!(heart.released, Some(["coder-a".into()].into()));
}

#[test]
fn what_cannot_be_acted_on_is_told_by_its_field() {
    let expression = |operator: &str, values: &[&str]| {
        json!({"selector": {"matchLabels": {"app": "coder"}, "matchExpressions": [
            {"key": "app", "operator": operator, "values": values}]}})
    };
    let template = json!({"metadata": {"labels": {"app": "other"}}, "spec": {"containers": [{"name": "a"}]}});
    let reserved = |field: &str, key: &str| json!({"template": {"metadata": {field: {key: "x"}}, "spec": {"containers": [{"name": "a"}]}}});
    for (more, expected) in [
        (json!({"replicas": -1}), "spec.replicas"),
        (json!({"replicas": 1001}), "spec.replicas"),
        (json!({"selector": {}}), "spec.selector"),
        (expression("NotIn", &["coder"]), "spec.selector.matchExpressions[0]"),
        (expression("In", &["other"]), "spec.selector.matchExpressions[0]"),
        (json!({"template": template}), "spec.template.metadata.labels[app]"),
        (json!({"template": {}}), "spec.template.spec.containers"),
        (
            reserved("labels", "controller-revision-hash"),
            "spec.template.metadata.labels[controller-revision-hash]",
        ),
        (
            reserved("annotations", "enge.me/ending-containers"),
            "spec.template.metadata.annotations[enge.me/ending-containers]",
        ),
        (
            json!({"selector": {"matchLabels": {"app": "coder", "enge.me/identity": "x"}}}),
            "spec.selector.matchLabels[enge.me/identity]",
        ),
        (
            json!({"volumeClaimTemplates": [{"metadata": {"name": "a", "labels": {"enge.me/claim-template": "b"}}}]}),
            "spec.volumeClaimTemplates[0].metadata.labels[enge.me/claim-template]",
        ),
        (json!({"replacement": {"window": "soon"}}), "spec.replacement.window"),
        (json!({"minReadySeconds": 300, "replacement": {"unhealthyAfter": "5m"}}), "spec.minReadySeconds"),
        (json!({"minReadySeconds": 30, "progressDeadlineSeconds": 30}), "spec.progressDeadlineSeconds"),
        (
            json!({"template": {"spec": {"activeDeadlineSeconds": 60, "containers": [{"name": "a"}]}}}),
            "spec.template.spec.activeDeadlineSeconds",
        ),
        (json!({"volumeClaimTemplates": [{}]}), "spec.volumeClaimTemplates[0].metadata.name"),
        (
            json!({"updateStrategy": {"rollingUpdate": {"partition": 1}}}),
            "spec.updateStrategy.rollingUpdate.partition",
        ),
    ] {
        let Invalid(wrong) = Wanted::parse(&cluster(more)).unwrap_err();
        assert!(wrong.len() == 1 && wrong[0].starts_with(&format!("{expected}: ")), "{expected}: {wrong:?}");
    }
    let mut long = cluster(json!({}));
    long.metadata.name = Some("a".repeat(51));
    assert!(Wanted::parse(&long).unwrap_err().0[0].starts_with("metadata.name: "));
}

#[test]
fn a_pod_that_becomes_available_in_time_may_take_as_long_as_it_needs() {
    for more in [
        json!({"minReadySeconds": 299, "replacement": {"unhealthyAfter": "5m"}}),
        json!({"minReadySeconds": 3000, "progressDeadlineSeconds": 3001, "replacement": {"unhealthyAfter": "1h"}}),
    ] {
        assert!(Wanted::parse(&cluster(more.clone())).is_ok(), "{more}");
    }
}

#[test]
fn an_expression_that_the_pods_match_is_fine() {
    let expression = json!({"selector": {"matchLabels": {"app": "coder"}, "matchExpressions": [
        {"key": "app", "operator": "In", "values": ["coder"]},
        {"key": "enge.me/statefulcluster", "operator": "Exists"}]}});
    assert!(Wanted::parse(&cluster(expression)).is_ok());
}
