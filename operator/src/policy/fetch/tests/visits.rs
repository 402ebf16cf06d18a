//! All that one try to have a policy asks of a registry.

use super::signer::Signer;
use super::*;
use crate::api::Demander;
use crate::policy::signature::{Key, simple_signing};

async fn visited(registry: &StandIn, tag: &str, wish: Wish<'_>) -> Result<Visited, FetchError> {
    registries(&[registry]).visit(&registry.image(tag), wish, &login(&registry.host(), "alice")).await
}

/// The older form of a signature of this image.
fn sign(registry: &StandIn, image: Digest, signer: &Signer) {
    let critical = json!({"type": "cosign container image signature", "identity": {},
        "image": {"docker-manifest-digest": image}});
    let payload = json!({"critical": critical, "optional": null}).to_string();
    let annotations = json!({simple_signing::ANNOTATION: signer.sign(payload.as_bytes())});
    let layer = json!({"mediaType": simple_signing::MEDIA_TYPE, "digest": registry.put(payload.as_bytes()),
        "size": payload.len(), "annotations": annotations});
    let manifest = json!({"schemaVersion": 2, "layers": [layer]}).to_string();
    registry.tag(&format!("sha256-{}.sig", image.hex()), manifest.as_bytes());
}

fn demand(signer: &Signer) -> Demand {
    Demand { by: Demander::Resource, keys: Key::all(signer.pem().as_bytes(), "cosign.pub").unwrap() }
}

#[tokio::test]
async fn each_thing_is_asked_for_once() {
    let (registry, signer) = (StandIn::up().await, Signer::new());
    // A registry that wants no login is asked before each request how it wants to be asked: the client keeps a login
    // alone in mind.
    registry.ask_for(Challenge::Basic, "Basic YWxpY2U6c2VjcmV0");
    let digest = registry.push("1", COMPONENT);
    sign(&registry, digest, &signer);
    let demands = [demand(&signer)];
    for (wish, requests) in [
        // How it wants to be asked, the manifest, and the bytes.
        (Wish::default(), 3),
        (Wish { pinned: Some(digest), ..Wish::default() }, 3),
        // The signature's manifest and text beside them.
        (Wish { demands: &demands, ..Wish::default() }, 5),
    ] {
        let before = registry.seen("").len();
        let Visited::New(artifact, verified_by) = visited(&registry, "1", wish).await.unwrap() else {
            panic!("it is new")
        };
        assert_eq!((artifact.image, artifact.bytes.as_ref()), (digest, COMPONENT));
        assert_eq!(verified_by.len(), wish.demands.len());
        assert_eq!(registry.seen("").len() - before, requests, "{wish:?}");
    }
    let before = registry.seen("").len();
    let wish = Wish { known: &[digest], demands: &demands, ..Wish::default() };
    assert!(matches!(visited(&registry, "1", wish).await.unwrap(), Visited::Known(known) if known == digest));
    assert_eq!(registry.seen("").len() - before, 2, "what is known is not fetched, nor its signatures");
}

#[tokio::test]
async fn nothing_is_fetched_of_what_is_not_signed() {
    let (registry, signer) = (StandIn::up().await, Signer::new());
    let digest = registry.push("1", COMPONENT);
    let demands = [demand(&signer)];
    let wish = Wish { demands: &demands, ..Wish::default() };
    assert!(matches!(visited(&registry, "1", wish).await.unwrap(), Visited::Unsigned(_)));
    assert!(registry.seen("/blobs/").is_empty());
    sign(&registry, digest, &signer);
    assert!(matches!(visited(&registry, "1", wish).await.unwrap(), Visited::New(..)));
}

#[tokio::test]
async fn a_digest_that_the_registry_has_no_more_is_told_as_that_and_not_as_unsigned() {
    let (registry, signer) = (StandIn::up().await, Signer::new());
    registry.push("1", COMPONENT);
    let (gone, demands) = (Digest::of(b"gone"), [demand(&signer)]);
    let wish = Wish { pinned: Some(gone), demands: &demands, ..Wish::default() };
    let error = visited(&registry, "1", wish).await.unwrap_err();
    assert_eq!(error.cause, Cause::NotFound(Absent::Unsaid));
    assert!(error.to_string().contains(&format!("/team/policy@{gone} was not fetched")), "{error}");
}

#[tokio::test]
async fn a_pinned_digest_is_what_is_brought_whatever_its_tag_means_by_now() {
    let registry = StandIn::up().await;
    let old = registry.push("1", COMPONENT);
    registry.push("1", b"\0asm newer");
    let wish = Wish { pinned: Some(old), ..Wish::default() };
    let visited = visited(&registry, "1", wish).await.unwrap();
    assert!(matches!(visited, Visited::New(artifact, _) if artifact.image == old));
}

#[tokio::test]
async fn one_deadline_is_for_all_of_it() {
    let (registry, signer) = (StandIn::up().await, Signer::new());
    registry.push("1", COMPONENT);
    let demands = [demand(&signer)];
    let whole = Duration::from_millis(100);
    for path in ["/manifests/1", ".sig"] {
        let mut registries = registries(&[&registry]);
        registries.patience.whole = whole;
        registry.fault(path, 1, Fault::Silence);
        let wish = Wish { demands: &demands, ..Wish::default() };
        let error = registries.visit(&registry.image("1"), wish, &nobody()).await.unwrap_err();
        assert_eq!(error.cause, Cause::Late(whole), "{path}");
    }
}
