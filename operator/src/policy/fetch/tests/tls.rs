//! Registries with certificates.

use std::net::Ipv4Addr;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio_rustls::TlsAcceptor;

use super::*;

/// A registry of this name with a certificate, and that of its authority.
pub(super) async fn registry(name: &str) -> (StandIn, String) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = params.self_signed(&key).unwrap().pem();
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate().unwrap();
    let certificate =
        CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let config = ServerConfig::builder().with_no_client_auth();
    let config = config.with_single_cert(vec![certificate.der().clone()], key).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    (StandIn::at((Ipv4Addr::LOCALHOST, 0).into(), Some(acceptor)).await, authority)
}

fn allowing(host: &StandIn) -> Registries {
    let mut registries = registries(&[host]);
    registries.access.insecure.clear();
    registries
}

#[tokio::test]
async fn a_registry_is_trusted_by_the_authority_that_the_administrator_names() {
    let (registry, authority) = registry("127.0.0.1").await;
    let digest = registry.push("1", COMPONENT);
    let mut registries = allowing(&registry);
    let error = registries.resolve(&registry.image("1"), &nobody()).await.unwrap_err();
    assert!(matches!(error.cause, Cause::Certificate(_)) && !error.is_transient(), "{error}");
    assert!(registry.seen("").is_empty());
    registries.trust(authority.as_bytes()).unwrap();
    let artifact = registries.pull(&registry.image("1"), digest, &nobody()).await.unwrap();
    assert_eq!(artifact.bytes.as_ref(), COMPONENT);
}

#[tokio::test]
async fn a_certificate_of_another_is_not_trusted() {
    let (registry, authority) = registry("registry.example").await;
    let mut registries = allowing(&registry);
    registries.trust(authority.as_bytes()).unwrap();
    let error = registries.resolve(&registry.image("1"), &nobody()).await.unwrap_err();
    assert!(matches!(error.cause, Cause::Certificate(_)), "{error}");
}

#[tokio::test]
async fn a_registry_without_tls_is_told_as_such() {
    let registry = StandIn::up().await;
    let error = allowing(&registry).resolve(&registry.image("1"), &nobody()).await.unwrap_err();
    assert!(matches!(error.cause, Cause::Tls(_)) && !error.is_transient(), "{error}");
}

#[test]
fn a_file_without_authorities_is_refused() {
    let mut registries = Registries::default();
    assert_eq!(registries.trust(b"no certificate"), Err(NoAuthority::Empty));
    let pem = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert!(matches!(registries.trust(pem), Err(NoAuthority::Malformed(_))));
}
