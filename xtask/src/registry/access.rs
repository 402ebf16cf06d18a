//! Certificates and password, made once for each registry.

use std::net::Ipv4Addr;

use anyhow::{Context, Result, bail};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::{Value, json};

use super::{NAME, PORT, Registry, USER, folder, program};
use crate::cluster::Cluster;
use crate::progress::Step;

/// What is in the cluster already; else new. The service is there: the certificate is for its address.
pub(super) fn given(cluster: &Cluster, namespace: &str, step: &mut Step) -> Result<Registry> {
    let place = Place { namespace, address: address(cluster, namespace)? };
    if let Some(registry) = place.known(cluster)? {
        return Ok(registry);
    }
    let secret = place.secret(step)?;
    let words = ["create", "--namespace", namespace, "-f", "-"];
    let made = cluster.kubectl_with_input(&words, &secret.to_string());
    // Another run may have made one at the same moment.
    match (place.known(cluster)?, made) {
        (Some(registry), _) => Ok(registry),
        (None, Err(error)) => Err(error),
        (None, Ok(_)) => bail!("the registry's Secret is gone as soon as it was made"),
    }
}

/// The same for the machine and for pods.
fn address(cluster: &Cluster, namespace: &str) -> Result<Ipv4Addr> {
    let words = ["get", "service", NAME, "--namespace", namespace, "-o", "jsonpath={.spec.clusterIP}"];
    let text = cluster.kubectl(&words)?;
    text.parse().with_context(|| format!("the registry's service has no address: {text:?}"))
}

/// Where a registry is.
struct Place<'a> {
    namespace: &'a str,
    address: Ipv4Addr,
}

// === impl Place ===

impl Place<'_> {
    fn known(&self, cluster: &Cluster) -> Result<Option<Registry>> {
        let field = |key: &str| format!("{{{{index .data {key:?} | base64decode}}}}");
        let template = format!("-o=go-template={}\u{1}{}", field("ca.crt"), field("password"));
        let namespace = self.namespace;
        let words = ["get", "secret", NAME, "--namespace", namespace, "--ignore-not-found", &template];
        let text = cluster.kubectl(&words)?;
        let Some((ca_pem, password)) = text.split_once('\u{1}') else { return Ok(None) };
        Ok(Some(Registry {
            namespace: namespace.to_owned(),
            host: format!("{}:{PORT}", self.address),
            ca_pem: ca_pem.to_owned(),
            user: USER.to_owned(),
            password: password.to_owned(),
        }))
    }

    /// One object, so that it is there as a whole or not at all.
    fn secret(&self, step: &mut Step) -> Result<Value> {
        let password = password()?;
        let (authority, certificate, key) = self.certificates()?;
        Ok(json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": NAME},
            "stringData": {
                "ca.crt": authority,
                "tls.crt": certificate,
                "tls.key": key,
                "password": password,
                "htpasswd": program::password_line(USER, &password, step)?,
                "config.yml": config(self.namespace).to_string(),
            },
        }))
    }

    /// An authority, a certificate by it, and the key of that, in PEM. The authority's own key is kept nowhere.
    fn certificates(&self) -> Result<(String, String, String)> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name.push(DnType::CommonName, "rss-registry authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let authority = params.self_signed(&key)?.pem();
        let issuer = Issuer::new(params, key);
        let key = KeyPair::generate()?;
        let name = format!("{NAME}.{}.svc", self.namespace);
        let names = [self.address.to_string(), format!("{name}.cluster.local"), name];
        let mut params = CertificateParams::new(names.to_vec())?;
        params.distinguished_name.push(DnType::CommonName, NAME);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        Ok((authority, params.signed_by(&key, &issuer)?.pem(), key.serialize_pem()))
    }
}

/// JSON is YAML. Every access is logged.
fn config(namespace: &str) -> Value {
    json!({
        "version": "0.1",
        "log": {"level": "warn"},
        "storage": {"filesystem": {"rootdirectory": folder(namespace)}, "delete": {"enabled": true}},
        "auth": {"htpasswd": {"realm": NAME, "path": "/etc/registry/htpasswd"}},
        "http": {
            "addr": format!(":{PORT}"),
            "tls": {"certificate": "/etc/registry/tls.crt", "key": "/etc/registry/tls.key"},
        },
    })
}

fn password() -> Result<String> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).ok().context("the system has no random numbers")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
