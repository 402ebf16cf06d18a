//! Policies that must be signed.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use operator::policy::keep::Keep;
use operator::policy::signature::Key;
use operator::policy::{Digest, Policies};
use planner::observation::Command;
use serde_json::{Value, json};

use crate::guest::Guest;
use crate::policies::{is, name};
use crate::registry::{Registry, manifest};
use crate::scene::{Scene, condition, policies, status};
use crate::server::ApiServer;
use crate::signer::Signer;

fn keys(signer: &Signer) -> Vec<Key> {
    Key::all(signer.pem().as_bytes(), "--policy-public-key cosign.pub").expect("a key")
}

fn fingerprint(signer: &Signer) -> Value {
    json!(keys(signer)[0].fingerprint())
}

/// What is demanded by an administrator, of policies of this registry.
fn demanding(scene: &Scene, registry: &Registry, signer: &Signer) -> Policies {
    policies(&scene.context.clients, registry.registries()).demanding(keys(signer))
}

/// A set that ran by this policy before the operator began, as its status tells it.
async fn ran_before(scene: &Scene, registry: &Registry, component: &[u8], verified_by: Value) {
    let keep = Keep::new(&scene.context.clients, "ops");
    keep.put(component, "shop", "registry/team/policy").await.expect("it is kept");
    name(scene, &json!({"image": registry.image()}));
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["status"] = json!({"policy": {"image": registry.image(), "kept": true, "verifiedBy": verified_by,
            "imageDigest": Digest::of(&manifest(component)), "digest": Digest::of(component)}});
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_must_be_signed_decides_once_it_is() {
    let (mut scene, registry, signer) = (Scene::new().await, Registry::up().await, Signer::new());
    scene.context.policies = demanding(&scene, &registry, &signer);
    let component = Guest::seed().component();
    registry.push(component.clone());
    registry.sign(&component, &Signer::new());
    name(&scene, &json!({"image": registry.image()}));
    scene.begin();
    let refused = |server: &ApiServer| is(server, "PolicyReady", "False", "SignatureRefused");
    scene.becomes("it is refused", refused).await;
    let message = condition(&scene.server, "PolicyReady")["message"].clone();
    let message = message.as_str().unwrap_or_default();
    for words in ["is not signed by any of the keys sha256:", "1 by another key", "sign it: cosign sign"] {
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(scene.begun(), []);
    registry.sign(&component, &signer);
    scene.begins(Command::Seed).await;
    let ready = |server: &ApiServer| is(server, "PolicyReady", "True", "PolicyActive");
    scene.becomes("it decides", ready).await;
    let by = json!([{"key": fingerprint(&signer), "from": "--policy-public-key cosign.pub",
        "demandedBy": "Administrator"}]);
    assert_eq!(status(&scene.server)["policy"]["verifiedBy"], by);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_verified_before_a_restart_decides_without_a_word_to_its_registry() {
    let (mut scene, registry, signer) = (Scene::new().await, Registry::up().await, Signer::new());
    scene.context.policies = demanding(&scene, &registry, &signer);
    let by = json!([{"key": fingerprint(&signer), "from": "elsewhere", "demandedBy": "Administrator"}]);
    ran_before(&scene, &registry, &Guest::seed().component(), by).await;
    scene.begin();
    scene.begins(Command::Seed).await;
    let ready = |server: &ApiServer| is(server, "PolicyStale", "False", "PolicyActive");
    scene.becomes("it is told", ready).await;
    assert_eq!(registry.asked(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_verified_by_what_is_demanded_now_is_verified_anew_before_it_decides() {
    let (mut scene, registry, signer) = (Scene::new().await, Registry::up().await, Signer::new());
    scene.context.policies = demanding(&scene, &registry, &signer);
    let component = Guest::seed().component();
    let other = json!([{"key": fingerprint(&Signer::new()), "from": "a", "demandedBy": "Administrator"}]);
    ran_before(&scene, &registry, &component, other).await;
    scene.begin();
    // The registry is down.
    let told = |server: &ApiServer| is(server, "PolicyReady", "False", "PolicyUnavailable");
    scene.becomes("it waits", told).await;
    assert_eq!(scene.begun(), []);
    registry.sign(&component, &signer);
    registry.push(component);
    scene.begins(Command::Seed).await;
    let verified =
        |server: &ApiServer| status(server)["policy"]["verifiedBy"][0]["key"] == fingerprint(&signer);
    scene.becomes("it is verified", verified).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_set_that_names_keys_later_keeps_its_policy_until_that_is_signed() {
    let (mut scene, registry, signer) = (Scene::new().await, Registry::up().await, Signer::new());
    scene.context.policies = policies(&scene.context.clients, registry.registries());
    let component = Guest::seed().component();
    registry.push(component.clone());
    name(&scene, &json!({"image": registry.image()}));
    scene.begin();
    scene.begins(Command::Seed).await;
    let reference = json!({"name": "keys", "key": "cosign.pub"});
    let verification = json!({"publicKeys": [{"secretKeyRef": reference}]});
    name(&scene, &json!({"image": registry.image(), "verification": verification}));
    let missing = |server: &ApiServer| {
        let message = condition(server, "PolicyStale")["message"].clone();
        message
            .as_str()
            .is_some_and(|message| message.contains("Secret keys of spec.policy.verification is not"))
    };
    scene.becomes("the Secret is missing", missing).await;
    let secret = json!({"metadata": {"name": "keys", "namespace": "shop"},
        "data": {"cosign.pub": BASE64_STANDARD.encode(signer.pem())}});
    scene.server.put("/api/v1/namespaces/shop/secrets/keys", secret);
    let refused = |server: &ApiServer| is(server, "PolicyStale", "True", "SignatureRefused");
    scene.becomes("it is not signed", refused).await;
    assert!(is(&scene.server, "PolicyReady", "True", "PolicyActive"), "it goes on deciding");
    registry.sign(&component, &signer);
    let current = |server: &ApiServer| is(server, "PolicyStale", "False", "PolicyActive");
    scene.becomes("it is signed", current).await;
    let by = json!([{"key": fingerprint(&signer), "from": "Secret keys, key cosign.pub",
        "demandedBy": "Resource"}]);
    assert_eq!(status(&scene.server)["policy"]["verifiedBy"], by);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_config_map_has_no_signature_and_is_refused_where_one_is_demanded() {
    let (mut scene, registry, signer) = (Scene::new().await, Registry::up().await, Signer::new());
    scene.context.policies = demanding(&scene, &registry, &signer);
    let object = json!({"metadata": {"name": "p", "namespace": "shop"},
        "binaryData": {"policy.wasm": BASE64_STANDARD.encode(Guest::seed().component())}});
    scene.server.put("/api/v1/namespaces/shop/configmaps/p", object);
    name(&scene, &json!({"configMap": {"name": "p", "key": "policy.wasm"}}));
    scene.begin();
    let refused = |server: &ApiServer| is(server, "PolicyReady", "False", "SignatureRefused");
    scene.becomes("it is refused", refused).await;
    assert_eq!(scene.begun(), []);
}
