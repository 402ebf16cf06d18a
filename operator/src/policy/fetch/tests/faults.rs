//! Registries that are unwell, or lie.

use super::*;

/// What comes of it, and how often the manifest was asked for.
async fn resolved(fault: Fault, times: usize) -> (Result<Digest, FetchError>, usize) {
    let registry = StandIn::up().await;
    registry.push("1", COMPONENT);
    registry.fault("/manifests/", times, fault);
    let result = registries(&[&registry]).resolve(&registry.image("1"), &nobody()).await;
    (result, registry.seen("/manifests/").len())
}

#[tokio::test]
async fn a_registry_that_is_down_is_worth_another_try_and_then_is_asked() {
    let down = StandIn::up().await;
    let (address, image) = (down.address, down.image("1"));
    let registries = registries(&[&down]);
    drop(down);
    let error = registries.resolve(&image, &nobody()).await.unwrap_err();
    assert!(
        matches!(&error.cause, Cause::Way(Refusal::Unreachable { host, .. }) if *host == address.to_string()),
        "{error}"
    );
    assert!(error.is_transient());
    let up = StandIn::at(address, None).await;
    let digest = up.push("1", COMPONENT);
    assert_eq!(registries.resolve(&image, &nobody()).await.unwrap(), digest);
}

#[tokio::test]
async fn a_registry_without_an_address_is_named() {
    let registries = of(vec!["nowhere.invalid".to_owned()]);
    let error = registries.resolve(&"nowhere.invalid/p:1".parse().unwrap(), &nobody()).await.unwrap_err();
    assert!(
        matches!(&error.cause, Cause::Way(Refusal::Unnamed { host, .. }) if host == "nowhere.invalid:80"),
        "{error}"
    );
    assert!(error.is_transient());
}

#[tokio::test]
async fn a_registry_that_says_nothing_is_given_up() {
    let registry = StandIn::up().await;
    registry.fault("/manifests/", 9, Fault::Silence);
    let mut registries = registries(&[&registry]);
    registries.patience.read = Duration::from_millis(20);
    let error = registries.resolve(&registry.image("1"), &nobody()).await.unwrap_err();
    assert!(matches!(error.cause, Cause::Broken(_)) && error.is_transient(), "{error}");
    registries.patience = Patience { whole: Duration::from_millis(20), ..Patience::default() };
    let error = registries.resolve(&registry.image("1"), &nobody()).await.unwrap_err();
    assert_eq!(error.cause, Cause::Late(Duration::from_millis(20)));
    assert!(error.is_transient());
}

#[tokio::test]
async fn a_refusal_is_taken_for_an_answer_and_not_asked_for_again() {
    for (fault, cause) in [
        (Fault::Status(401), Cause::Anonymous),
        (Fault::Status(403), Cause::Denied),
        (Fault::Status(404), Cause::NotFound(Absent::Unsaid)),
        (Fault::Code(401, "UNAUTHORIZED"), Cause::Anonymous),
        (Fault::Code(403, "DENIED"), Cause::Denied),
        (Fault::Code(404, "NAME_UNKNOWN"), Cause::NotFound(Absent::Repository)),
        (Fault::Code(404, "MANIFEST_UNKNOWN"), Cause::NotFound(Absent::Manifest)),
        (Fault::Code(404, "BLOB_UNKNOWN"), Cause::NotFound(Absent::Blob)),
        (Fault::Code(400, "MADE_UP"), Cause::Answered("Other(\\\"MADE_UP\\\"): so it is".into())),
    ] {
        let (result, asked) = resolved(fault, 9).await;
        let error = result.unwrap_err();
        assert_eq!((&error.cause, asked, error.is_transient()), (&cause, 1, false));
        assert!(error.to_string().contains("/team/policy:1 was not fetched: "), "{error}");
    }
}

#[tokio::test]
async fn a_registry_that_is_unwell_is_asked_three_times() {
    for (fault, cause) in [
        (Fault::Status(503), Cause::Unwell(503)),
        (Fault::Status(429), Cause::Busy),
        (Fault::Code(429, "TOOMANYREQUESTS"), Cause::Busy),
    ] {
        let (result, asked) = resolved(fault.clone(), 9).await;
        let error = result.unwrap_err();
        assert_eq!((&error.cause, asked, error.is_transient()), (&cause, 3, true));
        let (result, asked) = resolved(fault, 2).await;
        assert!(result.is_ok() && asked == 3);
    }
}

#[tokio::test]
async fn other_bytes_than_those_of_the_digest_are_refused() {
    let registry = StandIn::up().await;
    let digest = registry.push("1", COMPONENT);
    let (registries, image) = (registries(&[&registry]), registry.image("1"));
    registry.fault("/manifests/", 1, Fault::Body("{}".into()));
    let error = registries.pull(&image, digest, &nobody()).await.unwrap_err();
    assert_eq!(error.cause, Cause::WrongDigest(digest.to_string()));
    registry.fault("/blobs/", 1, Fault::Body("\0asm of another".into()));
    let error = registries.pull(&image, digest, &nobody()).await.unwrap_err();
    assert_eq!(error.cause, Cause::WrongDigest(Digest::of(COMPONENT).to_string()));
    let lie = Digest::of(b"a lie").to_string();
    registry.fault("/manifests/", 1, Fault::Header(lie.clone()));
    let error = registries.resolve(&image, &nobody()).await.unwrap_err();
    assert_eq!(error.cause, Cause::WrongDigest(lie));
    assert!(!error.is_transient());
}

#[tokio::test]
async fn a_layer_without_end_is_cut_where_a_policy_would_end() {
    let registry = StandIn::up().await;
    let digest = registry.push("1", COMPONENT);
    registry.fault("/blobs/", 9, Fault::Endless);
    let error = registries(&[&registry]).pull(&registry.image("1"), digest, &nobody()).await.unwrap_err();
    assert_eq!(error.cause, Cause::NotAPolicy(NotAPolicy::TooLarge));
    assert_eq!(registry.seen("/blobs/").len(), 1, "asked once");
}

#[tokio::test]
async fn a_layer_of_another_size_than_its_manifest_gives_is_refused() {
    let registry = StandIn::up().await;
    let found = COMPONENT.len() as u64;
    for given in [found - 1, found + 1] {
        let layer = serde_json::json!({
            "mediaType": "application/wasm", "digest": registry.put(COMPONENT), "size": given,
        });
        let manifest = serde_json::json!({"schemaVersion": 2, "layers": [layer]});
        let digest = registry.tag("1", manifest.to_string().as_bytes());
        let pulled = registries(&[&registry]).pull(&registry.image("1"), digest, &nobody()).await;
        assert_eq!(pulled.unwrap_err().cause, Cause::NotAPolicy(NotAPolicy::Size { given, found }));
    }
}

#[tokio::test]
async fn any_other_answer_without_end_is_cut_too() {
    for path in ["/manifests/", "/token"] {
        let registry = StandIn::up().await;
        registry.push("1", COMPONENT);
        registry.ask_for(Challenge::Bearer(format!("http://{}/token", registry.host())), "Bearer t");
        if path == "/manifests/" {
            registry.fault("/token", 9, Fault::Body(r#"{"token": "t"}"#.into()));
        }
        registry.fault(path, 9, Fault::Endless);
        let error = registries(&[&registry]).resolve(&registry.image("1"), &nobody()).await.unwrap_err();
        assert_eq!(error.cause, Cause::Way(Refusal::TooMuch { limit: session::TRAFFIC }), "{path}");
        // What lies in the buffers of two sockets comes on top.
        assert!(registry.sent() < session::TRAFFIC + (32 << 20), "{path}: {}", registry.sent());
        assert!(!error.is_transient());
    }
}

#[tokio::test]
async fn an_image_that_is_no_policy_is_refused_before_its_layer_is_fetched() {
    let registry = StandIn::up().await;
    let index = registry.tag("1", br#"{"schemaVersion": 2, "manifests": []}"#);
    let registries = registries(&[&registry]);
    let cause = Cause::NotAPolicy(NotAPolicy::Index);
    let image = registry.image("1");
    assert_eq!(registries.resolve(&image, &nobody()).await.unwrap_err().cause, cause);
    assert_eq!(registries.pull(&image, index, &nobody()).await.unwrap_err().cause, cause);
    assert!(registry.seen("/blobs/").is_empty());
}
