//! Against a registry of the same process, which does what it is told.

mod faults;
mod fuzzed;
mod listed;
mod logins;
mod proxied;
mod signatures;
mod signer;
mod stand_in;
mod tls;
mod visits;
mod ways;

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};

use bytes::Bytes;

use super::*;
use crate::policy::signature::Demand;
use stand_in::{Challenge, Fault, StandIn};

const COMPONENT: &[u8] = b"\0asm as it were";

/// These may be fetched from, without TLS.
fn registries(hosts: &[&StandIn]) -> Registries {
    of(hosts.iter().map(|host| host.host()).collect())
}

fn of(hosts: Vec<String>) -> Registries {
    // Somebody else's test may have been first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let access = Access {
        allowed: hosts.iter().map(|host| host.parse().unwrap()).collect(),
        insecure: hosts.iter().map(|host| host.parse().unwrap()).collect(),
    };
    let mut registries = Registries::new(access);
    registries.patience.pause = Duration::from_millis(2);
    registries
}

fn document(document: &Value) -> Credentials {
    let data =
        BTreeMap::from([(".dockerconfigjson".to_owned(), ByteString(document.to_string().into_bytes()))]);
    let kind = Some("kubernetes.io/dockerconfigjson".to_owned());
    let mut credentials = Credentials::default();
    credentials.add("regcred", &Secret { type_: kind, data: Some(data), ..Secret::default() }).unwrap();
    credentials
}

fn login(host: &str, user: &str) -> Credentials {
    document(&json!({"auths": {host: {"username": user, "password": "secret"}}}))
}

fn nobody() -> Credentials {
    Credentials::default()
}

#[tokio::test]
async fn a_tag_becomes_a_digest_and_the_digest_the_bytes() {
    let registry = StandIn::up().await;
    let pushed = registry.push("1", COMPONENT);
    let (registries, image) = (registries(&[&registry]), registry.image("1"));
    let digest = registries.resolve(&image, &nobody()).await.unwrap();
    assert_eq!(digest, pushed);
    let artifact = registries.pull(&image, digest, &nobody()).await.unwrap();
    assert_eq!((artifact.image, artifact.component), (pushed, Digest::of(COMPONENT)));
    assert_eq!((artifact.bytes.as_ref(), artifact.media_type), (COMPONENT, MediaType::Wasm));
}

#[tokio::test]
async fn a_tag_that_moved_has_a_new_digest_and_the_old_digest_has_the_old_bytes() {
    let registry = StandIn::up().await;
    let old = registry.push("1", COMPONENT);
    let new = registry.push("1", b"\0asm newer");
    let (registries, image) = (registries(&[&registry]), registry.image("1"));
    assert_eq!(registries.resolve(&image, &nobody()).await.unwrap(), new);
    assert_eq!(registries.pull(&image, old, &nobody()).await.unwrap().bytes.as_ref(), COMPONENT);
}

#[tokio::test]
async fn a_digest_in_the_name_is_the_digest() {
    let registry = StandIn::up().await;
    let digest = registry.push("1", COMPONENT);
    let image = format!("{}/team/policy@{digest}", registry.host()).parse().unwrap();
    assert_eq!(registries(&[&registry]).resolve(&image, &nobody()).await.unwrap(), digest);
    registry.fault("/manifests/", 1, Fault::Body("{}".into()));
    let error = registries(&[&registry]).resolve(&image, &nobody()).await.unwrap_err();
    assert_eq!(error.cause, Cause::WrongDigest(digest.to_string()));
}
