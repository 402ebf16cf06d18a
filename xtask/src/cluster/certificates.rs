//! Keys, certificates and kubeconfigs, made anew for each cluster.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use serde_json::json;

use super::layout::{self, CONTROL_PLANE, KUBERNETES_SERVICE, Node};

/// Who signs every certificate of the cluster.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: String,
}

/// The file of a certificate or key: `ca.crt`, `apiserver.key`, `node1.crt`.
pub(crate) fn path(file: &str) -> PathBuf {
    layout::certificates().join(file)
}

/// The kubeconfig of `user`: `admin`, or a node's name.
pub(crate) fn kubeconfig(user: &str) -> PathBuf {
    match user {
        "admin" => layout::kubeconfig(),
        _ => path(&format!("{user}.kubeconfig")),
    }
}

/// Make all of them.
pub(crate) fn create(nodes: u8) -> Result<()> {
    fs::create_dir_all(layout::certificates())?;
    let authority = Authority::new()?;
    write_secret(&path("ca.crt"), &authority.certificate)?;
    let services = ["kubernetes", "kubernetes.default", "kubernetes.default.svc"].map(str::to_owned);
    let mut names = vec!["localhost".to_owned(), "kubernetes.default.svc.cluster.local".to_owned()];
    names.extend(services);
    names.extend(["127.0.0.1".to_owned(), CONTROL_PLANE.to_string(), KUBERNETES_SERVICE.to_string()]);
    authority.issue("apiserver", "kube-apiserver", "kubernetes", names)?;
    authority.issue("admin", "admin", "system:masters", vec!["admin".to_owned()])?;
    authority.write_kubeconfig("admin")?;
    for node in Node::all(nodes) {
        let name = node.name();
        // Without the address in it, exec and logs fail: the API server calls the kubelet by address.
        let names = vec![name.clone(), node.address().to_string()];
        authority.issue(&name, &format!("system:node:{name}"), "system:nodes", names)?;
        authority.write_kubeconfig(&name)?;
    }
    let tokens = KeyPair::generate()?;
    write_secret(&path("service-accounts.key"), &tokens.serialize_pem())?;
    write_secret(&path("service-accounts.pub"), &tokens.public_key_pem())
}

// === impl Authority ===

impl Authority {
    fn new() -> Result<Self> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name.push(DnType::CommonName, "rss-cluster");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let certificate = params.self_signed(&key)?.pem();
        Ok(Self { issuer: Issuer::new(params, key), certificate })
    }

    /// Write `file.crt` and `file.key` for a user of this name and group, good at both ends.
    fn issue(&self, file: &str, name: &str, group: &str, addresses: Vec<String>) -> Result<()> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(addresses)?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.distinguished_name.push(DnType::OrganizationName, group);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let certificate = params.signed_by(&key, &self.issuer)?;
        write_secret(&path(&format!("{file}.crt")), &certificate.pem())?;
        write_secret(&path(&format!("{file}.key")), &key.serialize_pem())
    }

    /// JSON is YAML, so a kubeconfig may be written as JSON.
    fn write_kubeconfig(&self, user: &str) -> Result<()> {
        let file = |name: String| fs::read(path(&name)).map(|bytes| base64(&bytes));
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "rss-cluster",
            "clusters": [{"name": "rss-cluster", "cluster": {
                "server": format!("https://{CONTROL_PLANE}:6443"),
                "certificate-authority-data": base64(self.certificate.as_bytes()),
            }}],
            "users": [{"name": user, "user": {
                "client-certificate-data": file(format!("{user}.crt"))?,
                "client-key-data": file(format!("{user}.key"))?,
            }}],
            "contexts": [{"name": "rss-cluster", "context": {"cluster": "rss-cluster", "user": user}}],
        });
        write_secret(&kubeconfig(user), &serde_json::to_string_pretty(&config)?)
    }
}

/// Write a file that only root may read.
fn write_secret(path: &Path, text: &str) -> Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = fs::File::options();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.with_context(|| format!("failed to write {}", path.display()))
}

/// Base64 of RFC 4648, the one place that needs it.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().fold(0u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = LETTERS[(group >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_of_the_rfc() {
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}
