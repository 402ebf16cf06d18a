//! Policies that must be signed.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use operator::policy::keep::Keep;
use operator::policy::signature::Key;
use operator::policy::{Digest, Policies};
use planner::observation::Command;
use serde_json::{Value, json};

use crate::guest::Guest;
use crate::policies::{is, name, nobody_decides, says};
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
pub(crate) fn demanding(scene: &Scene, registry: &Registry, signer: &Signer) -> Policies {
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
    nobody_decides(&scene).await;
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
            .is_some_and(|message| message.contains("publicKeys[0].secretKeyRef: Secret keys is not in"))
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

#[tokio::test(flavor = "multi_thread")]
async fn more_keys_than_a_demand_may_have_are_refused_with_the_path_of_the_field() {
    let (mut scene, registry, signer) = (Scene::new().await, Registry::up().await, Signer::new());
    scene.context.policies = policies(&scene.context.clients, registry.registries());
    let secret = |number| {
        json!({"metadata": {"name": "keys", "namespace": "shop"},
            "data": {"one": BASE64_STANDARD.encode(signer.pem()),
                "many": BASE64_STANDARD.encode(signer.pem().repeat(number))}})
    };
    let named = |key: &str| json!({"secretKeyRef": {"name": "keys", "key": key}});
    let verification = json!({"publicKeys": [named("one"), named("many")]});
    let path = "/api/v1/namespaces/shop/secrets/keys";
    scene.server.put(path, secret(16));
    name(&scene, &json!({"image": registry.image(), "verification": verification}));
    scene.begin();
    let said = |words: &'static str| move |server: &ApiServer| says(server, "PolicyReady", words);
    let together = "spec.policy.verification.publicKeys: 17 keys are given, and one of 16 at most";
    scene.becomes("two Secrets hold too many together", said(together)).await;
    scene.server.put(path, secret(17));
    let alone =
        "spec.policy.verification.publicKeys[1].secretKeyRef: Secret keys, key many: 17 keys are given";
    scene.becomes("one holds too many alone", said(alone)).await;
    assert_eq!(registry.asked(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_must_be_signed_as_well() {
    let (mut scene, registry, signer) = (Scene::new().await, Registry::up().await, Signer::new());
    scene.context.policies = demanding(&scene, &registry, &signer);
    let component = Guest::seed().component();
    registry.push(component.clone());
    name(&scene, &json!({"builtin": "largest-integer", "candidate": {"image": registry.image()}}));
    scene.begin();
    let refused = |server: &ApiServer| is(server, "CandidateReady", "False", "SignatureRefused");
    scene.becomes("it is refused", refused).await;
    assert!(
        is(&scene.server, "PolicyReady", "True", "PolicyActive"),
        "the operator's own needs no signature"
    );
    assert!(status(&scene.server)["policy"]["candidate"].is_null());
    registry.sign(&component, &signer);
    let asked = |server: &ApiServer| is(server, "CandidateReady", "True", "CandidateAsked");
    scene.becomes("it is asked", asked).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_never_be_fetched_is_told_with_what_was_not_seen_of_it() {
    let (mut scene, registry, signer) = (Scene::new().await, Registry::up().await, Signer::new());
    scene.context.policies = demanding(&scene, &registry, &signer);
    let component = Guest::seed().component();
    ran_before(&scene, &registry, &component, json!([])).await;
    let candidate = json!({"image": registry.image()});
    name(&scene, &json!({"image": registry.image(), "pullPolicy": "Never", "candidate": candidate}));
    scene.begin();
    let refused = |server: &ApiServer| is(server, "PolicyReady", "False", "SignatureRefused");
    scene.becomes("it is not verified", refused).await;
    let message = condition(&scene.server, "PolicyReady")["message"].to_string();
    assert!(message.contains("was not verified by the keys that are demanded"), "{message}");
    let unheard = |server: &ApiServer| is(server, "CandidateReady", "False", "PolicyUnavailable");
    scene.becomes("the candidate is not fetched", unheard).await;
    let message = condition(&scene.server, "CandidateReady")["message"].to_string();
    assert!(message.contains("is a candidate, which only its registry has"), "{message}");
    assert_eq!((registry.asked(), scene.begun()), (0, vec![]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tag_that_moved_to_what_is_not_signed_leaves_what_decides_and_tells_why() {
    let (mut scene, registry, signer) = (Scene::new().await, Registry::up().await, Signer::new());
    scene.context.policies = demanding(&scene, &registry, &signer);
    let (component, other) = (Guest::seed().component(), Guest::primaries().component());
    registry.push(component.clone());
    registry.sign(&component, &signer);
    name(&scene, &json!({"image": registry.image(), "pullPolicy": "Always"}));
    scene.begin();
    scene.begins(Command::Seed).await;
    let current = |server: &ApiServer| is(server, "PolicyStale", "False", "PolicyActive");
    scene.becomes("it decides", current).await;
    registry.push(other.clone());
    name(&scene, &json!({"image": registry.image(), "pullPolicy": "Always", "settings": {}}));
    let refused = |server: &ApiServer| is(server, "PolicyStale", "True", "SignatureRefused");
    scene.becomes("what the tag means now is refused", refused).await;
    let message = condition(&scene.server, "PolicyStale")["message"].to_string();
    assert!(message.contains(&Digest::of(&manifest(&other)).to_string()), "{message}");
    assert!(message.contains("is not signed by any of the keys"), "{message}");
    assert_eq!(
        status(&scene.server)["policy"]["digest"],
        json!(Digest::of(&component)),
        "it goes on deciding"
    );
    assert!(is(&scene.server, "PolicyReady", "True", "PolicyActive"));
    registry.sign(&other, &signer);
    let other = |server: &ApiServer| status(server)["policy"]["digest"] == json!(Digest::of(&other));
    scene.becomes("it decides once it is signed", other).await;
}
