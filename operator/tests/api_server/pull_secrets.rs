//! Whose login fetches a policy.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use planner::observation::Command;
use serde_json::{Value, json};

use crate::guest::Guest;
use crate::policies::{name, nobody_decides, says};
use crate::registry::Registry;
use crate::scene::{Scene, policies};

/// `alice:secret`.
const BASIC: &str = "Basic YWxpY2U6c2VjcmV0";

/// A set, and a registry with its policy.
async fn scene() -> (Scene, Registry) {
    let (mut scene, registry) = (Scene::new().await, Registry::up().await);
    scene.context.policies = policies(&scene.context.clients, registry.registries());
    registry.push(Guest::seed().component());
    (scene, registry)
}

/// A Secret with this login for the registry.
fn put_login(scene: &Scene, registry: &Registry, secret: &str) {
    let host = registry.image();
    let host = host.split('/').next().unwrap_or_default();
    let config = json!({"auths": {host: {"username": "alice", "password": "secret"}}}).to_string();
    let object = json!({"metadata": {"name": secret, "namespace": "shop"}, "type": "kubernetes.io/dockerconfigjson",
        "data": {".dockerconfigjson": BASE64_STANDARD.encode(config)}});
    scene.server.put(&format!("/api/v1/namespaces/shop/secrets/{secret}"), object);
}

/// The account of the pods names these Secrets.
fn put_account(scene: &Scene, secrets: &[&str]) {
    let secrets: Vec<Value> = secrets.iter().map(|name| json!({"name": name})).collect();
    let object = json!({"metadata": {"name": "default", "namespace": "shop"}, "imagePullSecrets": secrets});
    scene.server.put("/api/v1/namespaces/shop/serviceaccounts/default", object);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pull_secret_of_the_service_account_is_the_login_for_a_policy_that_names_none() {
    let (mut scene, registry) = scene().await;
    registry.ask_for(BASIC);
    put_login(&scene, &registry, "regcred");
    put_account(&scene, &["missing", "regcred"]);
    name(&scene, &json!({"image": registry.image()}));
    scene.begin();
    scene.begins(Command::Seed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_names_its_secrets_does_not_use_those_of_the_service_account() {
    let (mut scene, registry) = scene().await;
    registry.ask_for(BASIC);
    put_login(&scene, &registry, "regcred");
    put_account(&scene, &["regcred"]);
    name(&scene, &json!({"image": registry.image(), "pullSecrets": [{"name": "missing"}]}));
    scene.begin();
    nobody_decides(&scene).await;
    let named = |server: &_| {
        says(server, "PolicyReady", "Secret missing of spec.policy.pullSecrets is not in the namespace")
    };
    scene.becomes("the Secret is named", named).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_is_missing_disables_no_other_one() {
    let (mut scene, registry) = scene().await;
    registry.ask_for(BASIC);
    put_login(&scene, &registry, "regcred");
    name(
        &scene,
        &json!({"image": registry.image(), "pullSecrets": [{"name": "missing"}, {"name": "regcred"}]}),
    );
    scene.begin();
    scene.begins(Command::Seed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_right_to_read_service_accounts_a_public_policy_is_fetched() {
    let (mut scene, registry) = scene().await;
    scene.server.forbid_reads("serviceaccounts");
    name(&scene, &json!({"image": registry.image()}));
    scene.begin();
    scene.begins(Command::Seed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_policy_without_a_login_names_both_places_for_one() {
    let (mut scene, registry) = scene().await;
    registry.ask_for(BASIC);
    name(&scene, &json!({"image": registry.image()}));
    scene.begin();
    nobody_decides(&scene).await;
    let named =
        |server: &_| says(server, "PolicyReady", "or in imagePullSecrets of the pods' service account");
    scene.becomes("both places are named", named).await;
}
