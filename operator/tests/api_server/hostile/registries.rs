//! Registries that are unwell, refuse or lie: each ends in a named condition on its own set, and another set goes on.

use operator::exec::Purpose;
use planner::observation::Command;
use serde_json::json;

use super::told;
use crate::guest::Guest;
use crate::policies::name;
use crate::registry::{Registry, Spoiled};
use crate::scene::{Scene, policies};

/// A set whose policy is in a registry that has it and does this, and another set, which seeds.
async fn beside(sentence: &str, spoiled: Spoiled) -> Scene {
    let (mut scene, registry) = (Scene::new().await, Registry::up().await);
    scene.context.policies = policies(&scene.context.clients, registry.registries());
    registry.push(Guest::seed().component());
    registry.spoil(spoiled);
    name(&scene, &json!({"image": registry.image()}));
    scene.put_another_set();
    scene.begin();
    let seed = scene.begins(Command::Seed).await;
    assert_eq!(seed.call.container.pod.0, "rss-y-0", "{sentence}");
    scene.becomes(sentence, |_| registry.asked() > 0).await;
    scene
}

fn answers(path: &'static str, status: u16, body: &[u8]) -> Spoiled {
    Spoiled { path, status: Some(status), location: "", body: body.to_vec() }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_registry_that_gives_no_policy_ends_in_a_named_condition_on_its_own_set() {
    let index = br#"{"schemaVersion": 2, "manifests": []}"#;
    let away = |location| Spoiled { location, ..answers("/blobs/", 307, b"") };
    let cases = [
        ("it asks for a login", answers("/manifests/", 401, b""), "(401)"),
        ("it refuses", answers("/manifests/", 403, b""), "(403)"),
        ("it has no such image", answers("/manifests/", 404, b""), "(404)"),
        ("it was asked too often", answers("/manifests/", 429, b""), "(429)"),
        ("it is unwell", answers("/manifests/", 503, b""), "unwell (503)"),
        ("it is no registry", answers("/manifests/", 200, b"<html>"), "it is no policy"),
        ("an index of images", answers("/manifests/", 200, index), "an index of images"),
        ("other bytes than those of the digest", answers("/blobs/", 200, b"\0asm of another"), "other bytes"),
        ("a layer that is too large", answers("/blobs/", 200, &vec![0; 1 << 20]), "more than 786432 bytes"),
        ("a way to the machine's own services", away("http://169.254.169.254/latest"), "169.254.169.254"),
        ("a way in a circle", away("/v2/team/policy/blobs/again"), "was not fetched"),
    ];
    for (sentence, spoiled, words) in cases {
        let mut scene = beside(sentence, spoiled).await;
        scene.becomes(sentence, |server| told(server, "PolicyUnavailable", words)).await;
        assert!(!scene.begun().contains(&Purpose::Guarded(Command::Seed)), "{sentence}: nothing else seeds");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_that_says_nothing_keeps_its_own_set_waiting_and_no_other() {
    let silence = Spoiled { status: None, ..answers("", 200, b"") };
    let mut scene = beside("silence", silence).await;
    // The other set goes on to its next look while that lasts.
    let seeded = |server: &crate::server::ApiServer| {
        let set = server.get("replicatedstatefulsets", "y").unwrap_or_default();
        set["status"]["ready"] == "1/1"
    };
    scene.becomes("the other set serves", seeded).await;
    assert!(!scene.begun().contains(&Purpose::Guarded(Command::Seed)));
}
