//! What reaches the API server when the children of a set are brought to what is wanted.

mod changed;
mod taken_back;

use std::sync::Arc;

use crate::server::ApiServer;
use k8s_openapi::api::apps::v1::StatefulSet;
use kube::Client;
use operator::children::{Child, Foreign, ImmutableField, Live, Outcome, Settled, apply};
use operator::target::Target;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn target(change: impl FnOnce(&mut Value)) -> Target {
    let mut set: Value =
        serde_saphyr::from_str(include_str!("../fixtures/galera.yaml")).expect("a fixture is YAML");
    set["metadata"]["namespace"] = json!("shop");
    set["metadata"]["uid"] = json!("u-1");
    change(&mut set);
    Target::parse(&serde_json::from_value(set).expect("a set")).expect("a valid set")
}

/// A set that was made, with everything about it.
struct Made {
    server: ApiServer,
    client: Client,
    settled: Settled,
}

impl Made {
    async fn new() -> Self {
        let server = ApiServer::default();
        let client = server.start().await;
        let mut made = Self { server, client, settled: Settled::default() };
        made.round(&target(|_| ())).await;
        made.server.writes();
        made
    }

    fn live(&self) -> Live {
        Live {
            stateful_set: self.cached("statefulsets", "rss-galera"),
            stateful_cluster: self.cached("statefulclusters", "rss-galera"),
            services: ["galera-svc", "galera"]
                .iter()
                .filter_map(|name| self.cached("services", name))
                .collect(),
            budgets: self.cached("poddisruptionbudgets", "rss-galera").into_iter().collect(),
        }
    }

    fn cached<K: DeserializeOwned>(&self, plural: &str, name: &str) -> Option<Arc<K>> {
        let object = self.server.get(plural, name)?;
        Some(Arc::new(serde_json::from_value(object).expect("an object of Kubernetes")))
    }

    fn cached_spec(&self) -> Value {
        self.server.get("statefulclusters", "rss-galera").expect("it is there")["spec"].clone()
    }

    async fn round(&mut self, target: &Target) -> Vec<(String, Outcome)> {
        self.round_on(target, &self.live()).await
    }

    /// A round that looked at these objects.
    async fn round_on(&mut self, target: &Target, live: &Live) -> Vec<(String, Outcome)> {
        let children = apply(&self.client, target, live, &mut self.settled).await;
        let known = |child: Child| (child.name, child.outcome.expect("no failure"));
        children.into_iter().map(known).collect()
    }

    /// Verb and name of each write.
    fn writes(&self) -> Vec<String> {
        self.server.writes().into_iter().map(|write| format!("{} {}", write.verb, write.name)).collect()
    }
}

fn outcomes(round: &[(String, Outcome)]) -> Vec<Outcome> {
    round.iter().map(|(_, outcome)| outcome.clone()).collect()
}

#[tokio::test]
async fn a_stateful_set_is_made_with_no_replicas_and_no_apply_ever_names_them() {
    let server = ApiServer::default();
    let client = server.start().await;
    let children = apply(&client, &target(|_| ()), &Live::default(), &mut Settled::default()).await;
    assert!(children.iter().all(|child| matches!(child.outcome, Ok(Outcome::Created))), "{children:?}");
    let writes = server.writes();
    let said: Vec<_> = writes.iter().map(|write| format!("{} {}", write.verb, write.name)).collect();
    assert_eq!(
        said,
        [
            "apply galera-svc",
            "apply galera",
            "create statefulsets",
            "json-patch rss-galera",
            "apply rss-galera",
            "apply rss-galera"
        ]
    );
    assert_eq!(writes[2].body["spec"]["replicas"], 0);
    assert!(writes[3].body[1]["value"][0]["fieldsV1"]["f:spec"].get("f:replicas").is_none());
    assert!(writes[4].body["spec"].get("replicas").is_none());
}

#[tokio::test]
async fn a_stateful_cluster_is_made_with_nobody_and_no_apply_names_how_many_or_who_was_given_up() {
    let wanted = target(|set| set["spec"]["workload"] = json!("StatefulCluster"));
    let mut made = Made::new().await;
    made.server.remove("statefulsets", "rss-galera");
    let of_child = |round: Vec<(String, Outcome)>| round.into_iter().find(|(name, _)| name == "rss-galera");
    assert_eq!(of_child(made.round(&wanted).await).map(|(_, outcome)| outcome), Some(Outcome::Created));
    let writes = made.server.writes();
    let spec =
        &writes.iter().find(|write| write.plural == "statefulclusters").expect("it is made").body["spec"];
    assert_eq!((&spec["replicas"], &spec["replacement"]), (&json!(0), &json!({"released": []})));
    made.server.change("statefulclusters", "rss-galera", |child| {
        child["spec"]["replicas"] = json!(3);
        child["spec"]["replacement"]["released"] = json!(["rss-galera-gone"]);
    });
    made.round(&wanted).await;
    let writes = made.server.writes();
    let owned = &writes[0].body[1]["value"][0]["fieldsV1"]["f:spec"];
    assert!(owned["f:template"].is_object() && owned.get("f:replacement").is_none(), "{owned}");
    assert_eq!(writes[1].verb, "apply");
    assert!(["replicas", "replacement"].iter().all(|field| writes[1].body["spec"].get(field).is_none()));
    assert_eq!(made.cached_spec()["replacement"]["released"], json!(["rss-galera-gone"]));
    made.round(&wanted).await;
    assert_eq!(made.writes(), [""; 0], "it is as it is wanted");
}

#[tokio::test]
async fn one_made_again_above_running_pods_has_as_many_replicas() {
    let server = ApiServer::default();
    let client = server.start().await;
    let owned = |kind: &str, name: &str| json!([{"kind": kind, "name": name, "controller": true, "apiVersion": "v1", "uid": "u"}]);
    for (ordinal, owners) in
        [(0, json!([])), (2, owned("StatefulSet", "rss-galera")), (4, owned("ReplicaSet", "another"))]
    {
        let name = format!("rss-galera-{ordinal}");
        let labels = json!({"app": "galera", "rss-operator-managed": "true"});
        let meta = json!({"name": name, "namespace": "shop", "labels": labels, "ownerReferences": owners});
        server.put(&format!("/api/v1/namespaces/shop/pods/{name}"), json!({"metadata": meta}));
    }
    apply(&client, &target(|_| ()), &Live::default(), &mut Settled::default()).await;
    assert_eq!(
        server.get("statefulsets", "rss-galera").map(|set| set["spec"]["replicas"].clone()),
        Some(json!(3)),
        "one that has been left just now counts, and a stranger's does not"
    );
}

#[tokio::test]
async fn a_settled_set_costs_no_write_even_after_a_restart_of_the_operator() {
    let mut made = Made::new().await;
    for settled in [made.settled.clone(), Settled::default()] {
        made.settled = settled;
        let round = made.round(&target(|_| ())).await;
        assert!(outcomes(&round).iter().all(|outcome| *outcome == Outcome::Settled), "{round:?}");
        assert_eq!(made.writes(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn scaling_costs_no_write() {
    let mut made = Made::new().await;
    made.server.change("statefulsets", "rss-galera", |set| set["spec"]["replicas"] = json!(3));
    made.round(&target(|_| ())).await;
    assert_eq!(made.writes(), Vec::<String>::new());
}

#[tokio::test]
async fn what_somebody_changed_is_put_back_once() {
    let mut made = Made::new().await;
    made.server.change("services", "galera", |service| service["spec"]["selector"] = json!({"app": "other"}));
    made.round(&target(|_| ())).await;
    assert_eq!(made.writes(), ["apply galera"]);
    made.round(&target(|_| ())).await;
    assert_eq!(made.writes(), Vec::<String>::new());
}

#[tokio::test]
async fn what_the_server_spells_otherwise_is_applied_once_and_then_settled() {
    let mut made = Made::new().await;
    made.server.respell(|object| object["spec"]["type"] = json!("respelled"));
    let sticky = target(|set| set["spec"]["service"] = json!({"sessionAffinity": "ClientIP"}));
    for (writes, settled) in [(1, None), (0, None), (1, Some(Settled::default())), (0, None)] {
        made.settled = settled.unwrap_or(made.settled);
        made.round(&sticky).await;
        assert_eq!(made.writes(), vec!["apply galera".to_owned(); writes]);
    }
}

#[tokio::test]
async fn what_is_not_wanted_any_more_is_deleted() {
    let mut made = Made::new().await;
    let fewer = target(|set| {
        set["spec"]["servicePorts"] = json!([]);
        set["spec"]["disruptionBudget"] = json!({"enabled": false});
    });
    made.round(&fewer).await;
    let writes = made.writes();
    assert!(
        writes.contains(&"delete galera".into()) && writes.contains(&"delete rss-galera".into()),
        "{writes:?}"
    );
    assert!(made.server.get("statefulsets", "rss-galera").is_some());
}

#[tokio::test]
async fn an_object_of_another_controller_is_never_touched() {
    for (plural, name) in [
        ("services", "galera-svc"),
        ("services", "galera"),
        ("statefulsets", "rss-galera"),
        ("poddisruptionbudgets", "rss-galera"),
    ] {
        let mut made = Made::new().await;
        let owner =
            json!([{"apiVersion": "v1", "kind": "Other", "name": "x", "uid": "u-2", "controller": true}]);
        made.server.change(plural, name, |object| object["metadata"]["ownerReferences"] = owner);
        let changed = target(|set| {
            set["spec"]["metadata"]["labels"] = json!({"team": "other"});
        });
        let round = made.round(&changed).await;
        let foreign: Vec<_> = round
            .iter()
            .filter(|(_, o)| *o == Outcome::Foreign(Foreign::Controlled("Other x".into())))
            .collect();
        assert_eq!(foreign.len(), 1, "{plural}/{name}: {round:?}");
        let object = made.server.get(plural, name).expect("it is still there");
        assert_eq!(object["metadata"]["labels"]["team"], "storage", "{plural}/{name}");
    }
}

#[tokio::test]
async fn an_object_without_an_owner_is_adopted_only_with_the_labels_of_the_set() {
    for (plural, name) in [
        ("services", "galera-svc"),
        ("services", "galera"),
        ("statefulsets", "rss-galera"),
        ("poddisruptionbudgets", "rss-galera"),
    ] {
        let changed = target(|set| set["spec"]["metadata"]["labels"] = json!({"team": "other"}));
        let mut made = Made::new().await;
        made.server.change(plural, name, |object| drop(object["metadata"]["ownerReferences"].take()));
        made.round(&changed).await;
        let adopted = made.server.get(plural, name).expect("it is still there");
        assert_eq!(adopted["metadata"]["ownerReferences"][0]["uid"], "u-1", "{plural}/{name}");

        let mut made = Made::new().await;
        made.server.change(plural, name, |object| {
            object["metadata"]["ownerReferences"].take();
            object["metadata"]["labels"] = json!({"app": "galera", "team": "theirs"});
        });
        let before = made.server.get(plural, name);
        let round = made.round(&changed).await;
        let foreign = round.iter().filter(|(_, o)| *o == Outcome::Foreign(Foreign::Unlabelled)).count();
        assert_eq!(foreign, 1, "{plural}/{name}: {round:?}");
        assert_eq!(made.server.get(plural, name), before, "{plural}/{name}");
    }
}

#[tokio::test]
async fn a_statefulset_without_an_owner_that_finds_other_pods_is_not_adopted() {
    let mut made = Made::new().await;
    made.server.change("statefulsets", "rss-galera", |object| {
        object["metadata"]["ownerReferences"].take();
        object["spec"]["selector"] = json!({"matchLabels": {"app": "z"}});
    });
    let before = made.server.get("statefulsets", "rss-galera");
    let round = made.round(&target(|set| set["spec"]["metadata"]["labels"] = json!({"team": "other"}))).await;
    assert_eq!(round[2], ("rss-galera".into(), Outcome::Foreign(Foreign::OtherPods)));
    assert_eq!(made.server.get("statefulsets", "rss-galera"), before);
}

#[tokio::test]
async fn a_foreign_object_is_not_deleted_where_ours_is_not_wanted() {
    let mut made = Made::new().await;
    let owner = json!([{"apiVersion": "v1", "kind": "Other", "name": "x", "uid": "u-2", "controller": true}]);
    made.server.change("services", "galera", |object| object["metadata"]["ownerReferences"] = owner);
    made.round(&target(|set| set["spec"]["servicePorts"] = json!([]))).await;
    assert!(made.server.get("services", "galera").is_some());
}

#[tokio::test]
async fn what_is_being_deleted_is_left_alone() {
    let mut made = Made::new().await;
    made.server.change("statefulsets", "rss-galera", |set| {
        set["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    });
    let round = made.round(&target(|set| set["spec"]["tolerations"] = json!([{"operator": "Exists"}]))).await;
    assert_eq!(round[2], ("rss-galera".into(), Outcome::Terminating));
    assert_eq!(made.writes(), Vec::<String>::new());
}

#[tokio::test]
async fn an_apply_lands_on_the_object_that_was_looked_at_and_makes_no_other() {
    let changed = target(|set| set["spec"]["metadata"]["labels"] = json!({"team": "other"}));
    for (api, plural, name) in [
        ("/api/v1", "services", "galera"),
        ("/apis/apps/v1", "statefulsets", "rss-galera"),
        ("/apis/policy/v1", "poddisruptionbudgets", "rss-galera"),
    ] {
        for is_made_anew in [false, true] {
            let mut made = Made::new().await;
            let (live, was) = (made.live(), made.server.get(plural, name).expect("it is there"));
            made.server.remove(plural, name);
            if is_made_anew {
                let path = format!("{api}/namespaces/shop/{plural}/{name}");
                let labels = &was["metadata"]["labels"];
                made.server.put(&path, json!({"metadata": {"name": name, "uid": "u-9", "labels": labels}}));
            }
            let before = made.server.get(plural, name);
            let round = made.round_on(&changed, &live).await;
            let is_stale =
                |(known, outcome): &&(String, Outcome)| known == name && *outcome == Outcome::Stale;
            assert_eq!(round.iter().filter(is_stale).count(), 1, "{plural}: {round:?}");
            assert_eq!(made.server.get(plural, name), before, "{plural}: made anew: {is_made_anew}");
        }
    }
}

#[tokio::test]
async fn an_immutable_difference_is_a_value_and_the_rest_is_applied() {
    let mut made = Made::new().await;
    let changed = target(|set| {
        set["spec"]["pod"]["volumeClaimTemplates"][0]["spec"]["storageClassName"] = json!("fast");
        set["spec"]["pod"]["terminationGracePeriodSeconds"] = json!(7);
    });
    let expected = Outcome::Immutable(vec![ImmutableField::VolumeClaimTemplates]);
    assert_eq!(made.round(&changed).await[2], ("rss-galera".into(), expected.clone()));
    assert_eq!(made.writes(), ["apply rss-galera"]);
    let set: Arc<StatefulSet> = made.cached("statefulsets", "rss-galera").expect("it is there");
    let spec = set.spec.clone().expect("a spec");
    assert_eq!(spec.template.spec.and_then(|pod| pod.termination_grace_period_seconds), Some(7));
    let class = spec.volume_claim_templates.and_then(|claims| claims[0].spec.clone()?.storage_class_name);
    assert_eq!(class.as_deref(), Some("standard"));
    // It stays said, and is not written again.
    assert_eq!(made.round(&changed).await[2].1, expected);
    assert_eq!(made.writes(), Vec::<String>::new());
}

#[tokio::test]
async fn a_failure_of_one_child_keeps_no_other_from_its_turn() {
    let server = ApiServer::default();
    let client = server.start().await;
    let broken = target(|_| ());
    let broken = Target {
        client_service: broken.client_service.map(|mut s| {
            s.name = "no such path/?".into();
            s
        }),
        ..broken
    };
    let children = apply(&client, &broken, &Live::default(), &mut Settled::default()).await;
    let failed: Vec<_> = children.iter().filter(|child| child.outcome.is_err()).collect();
    assert_eq!((children.len(), failed.len()), (4, 1), "{children:?}");
}
