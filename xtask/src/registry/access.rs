//! Certificates and password, made once for each cluster.

use anyhow::{Context, Result, bail};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::{Value, json};

use super::{ADDRESS, NAME, NAMESPACE, PORT, Registry, USER, folder, program};
use crate::cluster::Cluster;
use crate::progress::Step;

/// What is in the cluster already; else new.
pub(super) fn given(cluster: &Cluster, step: &mut Step) -> Result<Registry> {
    if let Some(registry) = known(cluster)? {
        return Ok(registry);
    }
    let secret = secret(step)?;
    let made = cluster.kubectl_with_input(&["create", "-f", "-"], &secret.to_string());
    // Another run may have made one at the same moment.
    match (known(cluster)?, made) {
        (Some(registry), _) => Ok(registry),
        (None, Err(error)) => Err(error),
        (None, Ok(_)) => bail!("the registry's Secret is gone as soon as it was made"),
    }
}

fn known(cluster: &Cluster) -> Result<Option<Registry>> {
    let field = |key: &str| format!("{{{{index .data {key:?} | base64decode}}}}");
    let template = format!("-o=go-template={}\u{1}{}", field("ca.crt"), field("password"));
    let words = ["get", "secret", NAME, "--namespace", NAMESPACE, "--ignore-not-found", &template];
    let text = cluster.kubectl(&words)?;
    let Some((ca_pem, password)) = text.split_once('\u{1}') else { return Ok(None) };
    Ok(Some(Registry {
        host: format!("{ADDRESS}:{PORT}"),
        ca_pem: ca_pem.to_owned(),
        user: USER.to_owned(),
        password: password.to_owned(),
    }))
}

/// One object, so that it is there as a whole or not at all.
fn secret(step: &mut Step) -> Result<Value> {
    let password = password()?;
    let (authority, certificate, key) = certificates()?;
    Ok(json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "stringData": {
            "ca.crt": authority,
            "tls.crt": certificate,
            "tls.key": key,
            "password": password,
            "htpasswd": program::password_line(USER, &password, step)?,
            "config.yml": config().to_string(),
        },
    }))
}

/// JSON is YAML.
fn config() -> Value {
    json!({
        "version": "0.1",
        "log": {"level": "warn", "accesslog": {"disabled": true}},
        "storage": {"filesystem": {"rootdirectory": folder()}, "delete": {"enabled": true}},
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

/// An authority, a certificate by it, and the key of that, in PEM. The authority's own key is kept nowhere.
fn certificates() -> Result<(String, String, String)> {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(Vec::new())?;
    params.distinguished_name.push(DnType::CommonName, "rss-registry authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    let authority = params.self_signed(&key)?.pem();
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate()?;
    let names = [
        ADDRESS.to_string(),
        format!("{NAME}.{NAMESPACE}.svc"),
        format!("{NAME}.{NAMESPACE}.svc.cluster.local"),
    ];
    let mut params = CertificateParams::new(names.to_vec())?;
    params.distinguished_name.push(DnType::CommonName, NAME);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    Ok((authority, params.signed_by(&key, &issuer)?.pem(), key.serialize_pem()))
}
