//! A template with which no pod starts gives way to the last good one.

use k8s_openapi::api::apps::v1::ControllerRevision;
use operator::children::{Error, Outcome, give_back, take_back};
use serde_json::{Value, json};

use super::{Made, target};

fn revision(data: Value) -> ControllerRevision {
    serde_json::from_value(json!({"metadata": {"name": "r1"}, "revision": 1, "data": data}))
        .expect("a revision")
}

#[tokio::test]
async fn a_refused_template_gives_way_to_the_one_of_a_revision() {
    let mut made = Made::new().await;
    let template =
        made.server.get("statefulsets", "rss-galera").expect("it is there")["spec"]["template"].clone();
    let mut data = json!({"spec": {"template": template}});
    data["spec"]["template"]["$patch"] = json!("replace");
    let good = revision(data);
    let bad = target(|set| set["spec"]["pod"]["containers"][0]["image"] = json!("none:9"));
    made.round(&bad).await;
    made.writes();
    for expected in [Outcome::Applied, Outcome::Settled] {
        let live = made.live().stateful_set.expect("it is there");
        let outcome = take_back(&made.client, &bad, &live, &good, &mut made.settled).await;
        assert_eq!(outcome.expect("no failure"), expected);
    }
    assert_eq!(made.writes(), ["apply rss-galera"]);
    let after = made.server.get("statefulsets", "rss-galera").expect("it is there");
    assert_eq!(after["spec"]["template"], template);
    let live = made.live().stateful_set.expect("it is there");
    let nothing = take_back(&made.client, &bad, &live, &revision(json!({})), &mut made.settled).await;
    assert!(matches!(nothing, Err(Error::NoTemplate)));
}

#[tokio::test]
async fn a_refused_template_of_a_statefulcluster_gives_way_too_and_nobody_is_given_up_or_let_in_by_that() {
    let mut made = Made::new().await;
    let given_once = |image: &str| {
        target(|set| {
            set["spec"]["workload"] = json!("StatefulCluster");
            set["spec"]["pod"]["containers"][0]["image"] = json!(image);
        })
    };
    made.round(&given_once("good:1")).await;
    made.server.change("statefulclusters", "rss-galera", |child| {
        child["spec"]["replicas"] = json!(3);
        child["spec"]["replacement"]["released"] = json!(["rss-galera-a"]);
    });
    let before = made.cached_spec();
    let good = revision(json!({"spec": {"template": before["template"]}}));
    let bad = given_once("none:9");
    made.round(&bad).await;
    assert_ne!(made.cached_spec(), before);
    made.writes();
    for expected in [Outcome::Applied, Outcome::Settled] {
        let live = made.live().stateful_cluster.expect("it is there");
        let outcome = give_back(&made.client, &bad, &live, &good, &mut made.settled).await;
        assert_eq!(outcome.expect("no failure"), expected);
    }
    assert_eq!((made.writes(), made.cached_spec()), (vec!["apply rss-galera".to_owned()], before));
}
