//! What becomes of the policy that decides while another one is named in its place, or none that is to be had.

use operator::policy::keep::Keep;
use operator::policy::{Digest, Policies, limits};
use serde_json::{Value, json};

use crate::guest::{Guest, Image};
use crate::policies::{bad, from_config_map, is, name, put, says};
use crate::registry::{Registry, manifest};
use crate::scene::{Scene, condition, policies, status};
use crate::server::ApiServer;
use crate::signatures::demanding;
use crate::signer::Signer;

/// A guest that takes settings of any kind but `order: 1`.
fn described() -> Vec<u8> {
    let schema = r#"{"type": "object", "properties": {"order": {"type": "string"}}}"#;
    Guest::described(Image::metadata(["guest", "0.1.0", "for tests", schema], &[])).component()
}

/// A set whose policy decides, and which the API server does not let be kept yet.
async fn unkept() -> Scene {
    let mut scene = Scene::new().await;
    put(&scene, "good", &described());
    scene.server.refuse(|write| write.plural == "configmaps");
    name(&scene, &from_config_map("good"));
    scene.begin();
    scene.becomes("it decides", |server| is(server, "PolicyReady", "True", "PolicyActive")).await;
    assert_ne!(status(&scene.server)["policy"]["kept"], true);
    scene
}

fn is_kept(server: &ApiServer) -> bool {
    status(server)["policy"]["kept"] == true
}

#[tokio::test(flavor = "multi_thread")]
async fn what_decides_is_kept_also_while_its_successor_is_missing() {
    let scene = unkept().await;
    name(&scene, &from_config_map("missing"));
    let missing = |server: &ApiServer| is(server, "PolicyStale", "True", "PolicyUnavailable");
    scene.becomes("the other is missing", missing).await;
    scene.server.refuse(|_| false);
    scene.becomes("it is kept", is_kept).await;
    assert!(missing(&scene.server));
}

#[tokio::test(flavor = "multi_thread")]
async fn that_a_policy_is_kept_says_nothing_of_settings_that_were_refused() {
    let scene = unkept().await;
    let mut policy = from_config_map("good");
    policy["settings"] = json!({"order": 1});
    name(&scene, &policy);
    let refused = |server: &ApiServer| is(server, "PolicyStale", "True", "SettingsRefused");
    scene.becomes("its settings are refused", refused).await;
    scene.server.refuse(|_| false);
    scene.becomes("it is kept", is_kept).await;
    assert!(refused(&scene.server), "{}", condition(&scene.server, "PolicyStale"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_stands_again_once_what_kept_from_looking_is_over() {
    let mut scene = Scene::new().await;
    put(&scene, "bad", &bad()[1].1);
    name(&scene, &from_config_map("bad"));
    scene.begin();
    let refused = |server: &ApiServer| is(server, "PolicyReady", "False", "PolicyRefused");
    scene.becomes("it is refused", refused).await;
    let message = condition(&scene.server, "PolicyReady")["message"].clone();
    let bytes = scene.server.get("configmaps", "bad").expect("it is there")["binaryData"].clone();
    scene.server.change("configmaps", "bad", |object| object["binaryData"] = json!({}));
    let missing = |server: &ApiServer| says(server, "PolicyReady", "has no key policy.wasm");
    scene.becomes("its key is missing", missing).await;
    scene.server.change("configmaps", "bad", |object| object["binaryData"] = bytes);
    scene.becomes("it is refused again", refused).await;
    assert_eq!(condition(&scene.server, "PolicyReady")["message"], message);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_kept_before_a_restart_and_is_not_there_is_not_told_as_kept() {
    let (mut scene, registry) = (Scene::new().await, Registry::up().await);
    scene.context.policies = policies(&scene.context.clients, registry.registries());
    let component = described();
    name(&scene, &json!({"image": registry.image()}));
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["status"] = json!({"policy": {"image": registry.image(), "kept": true,
            "imageDigest": Digest::of(&manifest(&component)), "digest": Digest::of(&component)}});
    });
    scene.begin();
    let told =
        |server: &ApiServer| is(server, "PolicyReady", "False", "PolicyUnavailable") && !is_kept(server);
    scene.becomes("it is not kept", told).await;
    assert_eq!(status(&scene.server)["policy"]["digest"], json!(Digest::of(&component)));
    registry.push(component);
    scene.becomes("it is brought and kept", is_kept).await;
}

/// What this operator sees of the policies that it keeps, as the sweep does.
async fn sweep(policies: &Policies) {
    let now = k8s_openapi::jiff::Timestamp::now();
    policies.keep().collect(&Default::default(), |_| true, now).await.expect("the API server answers");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_removed_while_it_decides_is_not_told_as_kept() {
    let mut scene = Scene::new().await;
    put(&scene, "good", &described());
    name(&scene, &from_config_map("good"));
    scene.begin();
    scene.becomes("it is kept", is_kept).await;
    let removed: Value = json!({"metadata": {"name": "other", "namespace": "ops"}});
    let object = format!("rss-policy-{}", &Digest::of(&described()).hex()[..40]);
    scene.server.put(&format!("/api/v1/namespaces/ops/configmaps/{object}"), removed);
    sweep(&scene.context.policies).await;
    name(&scene, &from_config_map("good"));
    scene.becomes("it is told", |server| !is_kept(server)).await;
    assert!(is(&scene.server, "PolicyReady", "True", "PolicyActive"));
    // Another installation of the same bytes changes nothing of that.
    let keep = Keep::new(&scene.context.clients, "elsewhere");
    let _held = keep.put(&described(), "shop", "here").await.expect("it is kept there");
    assert!(!is_kept(&scene.server));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_kept_before_a_restart_and_may_not_decide_is_looked_for_all_the_same() {
    let (mut scene, registry) = (Scene::new().await, Registry::up().await);
    scene.context.policies = demanding(&scene, &registry, &Signer::new());
    let component = described();
    let keep = Keep::new(&scene.context.clients, "ops");
    drop(keep.put(&component, "shop", "registry/team/policy").await.expect("it is kept"));
    name(&scene, &json!({"image": registry.image()}));
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["status"] = json!({"policy": {"image": registry.image(), "kept": true,
            "imageDigest": Digest::of(&manifest(&component)), "digest": Digest::of(&component)}});
    });
    scene.begin();
    let waits = |server: &ApiServer| is(server, "PolicyReady", "False", "PolicyUnavailable");
    scene.becomes("it waits for its registry", waits).await;
    sweep(&scene.context.policies).await;
    look(&scene, 5).await;
    assert!(is_kept(&scene.server), "it is there");
    let removed: Value = json!({"metadata": {"name": "other", "namespace": "ops"}});
    let object = format!("rss-policy-{}", &Digest::of(&component).hex()[..40]);
    scene.server.put(&format!("/api/v1/namespaces/ops/configmaps/{object}"), removed);
    sweep(&scene.context.policies).await;
    look(&scene, 6).await;
    assert!(!is_kept(&scene.server), "somebody removed it");
}

/// Ends when the set was looked at once more.
async fn look(scene: &Scene, generation: i64) {
    scene
        .server
        .change("replicatedstatefulsets", "x", |set| set["metadata"]["generation"] = json!(generation));
    let seen = |server: &ApiServer| status(server)["observedGeneration"] == generation;
    scene.becomes("the set is looked at", seen).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_is_not_kept_for_the_number_of_those_that_are_decides_and_is_told() {
    let mut scene = Scene::new().await;
    let keep = Keep::new(&scene.context.clients, "ops");
    for number in 0..limits::KEPT {
        drop(keep.put(format!("policy {number}").as_bytes(), "shop", "host/p").await.expect("it is kept"));
    }
    put(&scene, "good", &described());
    name(&scene, &from_config_map("good"));
    scene.begin();
    let told = |server: &ApiServer| is(server, "PolicyReady", "True", "PolicyNotKept");
    scene.becomes("it is told", told).await;
    assert!(says(&scene.server, "PolicyReady", "32 policies are kept for the namespace shop"));
    assert_ne!(status(&scene.server)["policy"]["kept"], true);
    let warned = |server: &ApiServer| server.wrote(|write| write.body["reason"] == "PolicyNotKept");
    scene.becomes("people are warned", warned).await;
}
