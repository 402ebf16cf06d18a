//! Signatures that a registry lists, in whichever order and on however many pages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::signer::Signer;
use super::*;
use crate::api::Demander;
use crate::policy::signature::{Key, bundle};

const IMAGE: &[u8] = include_bytes!("signed/image.json");

/// A bundle of this key's, with the image that holds it: its entry in a list.
fn signature(registry: &StandIn, signer: &Signer, more: Value) -> Value {
    let subject = json!([{"digest": {"sha256": Digest::of(IMAGE).hex()}}]);
    let statement = json!({"_type": "https://in-toto.io/Statement/v1", "predicateType": bundle::PREDICATE,
        "subject": subject, "predicate": {}});
    let (payload, kind) = (statement.to_string(), "application/vnd.in-toto+json");
    let message = format!("DSSEv1 {} {kind} {} {payload}", kind.len(), payload.len());
    let envelope = json!({"payload": STANDARD.encode(&payload), "payloadType": kind,
        "signatures": [{"sig": signer.sign(message.as_bytes())}]});
    let bundle = json!({"mediaType": bundle::MEDIA_TYPE, "dsseEnvelope": envelope}).to_string();
    let layer = json!({"mediaType": bundle::MEDIA_TYPE, "digest": registry.put(bundle.as_bytes()),
        "size": bundle.len()});
    let manifest = json!({"schemaVersion": 2, "layers": [layer]}).to_string();
    let mut entry = json!({"mediaType": "a/b", "artifactType": bundle::MEDIA_TYPE,
        "digest": registry.put(manifest.as_bytes()), "size": manifest.len()});
    for (field, value) in more.as_object().unwrap() {
        entry[field] = value.clone();
    }
    entry
}

/// An entry with nothing behind it.
fn noise(number: usize) -> Value {
    json!({"mediaType": "a/b", "artifactType": bundle::MEDIA_TYPE, "size": 9,
        "digest": Digest::of(&number.to_be_bytes())})
}

fn page(entries: &[Value]) -> Bytes {
    json!({"schemaVersion": 2, "manifests": entries}).to_string().into()
}

async fn verify(registry: &StandIn, signer: &Signer) -> Result<(), String> {
    let keys = Key::all(signer.pem().as_bytes(), "cosign.pub").unwrap();
    let demands = [Demand { by: Demander::Resource, keys }];
    let registries = registries(&[registry]);
    let found = registries.verify(&registry.image("1"), Digest::of(IMAGE), &nobody(), &demands).await;
    found.unwrap().map(drop).map_err(|unsigned| unsigned.to_string())
}

/// What is there in the place of a signature, between the keys and the cure.
async fn told(registry: &StandIn, signer: &Signer) -> String {
    let refused = verify(registry, signer).await.unwrap_err();
    let told = refused.split_once("what is there: ").unwrap_or_else(|| panic!("{refused}")).1;
    told.split_once("; sign it").unwrap().0.to_owned()
}

/// A page with nothing of a signature, of so many bytes.
fn filled(bytes: usize) -> Bytes {
    let entry = |filler: usize| {
        json!({"mediaType": "a/b", "artifactType": "text/plain", "digest": "", "size": 1,
            "annotations": {"filler": "x".repeat(filler)}})
    };
    let empty = page(&[entry(0)]).len();
    let filled = page(&[entry(bytes - empty)]);
    assert_eq!(filled.len(), bytes);
    filled
}

/// The bytes that a page may have.
const PAGE: usize = 256 << 10;

#[tokio::test]
async fn a_list_is_read_page_by_page_up_to_a_bound_and_it_is_told_that_it_goes_on() {
    let signer = Signer::new();
    for (before, is_found) in [(0, true), (7, true), (8, false)] {
        let registry = StandIn::up().await;
        let mut pages = vec![filled(PAGE); before];
        pages.push(page(&[signature(&registry, &signer, json!({}))]));
        registry.list_pages(Digest::of(IMAGE), pages);
        let verified = verify(&registry, &signer).await;
        assert_eq!(verified.is_ok(), is_found, "{before}: {verified:?}");
        assert_eq!(registry.seen("/referrers/").len(), (before + 1).min(8));
        if !is_found {
            let goes_on = "1 list of the registry that goes on after what is read of it";
            assert_eq!(told(&registry, &signer).await, goes_on);
        }
    }
}

#[tokio::test]
async fn what_a_list_does_not_show_is_told_and_what_it_shows_counts() {
    let signer = Signer::new();
    let too_large = "page of the registry's list that is too large, with which the list ends here";
    let malformed = "page of the registry's list that is malformed";
    for (odd, why) in [(filled(PAGE + 1), too_large), (Bytes::from("<html>"), malformed)] {
        let registry = StandIn::up().await;
        let signed = page(&[signature(&registry, &signer, json!({}))]);
        registry.list_pages(Digest::of(IMAGE), vec![page(&[]), odd.clone()]);
        assert_eq!(told(&registry, &signer).await, format!("1 {why}"));
        registry.list_pages(Digest::of(IMAGE), vec![signed.clone(), odd.clone()]);
        assert_eq!(verify(&registry, &signer).await, Ok(()), "{why}");
        registry.list_pages(Digest::of(IMAGE), vec![odd, signed]);
        assert_eq!(verify(&registry, &signer).await.is_ok(), why == malformed);
    }
}

#[tokio::test]
async fn a_page_that_is_not_given_or_is_elsewhere_ends_the_list_and_is_told() {
    let (registry, other, signer) = (StandIn::up().await, StandIn::up().await, Signer::new());
    let elsewhere = format!("http://{}/v2/team/policy/referrers/{}", other.host(), Digest::of(IMAGE));
    for (next, why) in [("/v2/none/referrers/x", "not given"), (&elsewhere, "elsewhere")] {
        let why = format!("1 page of the registry's list that is {why}, with which the list ends here");
        registry.fault("/referrers/sha256:", 1, Fault::Page(page(&[]), next.to_owned()));
        assert_eq!(told(&registry, &signer).await, why);
        let signed = page(&[signature(&registry, &signer, json!({}))]);
        registry.fault("/referrers/sha256:", 1, Fault::Page(signed, next.to_owned()));
        assert_eq!(verify(&registry, &signer).await, Ok(()));
    }
    assert!(other.seen("").is_empty(), "nothing is sent there");
}

#[tokio::test]
async fn the_order_of_a_list_changes_nothing() {
    let signer = Signer::new();
    let registry = StandIn::up().await;
    let created =
        |day: u8| json!({"org.opencontainers.image.created": format!("2026-01-{day:02}T00:00:00Z")});
    let newest = signature(&registry, &signer, json!({"annotations": created(28)}));
    let dated = |day: u8| {
        let mut entry = noise(day.into());
        entry["annotations"] = created(day);
        entry
    };
    for place in [0, 10, 20] {
        let mut entries: Vec<Value> = (1..=20).map(dated).collect();
        entries.insert(place, newest.clone());
        registry.list(Digest::of(IMAGE), &page(&entries));
        assert_eq!(verify(&registry, &signer).await, Ok(()), "{place}");
    }
    // Without dates, what is stated to be a signature.
    let stated = json!({"annotations": {bundle::PREDICATE_ANNOTATION: bundle::PREDICATE}});
    let stated = signature(&registry, &signer, stated);
    for place in [0, 20] {
        let mut entries: Vec<Value> = (0..20).map(noise).collect();
        entries.insert(place, stated.clone());
        registry.list(Digest::of(IMAGE), &page(&entries));
        assert_eq!(verify(&registry, &signer).await, Ok(()), "{place}");
    }
}

#[tokio::test]
async fn who_is_found_under_a_tag_is_not_looked_for_in_a_list() {
    let (registry, signer) = (StandIn::up().await, Signer::new());
    let index = page(&[signature(&registry, &signer, json!({}))]);
    registry.tag(&format!("sha256-{}", Digest::of(IMAGE).hex()), &index);
    registry.fault("/referrers/", 9, Fault::Status(503));
    assert_eq!(verify(&registry, &signer).await, Ok(()));
    assert!(registry.seen("/referrers/").is_empty());
}

#[tokio::test]
async fn what_is_too_old_to_be_looked_at_under_a_tag_is_looked_at_in_the_list() {
    let (registry, signer) = (StandIn::up().await, Signer::new());
    let created = json!({"annotations": {"org.opencontainers.image.created": "2026-01-01T00:00:00Z"}});
    let signed = signature(&registry, &signer, created);
    let newer: Vec<Value> = (0..16).map(noise).collect();
    let all: Vec<Value> = [signed].into_iter().chain(newer).collect();
    registry.tag(&format!("sha256-{}", Digest::of(IMAGE).hex()), &page(&all));
    registry.list(Digest::of(IMAGE), &page(&all));
    assert_eq!(verify(&registry, &signer).await, Ok(()));
}

#[tokio::test]
async fn the_login_goes_to_the_list_too_and_to_no_other_place() {
    let (registry, other, signer) = (StandIn::up().await, StandIn::up().await, Signer::new());
    let basic = "Basic YWxpY2U6c2VjcmV0";
    registry.list(Digest::of(IMAGE), &page(&[signature(&registry, &signer, json!({}))]));
    registry.ask_for(Challenge::Basic, basic);
    let keys = Key::all(signer.pem().as_bytes(), "cosign.pub").unwrap();
    let demands = [Demand { by: Demander::Resource, keys }];
    let (both, alice) = (registries(&[&registry, &other]), login(&registry.host(), "alice"));
    let verified = both.verify(&registry.image("1"), Digest::of(IMAGE), &alice, &demands).await.unwrap();
    assert!(verified.is_ok());
    assert_eq!(registry.seen("/referrers/"), [Some(basic.to_owned())]);
    registry.fault("/referrers/", 1, Fault::Redirect(format!("http://{}/list", other.host())));
    let _ = both.verify(&registry.image("1"), Digest::of(IMAGE), &alice, &demands).await.unwrap();
    assert_eq!(other.seen("/list"), [None]);
}

#[tokio::test]
async fn a_page_without_end_is_left_out_and_says_nothing_of_what_is_asked_for_after_it() {
    let (registry, signer) = (StandIn::up().await, Signer::new());
    let first = page(&[noise(1)]);
    registry.fault("/referrers/sha256:", 1, Fault::Page(first, "/v2/team/policy/referrers/more".to_owned()));
    registry.fault("/referrers/more", 1, Fault::Endless);
    let too_large = "1 page of the registry's list that is too large, with which the list ends here";
    assert_eq!(told(&registry, &signer).await, format!("1 missing, {too_large}"));
    assert!(registry.sent() < 32 << 20, "{}", registry.sent());
}
