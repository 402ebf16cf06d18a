//! Which policy decides for a set, and what happens when it is not to be had.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use operator::policy::keep::Keep;
use operator::policy::record::{Record, replay};
use operator::policy::{Component, Digest, Host};
use planner::observation::Command;
use serde_json::{Value, json};

use crate::guest::{Guest, Image};
use crate::registry::{Registry, manifest};
use crate::scene::{Scene, condition, policies, status};
use crate::server::{ApiServer, Write};

/// What a guest for `seed` gives as its reason.
const WHY: &str = "the lowest ordinal";

pub(crate) fn from_config_map(name: &str) -> Value {
    json!({"configMap": {"name": name, "key": "policy.wasm"}})
}

/// Puts a policy into the set's namespace.
pub(crate) fn put(scene: &Scene, name: &str, bytes: &[u8]) {
    let object = json!({"metadata": {"name": name, "namespace": "shop"},
        "binaryData": {"policy.wasm": BASE64_STANDARD.encode(bytes)}});
    scene.server.put(&format!("/api/v1/namespaces/shop/configmaps/{name}"), object);
}

/// Names another policy in the resource.
pub(crate) fn name(scene: &Scene, policy: &Value) {
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["spec"]["policy"] = policy.clone();
        let generation = set["metadata"]["generation"].as_i64().unwrap_or_default();
        set["metadata"]["generation"] = json!(generation + 1);
    });
}

pub(crate) fn is(server: &ApiServer, kind: &str, truth: &str, reason: &str) -> bool {
    let condition = condition(server, kind);
    condition["status"] == truth && condition["reason"] == reason
}

/// Ends when nobody decides, for a reason that may pass by itself.
pub(crate) async fn nobody_decides(scene: &Scene) {
    let told = |server: &ApiServer| is(server, "PolicyReady", "False", "PolicyUnavailable");
    scene.becomes("it is told that nobody decides", told).await;
}

pub(crate) fn says(server: &ApiServer, kind: &str, words: &str) -> bool {
    condition(server, kind)["message"].as_str().is_some_and(|message| message.contains(words))
}

pub(crate) fn holds(server: &ApiServer, reason: &str) -> bool {
    status(server)["holds"].as_array().into_iter().flatten().any(|hold| hold["reason"] == reason)
}

fn decides(server: &ApiServer, component: &[u8]) -> bool {
    status(server)["policy"]["digest"] == json!(Digest::of(component))
}

pub(crate) fn events(scene: &Scene) -> Vec<(String, String)> {
    let of = |write: &Write, field: &str| write.body[field].as_str().unwrap_or_default().to_owned();
    let written = scene.server.writes().into_iter().filter(|write| write.plural == "events");
    written.map(|write| (of(&write, "reason"), of(&write, "note"))).collect()
}

/// Wait for an event with this reason, and with these words in its note. Events are written beside the status.
pub(crate) async fn until_event(scene: &Scene, reason: &str, words: &str) {
    let is_it = |write: &Write| {
        let note = write.body["note"].as_str().unwrap_or_default();
        write.plural == "events" && write.body["reason"] == reason && note.contains(words)
    };
    scene.becomes(reason, |server| server.wrote(is_it)).await;
}

/// Whether nothing was asked of the application but how it is and what it holds.
fn is_left_alone(scene: &mut Scene) -> bool {
    use operator::exec::Purpose::Guarded;
    let moves = [Command::Seed, Command::Join, Command::Follow, Command::Stop, Command::Demote];
    !scene.begun().into_iter().any(|purpose| moves.iter().any(|command| purpose == Guarded(*command)))
}

/// The set runs, by a policy that proposes the lowest ordinal.
async fn running() -> (Scene, Vec<u8>) {
    let mut scene = Scene::new().await;
    let component = Guest::seed().component();
    put(&scene, "good", &component);
    name(&scene, &from_config_map("good"));
    scene.begin();
    scene.begins(Command::Seed).await;
    let ready = |server: &ApiServer| condition(server, "Ready")["status"] == "True";
    scene.becomes("the set runs", ready).await;
    (scene, component)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_set_recovers_by_the_choice_of_its_own_policy() {
    let (scene, component) = running().await;
    until_event(&scene, "SeedChosen", "").await;
    let chosen = events(&scene).into_iter().find(|(reason, _)| reason == "SeedChosen").expect("an event");
    assert!(chosen.1.starts_with(&format!("rss-x-0 seeds: {WHY} (policy sha256:")), "{}", chosen.1);
    assert!(is(&scene.server, "PolicyReady", "True", "PolicyActive"));
    assert!(is(&scene.server, "PolicyStale", "False", "PolicyActive"));
    scene.becomes("it is kept", |server| status(server)["policy"]["kept"] == true).await;
    let told = status(&scene.server)["policy"].clone();
    assert!(decides(&scene.server, &component), "{told}");
    assert_eq!(told["exports"], json!(["seed@0.1.0"]));
    assert_eq!(told["configMap"], json!({"name": "good", "key": "policy.wasm"}));
    assert!(told["conformed"]["questions"].as_i64() > Some(30), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_record_of_a_seed_is_written_with_its_promise_and_replays_to_the_same_answer_and_fuel() {
    let (scene, component) = running().await;
    let promise = scene.server.writes().into_iter().find(|write| {
        let holders = &write.body["status"]["memory"]["holders"];
        write.plural == "replicatedstatefulsets" && holders.to_string().contains("\"kind\":\"Seed\"")
    });
    let promise = promise.expect("a promise of a seed");
    let seeds = |status: &Value| -> Vec<Value> {
        let all = status["decisions"].as_array().cloned().unwrap_or_default();
        all.into_iter().filter(|one| one["interface"] == "seed@0.1.0").collect()
    };
    assert_eq!(
        seeds(&promise.body["status"]),
        seeds(&status(&scene.server)),
        "once, and from the promise on"
    );
    let [seed] = &seeds(&promise.body["status"])[..] else {
        panic!("{}", promise.body["status"]["decisions"])
    };
    let record: Record = serde_json::from_value(seed.clone()).unwrap();
    let host = Host::new().unwrap();
    let again = replay(&record, &Component::load(&host, &component).unwrap());
    assert!(again.is_same_component && again.is_same_outcome, "{again:?}");
    assert_eq!(again.is_same_fuel, Some(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_policy_a_set_waits_and_no_other_policy_starts_it() {
    let mut scene = Scene::new().await;
    name(&scene, &from_config_map("late"));
    scene.begin();
    scene.becomes("it waits for its policy", |server| holds(server, "PolicyUnavailable")).await;
    nobody_decides(&scene).await;
    let message = condition(&scene.server, "PolicyReady")["message"].clone();
    assert!(message.as_str().unwrap_or_default().contains("ConfigMap late"), "{message}");
    // Several looks, and each of them asks nobody.
    for generation in [5, 6, 7] {
        scene.server.change("replicatedstatefulsets", "x", |set| {
            set["metadata"]["generation"] = json!(generation);
        });
        let seen = |server: &ApiServer| status(server)["observedGeneration"] == generation;
        scene.becomes("the set is looked at", seen).await;
    }
    assert_eq!(scene.begun(), []);
    put(&scene, "late", &Guest::seed().component());
    scene.begins(Command::Seed).await;
}

/// What is wrong with a policy, and the word for it.
pub(crate) fn bad() -> [(&'static str, Vec<u8>, Value); 3] {
    let takes_failures_for_data = Guest::sequence(Image::ordinal(7)).component();
    [
        ("DoesNotConform", takes_failures_for_data, json!({})),
        ("PolicyRefused", b"\0asm and no more".to_vec(), json!({})),
        ("SettingsRefused", Guest::primaries().component(), json!({"order": "by age"})),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_is_not_fit_leaves_the_one_before_it_to_decide_and_every_member_as_it_is() {
    for (reason, bytes, settings) in bad() {
        let (mut scene, component) = running().await;
        scene.begun();
        put(&scene, "bad", &bytes);
        let mut policy = from_config_map("bad");
        policy["settings"] = settings;
        name(&scene, &policy);
        scene.becomes(reason, |server| is(server, "PolicyStale", "True", reason)).await;
        assert!(is(&scene.server, "PolicyReady", "True", "PolicyActive"), "{reason}");
        assert!(decides(&scene.server, &component), "{reason}");
        assert!(is_left_alone(&mut scene), "{reason}");
        let warns = |write: &Write| {
            let note = write.body["note"].as_str().unwrap_or_default();
            write.body["reason"] == reason && note.contains("goes on deciding")
        };
        scene.becomes("people are warned", |server| server.wrote(warns)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_better_policy_takes_over_and_every_member_stays_as_it_is() {
    let (mut scene, _) = running().await;
    scene.begun();
    let newer = Guest::primaries().component();
    put(&scene, "newer", &newer);
    name(&scene, &from_config_map("newer"));
    scene.becomes("the newer decides", |server| decides(server, &newer)).await;
    scene.becomes("it is told", |server| is(server, "PolicyStale", "False", "PolicyActive")).await;
    assert!(is_left_alone(&mut scene));
    assert_eq!(condition(&scene.server, "Ready")["status"], "True");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_set_by_another_policy_goes_on_beside_one_whose_policy_is_no_good() {
    let mut scene = Scene::new().await;
    put(&scene, "bad", &bad()[0].1);
    name(&scene, &from_config_map("bad"));
    scene.put_another_set();
    scene.begin();
    let seed = scene.begins(Command::Seed).await;
    assert_eq!(seed.call.container.pod.0, "rss-y-0");
    let told = |server: &ApiServer| is(server, "PolicyReady", "False", "DoesNotConform");
    scene.becomes("it is told of the other", told).await;
    assert!(is(&scene.server, "Stalled", "True", "DoesNotConform"), "it does not end by itself");
}

/// A set that ran by this policy before the operator began, which has nothing but what is kept.
async fn ran_before(scene: &Scene, registry: &Registry, component: &[u8], pull: &str) {
    kept_for("shop", scene, registry, component, pull).await;
}

async fn kept_for(namespace: &str, scene: &Scene, registry: &Registry, component: &[u8], pull: &str) {
    let keep = Keep::new(&scene.context.clients, "ops");
    keep.put(component, namespace, "registry/team/policy").await.expect("it is kept");
    name(scene, &json!({"image": registry.image(), "pullPolicy": pull}));
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["status"] = json!({"policy": {"image": registry.image(), "kept": true,
            "imageDigest": Digest::of(&manifest(component)), "digest": Digest::of(component)}});
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restart_what_decided_before_decides_without_a_word_to_its_registry() {
    for pull in ["IfNotPresent", "Never"] {
        let (mut scene, registry) = (Scene::new().await, Registry::up().await);
        scene.context.policies = policies(&scene.context.clients, registry.registries());
        ran_before(&scene, &registry, &Guest::seed().component(), pull).await;
        scene.begin();
        scene.begins(Command::Seed).await;
        let ready = |server: &ApiServer| is(server, "PolicyStale", "False", "PolicyActive");
        scene.becomes("it is told", ready).await;
        assert_eq!(registry.asked(), 0, "{pull}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_not_be_read_for_a_moment_is_taken_for_kept_and_decides_when_it_may_be_read() {
    for pull in ["IfNotPresent", "Never"] {
        let (mut scene, registry) = (Scene::new().await, Registry::up().await);
        scene.context.policies = policies(&scene.context.clients, registry.registries());
        ran_before(&scene, &registry, &Guest::seed().component(), pull).await;
        scene.server.hide(Some("ops"));
        scene.begin();
        nobody_decides(&scene).await;
        if pull == "IfNotPresent" {
            scene.becomes("the registry is asked", |_| registry.asked() > 0).await;
        } else {
            let message = condition(&scene.server, "PolicyReady")["message"].to_string();
            assert!(message.contains("failed to read what is kept"), "{message}");
        }
        assert_eq!(status(&scene.server)["policy"]["kept"], true, "nobody has looked");
        scene.server.hide(None);
        scene.begins(Command::Seed).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_kept_any_more_and_never_fetched_is_told_as_that() {
    let (mut scene, registry) = (Scene::new().await, Registry::up().await);
    scene.context.policies = policies(&scene.context.clients, registry.registries());
    kept_for("elsewhere", &scene, &registry, &Guest::seed().component(), "Never").await;
    scene.begin();
    nobody_decides(&scene).await;
    let why = |server: &ApiServer| says(server, "PolicyReady", "is not kept in the cluster");
    scene.becomes("it is told why", why).await;
    assert_eq!(registry.asked(), 0);
    let keep = Keep::new(&scene.context.clients, "ops");
    keep.put(&Guest::seed().component(), "shop", "registry/team/policy").await.expect("it is kept");
    scene.begins(Command::Seed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_digest_in_the_status_gives_no_right_to_what_another_namespace_brought() {
    let (mut scene, registry) = (Scene::new().await, Registry::up().await);
    scene.context.policies = policies(&scene.context.clients, registry.registries());
    kept_for("elsewhere", &scene, &registry, &Guest::seed().component(), "IfNotPresent").await;
    scene.begin();
    nobody_decides(&scene).await;
    scene.becomes("the registry is asked", |_| registry.asked() > 0).await;
    assert_eq!(scene.begun(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tag_that_cannot_be_resolved_anew_takes_nothing_away() {
    let (mut scene, registry) = (Scene::new().await, Registry::up().await);
    scene.context.policies = policies(&scene.context.clients, registry.registries());
    let component = Guest::seed().component();
    ran_before(&scene, &registry, &component, "Always").await;
    scene.begin();
    scene.begins(Command::Seed).await;
    let told = |server: &ApiServer| is(server, "PolicyStale", "Unknown", "PolicyUnavailable");
    scene.becomes("it is told that nobody knows", told).await;
    assert!(decides(&scene.server, &component) && registry.asked() > 0);
    assert!(is(&scene.server, "PolicyReady", "True", "PolicyActive"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_that_is_down_is_asked_again_and_not_any_more_once_it_gave_the_policy() {
    let (mut scene, registry) = (Scene::new().await, Registry::up().await);
    scene.context.policies = policies(&scene.context.clients, registry.registries());
    name(&scene, &json!({"image": registry.image()}));
    scene.begin();
    nobody_decides(&scene).await;
    let component = Guest::seed().component();
    registry.push(component.clone());
    scene.begins(Command::Seed).await;
    scene.becomes("it is kept", |server| status(server)["policy"]["kept"] == true).await;
    assert!(decides(&scene.server, &component));
    assert_eq!(status(&scene.server)["policy"]["imageDigest"], json!(Digest::of(&manifest(&component))));
    registry.falls_ill();
    let asked = registry.asked();
    scene.server.change("replicatedstatefulsets", "x", |set| set["metadata"]["generation"] = json!(9));
    scene.becomes("it is looked at", |server| status(server)["observedGeneration"] == 9).await;
    assert!(is(&scene.server, "PolicyStale", "False", "PolicyActive"));
    assert_eq!(registry.asked(), asked);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_cannot_be_meant_is_told_with_who_gave_it_and_why_it_counts_for_nothing() {
    let mut scene = Scene::new().await;
    // Of members whose names begin as those of a set do: the name that it proposes is another.
    let liar = Guest::seed().body(
        "(if (i32.eq (i32.load (i32.load (local.get $best))) (i32.const 0x2d737372))
            (then (i64.store (i32.const 516) (i64.load (i32.const 1024)))))",
    );
    put(&scene, "liar", &liar.component());
    name(&scene, &from_config_map("liar"));
    scene.begin();
    scene.becomes("nobody is proposed", |server| holds(server, "NoSeedVerdict")).await;
    let refused = |write: &Write| write.plural == "events" && write.body["reason"] == "VerdictRefused";
    scene.becomes("it is told", |server| server.wrote(refused)).await;
    let told = events(&scene);
    let (_, note) = told.iter().find(|(reason, _)| reason == "VerdictRefused").expect("an event");
    let said = format!("proposed {WHY} as seed; refused because \"{WHY}\" is none of those that were given");
    assert!(note.starts_with("policy sha256:") && note.contains(&said), "{note}");
    let status = status(&scene.server);
    let message = status["holds"][0]["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("policy sha256:") && message.contains(&said), "{message}");
    let kept = status["decisions"].as_array().into_iter().flatten();
    let seed = kept.into_iter().find(|one| one["interface"] == "seed@0.1.0").expect("a record");
    assert_eq!(seed["answer"]["proposal"]["replica"], WHY, "{seed}");
    assert!(seed["fuel"].as_u64() > Some(0) && seed["vetoes"][0].is_string(), "{seed}");
    assert!(is_left_alone(&mut scene));
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_alone_are_changed_without_a_word_to_the_registry() {
    let texts = ["guest", "0.1.0", "for tests", r#"{"type": "object"}"#];
    let described = Guest::described(Image::metadata(texts, &[])).component();
    let (mut scene, registry) = (Scene::new().await, Registry::up().await);
    scene.context.policies = policies(&scene.context.clients, registry.registries());
    ran_before(&scene, &registry, &described, "IfNotPresent").await;
    name(&scene, &json!({"image": registry.image(), "settings": {"order": "by age"}}));
    scene.begin();
    let set = |server: &ApiServer| status(server)["policy"]["settings"] == json!({"order": "by age"});
    scene.becomes("it is set", set).await;
    name(&scene, &json!({"image": registry.image()}));
    let set = |server: &ApiServer| {
        status(server)["policy"]["settings"].is_null() && is(server, "PolicyStale", "False", "PolicyActive")
    };
    scene.becomes("it is set again", set).await;
    assert_eq!(registry.asked(), 0);
    assert_eq!(status(&scene.server)["policy"]["name"], "guest");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_is_kept_for_a_power_cut_also_if_the_resource_changes_before_it_was() {
    let texts = ["guest", "0.1.0", "for tests", r#"{"type": "object"}"#];
    let mut scene = Scene::new().await;
    put(&scene, "late", &Guest::described(Image::metadata(texts, &[])).component());
    scene.server.refuse(|write| write.plural == "configmaps");
    let mut source = from_config_map("late");
    name(&scene, &source);
    scene.begin();
    let decides = |server: &ApiServer| is(server, "PolicyReady", "True", "PolicyActive");
    scene.becomes("it decides", decides).await;
    source["settings"] = json!({"order": "by age"});
    name(&scene, &source);
    let set = |server: &ApiServer| status(server)["policy"]["settings"] == json!({"order": "by age"});
    scene.becomes("it is set", set).await;
    assert_ne!(status(&scene.server)["policy"]["kept"], true);
    scene.server.refuse(|_| false);
    scene.becomes("it is kept", |server| status(server)["policy"]["kept"] == true).await;
}
