//! Who gets what is kept, and what becomes of it.

mod bounds;
mod stand_in;

use hyper::Method;
use k8s_openapi::jiff::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::telemetry::Metrics;
use stand_in::ApiServer;

const COMPONENT: &[u8] = b"\0asm as it were";

fn keep(server: &ApiServer) -> Keep {
    Keep::new(&Clients::new(server.config.clone(), &Metrics::default()).unwrap(), "home")
}

fn name() -> String {
    object::name(Digest::of(COMPONENT))
}

/// The bytes that are given, if any.
async fn given(keep: &Keep, digest: Digest, namespace: &str) -> Option<Vec<u8>> {
    match keep.get(digest, namespace).await.unwrap() {
        Kept::Bytes(bytes, _) => Some(bytes),
        Kept::Absent => None,
        Kept::Damaged => panic!("it is damaged"),
    }
}

/// The object as it is in the server.
fn stored(server: &ApiServer) -> Option<Value> {
    server.objects.lock().unwrap().all.get(&name()).cloned()
}

fn hour(number: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + 3600 * number).unwrap()
}

/// As somebody with the rights of an administrator could leave it: under the name of one policy the bytes of another.
fn forged() -> Value {
    let mut object = json!(object::of(COMPONENT, Digest::of(COMPONENT), "a", "host/p"));
    object["binaryData"]["component.wasm"] = json!("AGFzbQ==");
    object
}

#[tokio::test]
async fn what_is_kept_is_given_to_who_brought_it_and_to_nobody_else() {
    let server = ApiServer::up().await;
    let keep = keep(&server);
    keep.put(COMPONENT, "a", "host/p").await.unwrap();
    let digest = Digest::of(COMPONENT);
    assert_eq!(given(&keep, digest, "a").await, Some(COMPONENT.to_vec()));
    assert_eq!(given(&keep, digest, "b").await, None);
    assert_eq!(given(&keep, Digest::of(b"other"), "a").await, None);
    keep.put(COMPONENT, "b", "elsewhere/p").await.unwrap();
    for namespace in ["a", "b"] {
        assert_eq!(given(&keep, digest, namespace).await, Some(COMPONENT.to_vec()));
    }
}

#[tokio::test]
async fn what_is_kept_cannot_be_changed_and_says_whose_it_is() {
    let server = ApiServer::up().await;
    keep(&server).put(COMPONENT, "a", "host/p").await.unwrap();
    let object = stored(&server).unwrap();
    assert_eq!(object["immutable"], json!(true));
    assert_eq!(object["metadata"]["annotations"]["kept-for.clusterlabs.org/a"], json!("host/p"));
    assert_eq!(object["metadata"]["annotations"]["clusterlabs.org/digest"], json!(Digest::of(COMPONENT)));
    assert!(name().len() <= 63);
}

#[tokio::test]
async fn what_was_brought_before_is_not_written_again() {
    let server = ApiServer::up().await;
    let keep = keep(&server);
    for _ in 0..3 {
        keep.put(COMPONENT, "a", "host/p").await.unwrap();
    }
    assert_eq!(server.objects.lock().unwrap().writes, 1);
}

#[tokio::test]
async fn other_bytes_than_those_of_the_digest_are_removed_and_given_to_nobody() {
    let server = ApiServer::up().await;
    server.objects.lock().unwrap().write(forged());
    let keep = keep(&server);
    let digest = Digest::of(COMPONENT);
    assert!(matches!(keep.get(digest, "a").await.unwrap(), Kept::Damaged));
    assert_eq!(given(&keep, digest, "a").await, None);
}

#[tokio::test]
async fn other_bytes_than_those_of_the_digest_are_replaced_by_who_brings_the_right_ones() {
    let server = ApiServer::up().await;
    server.objects.lock().unwrap().write(forged());
    let keep = keep(&server);
    keep.put(COMPONENT, "b", "host/p").await.unwrap();
    let digest = Digest::of(COMPONENT);
    assert_eq!(given(&keep, digest, "b").await, Some(COMPONENT.to_vec()));
    assert_eq!(given(&keep, digest, "a").await, None, "it had no right but by the forgery");
}

#[tokio::test]
async fn what_no_set_uses_goes_an_hour_after_that_was_seen() {
    let server = ApiServer::up().await;
    let keep = keep(&server);
    keep.put(COMPONENT, "a", "host/p").await.unwrap();
    let digest = Digest::of(COMPONENT);
    let used = InUse::from([("a".to_owned(), digest)]);
    keep.collect(&InUse::new(), |_| true, hour(0)).await.unwrap();
    keep.collect(&used, |_| true, hour(1)).await.unwrap();
    keep.collect(&InUse::new(), |_| true, hour(2)).await.unwrap();
    assert_eq!(given(&keep, digest, "a").await, Some(COMPONENT.to_vec()), "it was used in between");
    keep.collect(&InUse::new(), |_| true, hour(3)).await.unwrap();
    assert_eq!(stored(&server), None);
}

#[tokio::test]
async fn a_namespace_that_uses_it_no_more_loses_its_right_and_another_keeps_it() {
    let server = ApiServer::up().await;
    let keep = keep(&server);
    keep.put(COMPONENT, "a", "host/p").await.unwrap();
    let digest = Digest::of(COMPONENT);
    keep.put(COMPONENT, "b", "host/p").await.unwrap();
    let used = InUse::from([("b".to_owned(), digest)]);
    for number in 0..2 {
        keep.collect(&used, |_| true, hour(number)).await.unwrap();
    }
    assert_eq!(given(&keep, digest, "a").await, None);
    assert_eq!(given(&keep, digest, "b").await, Some(COMPONENT.to_vec()));
}

#[tokio::test]
async fn what_is_brought_again_while_it_is_removed_stays() {
    let server = ApiServer::up().await;
    let keep = keep(&server);
    keep.put(COMPONENT, "a", "host/p").await.unwrap();
    let digest = Digest::of(COMPONENT);
    keep.collect(&InUse::new(), |_| true, hour(0)).await.unwrap();
    let mut brought = stored(&server).unwrap();
    brought["metadata"]["annotations"]["kept-for.clusterlabs.org/b"] = json!("host/p");
    server.objects.lock().unwrap().before = Some((Method::DELETE, brought));
    keep.collect(&InUse::new(), |_| true, hour(1)).await.unwrap();
    assert_eq!(given(&keep, digest, "b").await, Some(COMPONENT.to_vec()));
}

#[tokio::test]
async fn who_brings_it_takes_the_mark_of_disuse_away() {
    let server = ApiServer::up().await;
    let keep = keep(&server);
    keep.put(COMPONENT, "a", "host/p").await.unwrap();
    keep.collect(&InUse::new(), |_| true, hour(0)).await.unwrap();
    keep.put(COMPONENT, "a", "host/p").await.unwrap();
    keep.collect(&InUse::new(), |_| true, hour(1)).await.unwrap();
    assert!(stored(&server).is_some());
}

#[tokio::test]
async fn what_is_held_stays_though_no_status_names_it_and_goes_when_nobody_holds_it() {
    let server = ApiServer::up().await;
    let keep = keep(&server);
    let held = keep.put(COMPONENT, "a", "host/p").await.unwrap();
    // Looks of the set fail, so its status names the one before.
    for number in 0..4 {
        keep.collect(&InUse::new(), |_| true, hour(number)).await.unwrap();
    }
    assert!(stored(&server).is_some() && held.is_there());
    let again = keep.get(Digest::of(COMPONENT), "a").await.unwrap();
    drop(held);
    keep.collect(&InUse::new(), |_| true, hour(4)).await.unwrap();
    assert!(matches!(again, Kept::Bytes(_, held) if held.is_there()), "two held it");
    for number in 5..7 {
        keep.collect(&InUse::new(), |_| true, hour(number)).await.unwrap();
    }
    assert_eq!(stored(&server), None);
}

#[tokio::test]
async fn what_somebody_removed_is_not_taken_for_kept_until_it_is_there_again() {
    let server = ApiServer::up().await;
    let keep = keep(&server);
    let held = keep.put(COMPONENT, "a", "host/p").await.unwrap();
    server.objects.lock().unwrap().all.clear();
    assert!(held.is_there(), "nobody has looked");
    keep.collect(&InUse::new(), |_| true, hour(0)).await.unwrap();
    assert!(!held.is_there());
    keep.put(COMPONENT, "b", "host/p").await.unwrap();
    keep.collect(&InUse::new(), |_| true, hour(0)).await.unwrap();
    assert!(!held.is_there(), "another namespace has it");
    keep.put(COMPONENT, "a", "host/p").await.unwrap();
    assert!(held.is_there());
}

#[tokio::test]
async fn one_that_cannot_be_changed_keeps_no_other_from_going() {
    let server = ApiServer::up().await;
    let keep = keep(&server);
    let all: [&[u8]; 3] = [b"one", b"two", b"three"];
    for bytes in all {
        keep.put(bytes, "a", "host/p").await.unwrap();
    }
    let names = || server.objects.lock().unwrap().all.keys().cloned().collect::<Vec<_>>();
    let first = names()[0].clone();
    server.objects.lock().unwrap().stuck = Some(first.clone());
    for number in 0..2 {
        let error = keep.collect(&InUse::new(), |_| true, hour(number)).await.unwrap_err();
        assert!(error.to_string().contains(&first), "{error}");
    }
    assert_eq!(names(), [first]);
}

#[tokio::test]
async fn a_quota_is_told_from_a_right_that_is_missing() {
    // As API servers answer: the one is about the object, the other about the request.
    let quota = json!({"kind": "configmaps", "name": name()});
    for (details, is_forbidden, words) in [
        (json!({"kind": "configmaps"}), true, "failed to write the ConfigMap"),
        (quota, false, "does not admit the ConfigMap"),
    ] {
        let server = ApiServer::up().await;
        server.objects.lock().unwrap().refused = Some(details);
        let error = keep(&server).put(COMPONENT, "a", "host/p").await.err().unwrap();
        assert_eq!(error.is_forbidden(), is_forbidden, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}
