//! Registries that are unwell, refuse or lie: each ends in a named condition on its own set, and another set goes on.

use std::time::Duration;

use operator::exec::Purpose;
use operator::policy::fetch::Registries;
use planner::observation::Command;
use serde_json::json;

use super::told;
use crate::guest::Guest;
use crate::policies::{holds, is, name};
use crate::registry::{Registry, Spoiled};
use crate::scene::{Scene, policies};
use crate::server::ApiServer;

/// How long one try may take where a test waits for its end. A registry that is well needs a part of it.
const PATIENCE: Duration = Duration::from_secs(2);

/// A set whose policy is in a registry that has it and does this, and another set, which seeds.
async fn beside(sentence: &str, spoiled: Spoiled, registries: impl Fn(&Registry) -> Registries) -> Beside {
    let (mut scene, registry) = (Scene::new().await, Registry::up().await);
    scene.context.policies = policies(&scene.context.clients, registries(&registry));
    registry.push(Guest::seed().component());
    registry.spoil(spoiled);
    name(&scene, &json!({"image": registry.image()}));
    begin_beside(sentence, &mut scene).await;
    scene.becomes(sentence, |_| registry.asked() > 0).await;
    Beside { scene, registry }
}

struct Beside {
    scene: Scene,
    registry: Registry,
}

/// The operator begins, and the other set seeds.
async fn begin_beside(sentence: &str, scene: &mut Scene) {
    scene.put_another_set();
    scene.begin();
    let seed = scene.begins(Command::Seed).await;
    assert_eq!(seed.call.container.pod.0, "rss-y-0", "{sentence}");
}

fn answers(path: &'static str, status: u16, body: &[u8]) -> Spoiled {
    Spoiled { path, status: Some(status), body: body.to_vec(), ..Spoiled::default() }
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
        let Beside { mut scene, .. } = beside(sentence, spoiled, Registry::registries).await;
        scene.becomes(sentence, |server| told(server, "PolicyUnavailable", words)).await;
        assert!(!scene.begun().contains(&Purpose::Guarded(Command::Seed)), "{sentence}: nothing else seeds");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_registry_keeps_its_own_set_waiting_by_a_named_condition_until_it_answers_and_no_other() {
    let trickles = |path| Spoiled { trickles: true, ..answers(path, 200, b"") };
    let cases = [
        ("it says nothing", Spoiled { status: None, ..answers("", 200, b"") }),
        ("a manifest that trickles", trickles("/manifests/")),
        ("bytes that trickle", trickles("/blobs/")),
    ];
    let late = format!("it took longer than {PATIENCE:?}; it is tried again later");
    for (sentence, spoiled) in cases {
        let hasty = |registry: &Registry| registry.registries().waiting(PATIENCE);
        let Beside { mut scene, registry } = beside(sentence, spoiled, hasty).await;
        // The other set goes on to its next look while that lasts.
        let serves = |server: &ApiServer| {
            let set = server.get("replicatedstatefulsets", "y").unwrap_or_default();
            set["status"]["ready"] == "1/1"
        };
        scene.becomes("the other set serves", serves).await;
        let waits = |server: &ApiServer| {
            told(server, "PolicyUnavailable", &late) && holds(server, "PolicyUnavailable")
        };
        scene.becomes(sentence, waits).await;
        assert!(!scene.begun().contains(&Purpose::Guarded(Command::Seed)), "{sentence}: nothing else seeds");
        registry.is_mended();
        assert_eq!(scene.begins(Command::Seed).await.call.container.pod.0, "rss-x-0", "{sentence}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_that_is_down_at_the_start_is_told_and_once_it_comes_up_the_set_goes_on() {
    let sentence = "its connections are refused";
    let (mut scene, (registry, down)) = (Scene::new().await, Registry::down());
    scene.context.policies = policies(&scene.context.clients, registry.registries());
    registry.push(Guest::seed().component());
    name(&scene, &json!({"image": registry.image()}));
    begin_beside(sentence, &mut scene).await;
    let waits = |server: &ApiServer| {
        told(server, "PolicyUnavailable", "cannot be reached: Connection refused")
            && holds(server, "PolicyUnavailable")
    };
    scene.becomes(sentence, waits).await;
    assert!(!scene.begun().contains(&Purpose::Guarded(Command::Seed)), "nothing else seeds");
    registry.comes_up(down);
    assert_eq!(scene.begins(Command::Seed).await.call.container.pod.0, "rss-x-0");
    let decides = |server: &ApiServer| is(server, "PolicyReady", "True", "PolicyActive");
    scene.becomes("it is told that it decides", decides).await;
}
