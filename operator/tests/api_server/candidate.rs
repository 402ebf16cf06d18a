//! A second policy that is asked what the first one is, and never followed.

use operator::policy::record::{Record, replay};
use operator::policy::{Component, Digest, Host};
use planner::observation::Command;
use serde_json::{Value, json};

use crate::guest::{Guest, Image};
use crate::policies::{bad, events, from_config_map, is, name, put, until_event};
use crate::registry::Registry;
use crate::scene::{Scene, condition, policies, status};
use crate::server::ApiServer;

/// As text in which a set's members begin with the four bytes that stand here.
const OF_A_SET: &str = "(i32.const 0x2d737372)";

/// The operator's own policy decides, and this one is listened to.
fn listens(scene: &Scene, candidate: &Value) {
    name(scene, &json!({"builtin": "largest-integer", "candidate": candidate}));
}

/// A set that begins with this component as its candidate.
async fn beside(component: &[u8]) -> Scene {
    let mut scene = Scene::new().await;
    put(&scene, "beside", component);
    listens(&scene, &from_config_map("beside"));
    scene.begin();
    scene
}

fn candidate(server: &ApiServer) -> Value {
    status(server)["policy"]["candidate"].clone()
}

/// Whether at least one is counted under this name.
fn counts(server: &ApiServer, what: &str) -> bool {
    candidate(server)[what].as_i64() > Some(0)
}

fn is_ready(server: &ApiServer) -> bool {
    condition(server, "Ready")["status"] == "True"
}

/// Proposes the highest ordinal.
fn highest() -> Guest {
    Guest::seed().body(
        "(local.set $list (i32.sub (local.get $end) (i32.mul (local.get $count) (i32.const 72))))
         (local.set $best (local.get $list))
         (block $seen
           (loop $again
             (br_if $seen (i32.ge_u (local.get $list) (local.get $end)))
             (if (call $before (local.get $best) (local.get $list))
               (then (local.set $best (local.get $list))))
             (local.set $list (i32.add (local.get $list) (i32.const 72)))
             (br $again)))
         (i64.store (i32.const 516) (i64.load (local.get $best)))",
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_that_decides_the_same_is_counted_and_nothing_else_is_told_of_it() {
    let component = Guest::seed().component();
    let scene = beside(&component).await;
    scene.becomes("it agrees", |server| counts(server, "agreed")).await;
    assert!(is(&scene.server, "CandidateReady", "True", "CandidateAsked"));
    assert!(is(&scene.server, "PolicyReady", "True", "PolicyActive"));
    let told = candidate(&scene.server);
    assert_eq!(told["digest"], json!(Digest::of(&component)));
    assert_eq!((&told["disagreed"], &told["failed"], &told["skipped"]), (&json!(0), &json!(0), &json!(0)));
    assert!(told["since"].is_string() && told["disagreements"].is_null(), "{told}");
    assert_eq!(status(&scene.server)["policy"]["builtin"], "largest-integer");
    assert!(events(&scene).iter().all(|(reason, _)| !reason.starts_with("Candidate")));
    name(&scene, &json!({"builtin": "largest-integer"}));
    let forgotten =
        |server: &ApiServer| condition(server, "CandidateReady").is_null() && candidate(server).is_null();
    scene.becomes("without a candidate nothing is told of one", forgotten).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_that_proposes_another_seed_is_recorded_and_not_followed() {
    let mut scene = Scene::new().await;
    scene.put_another_member();
    let component = highest().component();
    put(&scene, "beside", &component);
    listens(&scene, &from_config_map("beside"));
    scene.begin();
    assert_eq!(scene.begins(Command::Seed).await.call.container.pod.0, "rss-x-0");
    scene.becomes("it disagrees", |server| counts(server, "disagreed")).await;
    let told = candidate(&scene.server);
    let all = told["disagreements"].as_array().expect("records");
    let seed = all.iter().find(|one| one["interface"] == "seed@0.1.0").expect("a record of the seed");
    let difference = "seed: rss-x-1; decided was: rss-x-0";
    assert_eq!(seed["difference"], difference);
    assert_eq!(seed["decided"]["answer"]["proposal"]["replica"], "rss-x-0");
    let record: Record = serde_json::from_value(seed.clone()).expect("it is a record as any other");
    let again = replay(&record, &Component::load(&Host::new().unwrap(), &component).unwrap());
    assert!(again.is_same_component && again.is_same_outcome, "{again:?}");
    assert_eq!(again.is_same_fuel, Some(true));
    let is_told = |server: &ApiServer| {
        server.wrote(|write| {
            let note = write.body["note"].as_str().unwrap_or_default();
            write.body["reason"] == "CandidateDisagrees" && note.ends_with(difference)
        })
    };
    scene.becomes("it is told in the same words", is_told).await;
    scene.becomes("the set runs", is_ready).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_without_a_valid_answer_is_counted_with_the_reason_and_harms_nobody() {
    let traps = format!("(if (i32.eq (i32.load (local.get $replica)) {OF_A_SET}) (then unreachable))");
    let lies = format!(
        "(if (i32.eq (i32.load (i32.load (local.get $best))) {OF_A_SET})
            (then (i64.store (i32.const 516) (i64.load (i32.const 1024)))))"
    );
    let loops =
        format!("(if (i32.eq (i32.load (local.get $replica)) {OF_A_SET}) (then (loop $on (br $on))))");
    for (guest, why) in [
        (Guest::sequence(Image::unreadable()).body(&loops), "units of fuel"),
        (Guest::sequence(Image::unreadable()).body(&traps), "the policy trapped"),
        (Guest::seed().body(&lies), "is none of those that were given"),
    ] {
        let scene = beside(&guest.component()).await;
        scene.becomes("it fails", |server| counts(server, "failed")).await;
        let told = candidate(&scene.server);
        let kept = &told["disagreements"][0];
        let reason = kept["failure"].as_str().or(kept["vetoes"][0].as_str()).unwrap_or_default();
        assert!(reason.contains(why), "{told}");
        assert_eq!(told["disagreed"], 0);
        scene.becomes("the set runs", is_ready).await;
        assert!(is(&scene.server, "PolicyReady", "True", "PolicyActive"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_that_reads_nothing_keeps_no_member_from_being_read() {
    let mut scene = beside(&Guest::sequence(Image::unreadable()).component()).await;
    scene.begins(Command::Seed).await;
    scene.becomes("it disagrees", |server| counts(server, "disagreed")).await;
    let difference = &candidate(&scene.server)["disagreements"][0]["difference"];
    assert_eq!(*difference, "sequence of rss-x-0: unreadable; decided was: 7");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_that_is_not_fit_is_told_of_and_changes_nothing() {
    let mut all: Vec<(&str, Value, Option<Vec<u8>>)> = Vec::new();
    for (reason, bytes, settings) in bad() {
        let mut named = from_config_map("bad");
        named["settings"] = settings;
        all.push((reason, named, Some(bytes)));
    }
    all.push(("PolicyUnavailable", from_config_map("missing"), None));
    all.push(("PolicyRefused", json!({"image": "A.example/UPPER"}), None));
    all.push(("SettingsRefused", json!({"builtin": "largest-integer", "settings": {"x": 1}}), None));
    for (reason, named, bytes) in all {
        let mut scene = Scene::new().await;
        if let Some(bytes) = bytes {
            put(&scene, "bad", &bytes);
        }
        listens(&scene, &named);
        scene.begin();
        scene.begins(Command::Seed).await;
        scene.becomes(reason, |server| is(server, "CandidateReady", "False", reason)).await;
        scene.becomes("the set runs", is_ready).await;
        assert!(is(&scene.server, "PolicyReady", "True", "PolicyActive"), "{reason}");
        assert!(is(&scene.server, "PolicyStale", "False", "PolicyActive"), "{reason}");
        assert!(is(&scene.server, "Accepted", "True", "SpecAccepted"), "{reason}");
        assert!(candidate(&scene.server).is_null(), "{reason}");
        until_event(&scene, reason, "is not asked").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_counted_goes_on_after_a_restart_and_begins_anew_with_other_bytes() {
    let component = Guest::seed().component();
    for (before, goes_on) in [(&component, true), (&highest().component(), false)] {
        let mut scene = Scene::new().await;
        put(&scene, "beside", &component);
        listens(&scene, &from_config_map("beside"));
        let known = json!({"configMap": {"name": "beside", "key": "policy.wasm"}, "digest": Digest::of(before),
            "size": before.len(), "agreed": 41, "since": "2026-01-01T00:00:00Z"});
        scene.server.change("replicatedstatefulsets", "x", |set| {
            set["status"] =
                json!({"policy": {"builtin": "largest-integer", "kept": true, "candidate": known}});
        });
        scene.begin();
        let counted = |server: &ApiServer| {
            let agreed = candidate(server)["agreed"].as_i64().unwrap_or_default();
            if goes_on { agreed > 41 } else { agreed > 0 && agreed < 41 }
        };
        scene.becomes("it is counted", counted).await;
        let since = candidate(&scene.server)["since"] == "2026-01-01T00:00:00Z";
        assert_eq!(since, goes_on);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_from_a_registry_is_asked_and_not_kept_in_the_cluster() {
    let (mut scene, registry) = (Scene::new().await, Registry::up().await);
    scene.context.policies = policies(&scene.context.clients, registry.registries());
    listens(&scene, &json!({"image": registry.image()}));
    scene.begin();
    let told = |server: &ApiServer| is(server, "CandidateReady", "False", "PolicyUnavailable");
    scene.becomes("it is told that the registry is down", told).await;
    scene.becomes("the set runs", is_ready).await;
    registry.push(Guest::seed().component());
    scene.becomes("what was decided before is put to it too", |server| counts(server, "agreed")).await;
    assert_eq!(candidate(&scene.server)["image"], json!(registry.image()));
    assert!(!scene.server.wrote(|write| write.plural == "configmaps"), "nothing of it is kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn while_another_is_named_in_vain_nobody_is_asked_and_what_was_counted_stays() {
    let component = Guest::seed().component();
    let scene = beside(&component).await;
    scene.becomes("it agrees", |server| counts(server, "agreed")).await;
    scene.becomes("the set runs", is_ready).await;
    let since = candidate(&scene.server)["since"].clone();
    listens(&scene, &from_config_map("missing"));
    let told = |server: &ApiServer| is(server, "CandidateReady", "False", "PolicyUnavailable");
    scene.becomes("it is told that the other is missing", told).await;
    let stays = candidate(&scene.server);
    assert_eq!((&stays["digest"], &stays["since"]), (&json!(Digest::of(&component)), &since));
    listens(&scene, &from_config_map("beside"));
    scene.becomes("it is asked again", |server| is(server, "CandidateReady", "True", "CandidateAsked")).await;
    assert_eq!(candidate(&scene.server)["since"], since, "it is the same one");
    let newer = highest().component();
    put(&scene, "newer", &newer);
    listens(&scene, &from_config_map("newer"));
    let takes_its_place = |server: &ApiServer| candidate(server)["digest"] == json!(Digest::of(&newer));
    scene.becomes("another one takes its place", takes_its_place).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_look_writes_or_tells_what_the_one_before_did() {
    let scene = beside(&Guest::sequence(Image::unreadable()).component()).await;
    scene.becomes("it disagrees", |server| counts(server, "disagreed")).await;
    scene.becomes("the set runs", is_ready).await;
    for generation in [5, 6, 7] {
        scene.server.change("replicatedstatefulsets", "x", |set| {
            set["metadata"]["generation"] = json!(generation);
        });
        let seen = |server: &ApiServer| status(server)["observedGeneration"] == generation;
        scene.becomes("the set is looked at", seen).await;
    }
    let writes = scene.server.writes();
    let told = writes.iter().map(|write| &write.body["status"]);
    let told: Vec<_> = told.filter(|status| status["policy"].is_object()).collect();
    assert!(told.len() > 2 && told.windows(2).all(|pair| pair[0] != pair[1]), "{}", told.len());
    let differs = writes.iter().filter(|write| write.body["reason"] == "CandidateDisagrees");
    assert_eq!(differs.count(), 1);
}
