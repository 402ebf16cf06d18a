//! Signatures that cosign made, as they are and spoilt in one way each.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::signer::Signer;
use super::*;
use crate::api::Demander;
use crate::policy::signature::{Key, bundle, simple_signing};

/// A file that cosign or the registry wrote.
macro_rules! kept {
    ($($part:literal),+) => {
        include_bytes!(concat!("signed/", $($part),+)).as_slice()
    };
}

/// The manifest under the tag, and its one layer.
macro_rules! older {
    ($folder:literal) => {
        (kept!($folder, "/signatures.json"), kept!($folder, "/payload.json"))
    };
}

/// What leads to the bundle, and the bundle.
macro_rules! newer {
    ($folder:literal) => {
        (kept!($folder, "/index.json"), kept!($folder, "/manifest.json"), kept!($folder, "/bundle.json"))
    };
}

const IMAGE: &[u8] = kept!("image.json");

fn key(pem: &[u8]) -> Key {
    Key::all(pem, "cosign.pub").unwrap().remove(0)
}

fn ecdsa() -> Key {
    key(kept!("ecdsa.pub"))
}

fn demand(key: Key) -> Demand {
    Demand { by: Demander::Resource, keys: vec![key] }
}

/// A registry with the image, under a tag.
async fn signed() -> StandIn {
    let registry = StandIn::up().await;
    registry.tag("1", IMAGE);
    registry
}

fn tag() -> String {
    format!("sha256-{}", Digest::of(IMAGE).hex())
}

/// The older form: the layer is what `payload` is by now.
fn put_older(registry: &StandIn, mut manifest: Value, payload: &[u8]) {
    manifest["layers"][0]["digest"] = json!(registry.put(payload));
    registry.tag(&format!("{}.sig", tag()), manifest.to_string().as_bytes());
}

/// The newer form, in the same way.
fn put_newer(registry: &StandIn, mut index: Value, mut manifest: Value, bundle: &[u8]) {
    manifest["layers"][0]["digest"] = json!(registry.put(bundle));
    index["manifests"][0]["digest"] = json!(registry.put(manifest.to_string().as_bytes()));
    registry.tag(&tag(), index.to_string().as_bytes());
}

fn parsed(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

async fn verify(registry: &StandIn, demands: &[Demand]) -> Result<Result<Vec<Digest>, String>, FetchError> {
    let image = registry.image("1");
    let verified = registries(&[registry]).verify(&image, Digest::of(IMAGE), &nobody(), demands).await?;
    let keys = verified.map(|by| by.into_iter().map(|by| by.key).collect());
    Ok(keys.map_err(|unsigned| unsigned.to_string()))
}

/// Why it is refused, between the keys and the cure.
async fn refusal(registry: &StandIn, key: Key) -> String {
    let fingerprint = key.fingerprint();
    let said = verify(registry, &[demand(key)]).await.unwrap().unwrap_err();
    let repository = registry.image("1").repository();
    let image = format!("{repository}@{}", Digest::of(IMAGE));
    let head = format!("policy {image} is not signed by any of the keys {fingerprint} (");
    // Those that made what lies in `signed`.
    let cosign2 = format!("cosign sign --key cosign.key --tlog-upload=false {image} (cosign 2)");
    let cosign3 = format!("cosign sign --key cosign.key --signing-config signing.json {image} (cosign 3)");
    let cure = format!(
        "; sign it: {cosign2}, or cosign signing-config create --out signing.json and then {cosign3}"
    );
    let why = said.strip_prefix(&head).and_then(|rest| rest.strip_suffix(&cure));
    why.unwrap_or_else(|| panic!("{said}")).split_once("); ").unwrap().1.to_owned()
}

#[tokio::test]
async fn every_signature_that_cosign_made_counts_for_its_key_and_image() {
    for (manifest, payload, key) in [
        (older!("cosign2").0, older!("cosign2").1, ecdsa()),
        (older!("cosign3-legacy").0, older!("cosign3-legacy").1, ecdsa()),
        (older!("cosign2-rsa").0, older!("cosign2-rsa").1, key(kept!("rsa.pub"))),
    ] {
        let registry = signed().await;
        registry.put(payload);
        registry.tag(&format!("{}.sig", tag()), manifest);
        let fingerprint = key.fingerprint();
        assert_eq!(verify(&registry, &[demand(key)]).await.unwrap(), Ok(vec![fingerprint]));
    }
    for (is_listed, (index, manifest, bundle), key) in [
        (false, newer!("cosign3"), ecdsa()),
        (true, newer!("cosign3-referrers"), ecdsa()),
        (false, newer!("cosign3-rsa"), key(kept!("rsa.pub"))),
    ] {
        let registry = signed().await;
        for bytes in [manifest, bundle] {
            registry.put(bytes);
        }
        if is_listed {
            registry.list(Digest::of(IMAGE), index);
        } else {
            registry.tag(&tag(), index);
        }
        let fingerprint = key.fingerprint();
        assert_eq!(verify(&registry, &[demand(key)]).await.unwrap(), Ok(vec![fingerprint]));
    }
}

#[tokio::test]
async fn an_image_without_a_signature_is_refused_and_told_how_it_is_signed() {
    assert_eq!(refusal(&signed().await, ecdsa()).await, "it has no signature");
}

#[tokio::test]
async fn nobody_is_asked_where_nothing_is_demanded() {
    let registry = signed().await;
    assert_eq!(verify(&registry, &[]).await.unwrap(), Ok(vec![]));
    assert!(registry.seen("").is_empty());
}

#[tokio::test]
async fn an_older_signature_that_was_changed_in_one_place_does_not_count() {
    let (manifest, payload) = older!("cosign2");
    let manifest = parsed(manifest);
    let with = |pointer: &str, value: Value| {
        let mut manifest = manifest.clone();
        *manifest.pointer_mut(pointer).unwrap() = value;
        manifest
    };
    let annotation = "/layers/0/annotations/dev.cosignproject.cosign~1signature";
    let mut bytes = STANDARD.decode(manifest.pointer(annotation).unwrap().as_str().unwrap()).unwrap();
    bytes[40] ^= 1;
    let renamed = String::from_utf8_lossy(payload).replace("registry.example.com", "registry.example.org");
    let (other_manifest, other) = older!("cosign2-other");
    for (manifest, payload, why) in [
        (manifest.clone(), renamed.as_bytes(), "1 by another key"),
        (with(annotation, json!(STANDARD.encode(bytes))), payload, "1 by another key"),
        (with(annotation, json!("no base64")), payload, "1 malformed"),
        (with("/layers/0/annotations", json!({})), payload, "1 by another key"),
        (with("/layers/0/mediaType", json!("text/plain")), payload, "it has no signature"),
        (with("/layers/0/size", json!(1 << 20)), payload, "1 too large"),
        (parsed(other_manifest), other, "1 of another image"),
    ] {
        let registry = signed().await;
        put_older(&registry, manifest, payload);
        assert_eq!(refusal(&registry, ecdsa()).await.trim_start_matches("what is there: "), why);
    }
    let registry = signed().await;
    put_older(&registry, manifest, payload);
    let why = refusal(&registry, key(kept!("rsa.pub"))).await;
    assert_eq!(why, "what is there: 1 by another key");
}

#[tokio::test]
async fn a_newer_signature_that_was_changed_in_one_place_does_not_count() {
    let (index, manifest, bundle) = newer!("cosign3");
    let (_, _, other) = newer!("cosign3-other");
    let (_, _, attestation) = newer!("attestation");
    let with = |pointer: &str, value: Value| {
        let mut bundle = parsed(bundle);
        *bundle.pointer_mut(pointer).unwrap() = value;
        bundle.to_string().into_bytes()
    };
    let envelope = parsed(bundle)["dsseEnvelope"].clone();
    let signature = envelope["signatures"][0].clone();
    let payload = STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap();
    let spaced = [payload.as_slice(), b" "].concat();
    for (bundle, why) in [
        (with("/dsseEnvelope/payload", json!(STANDARD.encode(spaced))), "1 by another key"),
        (with("/dsseEnvelope/signatures/0/sig", json!("MEQ=")), "1 by another key"),
        (with("/dsseEnvelope/signatures", json!([signature, signature])), "1 malformed"),
        (with("/dsseEnvelope/signatures", json!([])), "1 malformed"),
        (
            with("/dsseEnvelope/payloadType", json!("text/plain")),
            "1 no signature of an image but a statement of another kind",
        ),
        (with("/mediaType", json!("a/b")), "1 no signature of an image but a statement of another kind"),
        (with("/dsseEnvelope", json!(null)), "1 no signature of an image but a statement of another kind"),
        (b"{".to_vec(), "1 malformed"),
        (other.to_vec(), "1 of another image"),
        (attestation.to_vec(), "1 no signature of an image but a statement of another kind"),
    ] {
        let registry = signed().await;
        put_newer(&registry, parsed(index), parsed(manifest), &bundle);
        let said = refusal(&registry, ecdsa()).await;
        assert_eq!(said.trim_start_matches("what is there: "), why);
    }
}

#[tokio::test]
async fn what_a_key_signed_counts_only_as_an_approval_of_the_very_image() {
    let signer = Signer::new();
    let text = |kind: &str, digest: Digest| {
        let critical = json!({"type": kind, "image": {"docker-manifest-digest": digest}, "identity": {}});
        json!({"critical": critical, "optional": null}).to_string().into_bytes()
    };
    let image = Digest::of(IMAGE);
    for (payload, expected) in [
        (text("cosign container image signature", image), None),
        (
            text("atomic container signature", image),
            Some("no signature of an image but a statement of another kind"),
        ),
        (text("cosign container image signature", Digest::of(b"")), Some("of another image")),
        (b"{}".to_vec(), Some("malformed")),
    ] {
        let registry = signed().await;
        let annotations = json!({simple_signing::ANNOTATION: signer.sign(&payload)});
        let layer = json!({"mediaType": simple_signing::MEDIA_TYPE, "digest": "", "size": 9,
            "annotations": annotations});
        put_older(&registry, json!({"schemaVersion": 2, "layers": [layer]}), &payload);
        match expected {
            None => {
                assert!(verify(&registry, &[demand(key(signer.pem().as_bytes()))]).await.unwrap().is_ok())
            }
            Some(why) => assert_eq!(
                refusal(&registry, key(signer.pem().as_bytes())).await,
                format!("what is there: 1 {why}")
            ),
        }
    }
}

#[tokio::test]
async fn each_demand_is_for_itself_and_one_key_may_meet_several() {
    let registry = signed().await;
    let (manifest, payload) = older!("cosign2");
    put_older(&registry, parsed(manifest), payload);
    let (index, manifest, bundle) = newer!("cosign3-rsa");
    put_newer(&registry, parsed(index), parsed(manifest), bundle);
    let (first, second) = (demand(ecdsa()), demand(key(kept!("rsa.pub"))));
    let [one, two] = [&first, &second].map(|demand| demand.keys[0].fingerprint());
    let both = verify(&registry, &[first.clone(), second.clone()]).await.unwrap();
    assert_eq!(both, Ok(vec![one, two]));
    let either = Demand { keys: vec![second.keys[0].clone(), first.keys[0].clone()], ..first.clone() };
    assert_eq!(verify(&registry, &[either, first.clone()]).await.unwrap(), Ok(vec![one, one]));
    let unmet = demand(key(Signer::new().pem().as_bytes()));
    let refused = verify(&registry, &[first, unmet.clone()]).await.unwrap().unwrap_err();
    assert!(refused.contains(&unmet.keys[0].fingerprint().to_string()), "{refused}");
}

#[tokio::test]
async fn a_registry_that_is_unwell_is_no_answer_about_signatures() {
    for path in [".sig", "/manifests/sha256-", "/referrers/"] {
        let registry = signed().await;
        if path != ".sig" {
            registry.fault(".sig", 9, Fault::Status(404));
        }
        registry.fault(path, 9, Fault::Status(503));
        let error = verify(&registry, &[demand(ecdsa())]).await.unwrap_err();
        assert_eq!((&error.cause, error.is_transient()), (&Cause::Unwell(503), true), "{path}");
    }
    let registry = signed().await;
    let (manifest, payload) = older!("cosign2");
    put_older(&registry, parsed(manifest), payload);
    registry.fault("/blobs/", 9, Fault::Status(503));
    assert_eq!(verify(&registry, &[demand(ecdsa())]).await.unwrap_err().cause, Cause::Unwell(503));
}

#[tokio::test]
async fn a_registry_that_knows_of_no_lists_may_say_so_in_its_own_words() {
    let (index, manifest, bundle) = newer!("cosign3");
    for (fault, why) in [
        (Fault::Status(400), "it has no signature"),
        (Fault::Code(405, "UNSUPPORTED"), "it has no signature"),
        (Fault::Body("<html>".into()), "what is there: 1 page of the registry's list that is malformed"),
    ] {
        let registry = signed().await;
        registry.fault("/referrers/", 9, fault);
        assert_eq!(refusal(&registry, ecdsa()).await, why);
        put_newer(&registry, parsed(index), parsed(manifest), bundle);
        assert!(verify(&registry, &[demand(ecdsa())]).await.unwrap().is_ok());
    }
}

#[tokio::test]
async fn of_thousands_of_signatures_the_newest_are_looked_at() {
    let (manifest, payload) = older!("cosign2");
    let good = parsed(manifest)["layers"][0].clone();
    let noise = |number: usize| {
        json!({"mediaType": simple_signing::MEDIA_TYPE, "size": 9, "annotations": {},
            "digest": Digest::of(&number.to_be_bytes())})
    };
    let registry = signed().await;
    registry.put(payload);
    for (at, is_found) in [(1000, true), (1000 - 15, true), (1000 - 16, false)] {
        let mut layers: Vec<Value> = (0..1000).map(noise).collect();
        layers.insert(at, good.clone());
        let manifest = json!({"schemaVersion": 2, "layers": layers});
        registry.tag(&format!("{}.sig", tag()), manifest.to_string().as_bytes());
        let before = registry.seen("/blobs/").len();
        assert_eq!(verify(&registry, &[demand(ecdsa())]).await.unwrap().is_ok(), is_found, "{at}");
        assert!(registry.seen("/blobs/").len() - before <= 16);
    }
    let entry = |number: usize| {
        json!({"mediaType": "a/b", "artifactType": bundle::MEDIA_TYPE, "size": 9,
            "digest": Digest::of(&number.to_be_bytes())})
    };
    let registry = signed().await;
    let index = json!({"schemaVersion": 2, "manifests": (0..1000).map(entry).collect::<Vec<_>>()});
    registry.tag(&tag(), index.to_string().as_bytes());
    assert_eq!(refusal(&registry, ecdsa()).await, "what is there: 16 missing");
}

#[tokio::test]
async fn a_signature_without_end_is_cut() {
    for path in [".sig", "/blobs/"] {
        let registry = signed().await;
        let (manifest, payload) = older!("cosign2");
        put_older(&registry, parsed(manifest), payload);
        registry.fault(path, 9, Fault::Endless);
        // A layer is cut before; what lies in buffers by then may be all that a search has.
        let limit = crate::policy::fetch::signatures::TRAFFIC;
        match verify(&registry, &[demand(ecdsa())]).await {
            Err(error) => assert_eq!(error.cause, Cause::Way(Refusal::TooMuch { limit })),
            Ok(found) => {
                assert!(path == "/blobs/" && found.unwrap_err().contains("1 too large"));
            }
        }
        assert!(registry.sent() < limit + (32 << 20), "{path}: {}", registry.sent());
    }
}
