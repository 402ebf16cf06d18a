//! Which login is for which image.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Secret;
use oci_client::secrets::RegistryAuth;
use serde_json::Value;

use super::image::Image;
use super::login::{Authentication, Config, Login, Unusable};

/// The types of Secrets that hold logins, and the key of each.
const JSON: (&str, &str) = ("kubernetes.io/dockerconfigjson", ".dockerconfigjson");
const LEGACY: (&str, &str) = ("kubernetes.io/dockercfg", ".dockercfg");

/// Logins, for whichever image they are.
#[derive(Clone, Debug, Default)]
pub struct Credentials {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    host: String,
    path: String,
    login: Login,
}

/// Why a Secret cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CredentialsError {
    /// It is not there.
    #[error("Secret {0} of spec.policy.pullSecrets is not in the namespace of the resource; create it there")]
    Missing(String),
    /// It cannot be read.
    #[error("failed to read Secret {0}")]
    Read(String, #[source] kube::Error),
    /// The service account cannot be read.
    #[error("failed to read ServiceAccount {0}")]
    Account(String, #[source] kube::Error),
    /// Of another type, or without its key.
    #[error(
        "Secret {0} holds no logins; make it by: kubectl create secret docker-registry {0} --docker-server=HOST \
         --docker-username=USER --docker-password=PASSWORD"
    )]
    Kind(String),
    /// Not the JSON that it should be.
    #[error("Secret {0} is not what its type says: its value is not a Docker configuration in JSON")]
    Malformed(String),
}

impl Credentials {
    /// A usable entry fits the image.
    pub(super) fn has_login(&self, image: &Image) -> bool {
        self.entries.iter().any(|entry| entry.login.is_usable() && entry.fits(image))
    }

    /// One login, for all that is on one host.
    #[must_use]
    pub fn of_host(host: &str, authentication: Authentication) -> Self {
        Self { entries: vec![Entry::of(host, authentication.into())] }
    }

    /// The content of a file of Docker or podman: that of a Secret, too.
    /// None: it is no such configuration. The parser's own message would quote the secret.
    #[must_use]
    pub fn of_document(document: &[u8]) -> Option<Self> {
        let config: Config = serde_json::from_slice(document).ok()?;
        let mut all = Self::default();
        all.extend(config);
        Some(all)
    }

    fn extend(&mut self, config: Config) {
        self.entries.extend(config.entries().into_iter().map(|(key, login)| Entry::of(&key, login)));
    }

    /// Adds what a Secret holds. Of entries that fit equally well the one that was added first counts.
    ///
    /// # Errors
    /// If it holds no logins.
    pub fn add(&mut self, name: &str, secret: &Secret) -> Result<(), CredentialsError> {
        let kind = secret.type_.as_deref().unwrap_or_default();
        let (_, key) = [JSON, LEGACY]
            .into_iter()
            .find(|(known, _)| *known == kind)
            .ok_or_else(|| CredentialsError::Kind(name.to_owned()))?;
        let value = secret.data.as_ref().and_then(|data| data.get(key));
        let value = &value.ok_or_else(|| CredentialsError::Kind(name.to_owned()))?.0;
        // The parser's own message would quote what is secret.
        let malformed = |_| CredentialsError::Malformed(name.to_owned());
        let config = match key == LEGACY.1 {
            true => Config::of(serde_json::from_slice::<BTreeMap<String, Value>>(value).map_err(malformed)?),
            false => serde_json::from_slice(value).map_err(malformed)?,
        };
        self.extend(config);
        Ok(())
    }

    /// The login for an image: a host in full goes before a pattern, a longer path before a shorter one. An entry of no
    /// use counts only where no other one fits.
    ///
    /// # Errors
    /// If each entry that fits is of no use.
    pub fn for_image(&self, image: &Image) -> Result<Authentication, Unusable> {
        let fitting = self.entries.iter().rev().filter(|entry| entry.fits(image));
        let best = fitting
            .max_by_key(|entry| (entry.login.is_usable(), !entry.host.contains('*'), entry.path.len()));
        let nobody = Authentication::Direct(RegistryAuth::Anonymous);
        best.map_or(Ok(nobody), |entry| entry.login.authentication())
    }
}

// === impl Entry ===

impl Entry {
    /// Keys have come with a scheme and with the path of an interface.
    fn of(key: &str, login: Login) -> Self {
        let key = key.trim();
        let bare = key.split_once("://").map_or(key, |(_, bare)| bare);
        let (host, path) = bare.split_once('/').unwrap_or((bare, ""));
        let path = path.trim_matches('/');
        let interface = |version: &str| path == version || path.starts_with(&format!("{version}/"));
        let path = if interface("v1") || interface("v2") { path[2..].trim_matches('/') } else { path };
        let host = match host {
            "index.docker.io" | "registry-1.docker.io" => "docker.io",
            host => host,
        };
        Self { host: host.to_ascii_lowercase(), path: path.to_owned(), login }
    }

    fn fits(&self, image: &Image) -> bool {
        let rest = image.path().strip_prefix(self.path.as_str());
        let within =
            self.path.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        within && is_host(&self.host, &image.authority().to_string())
    }
}

/// A pattern's `*` stands within one label of the host's name, as in `*.example.com`; the port must be the same.
fn is_host(pattern: &str, host: &str) -> bool {
    let split = |text: &str| {
        text.split_once(':').map_or((text.to_owned(), None), |(h, p)| (h.to_owned(), Some(p.to_owned())))
    };
    let ((pattern, pattern_port), (host, port)) = (split(pattern), split(host));
    let (patterns, labels): (Vec<_>, Vec<_>) = (pattern.split('.').collect(), host.split('.').collect());
    pattern_port == port
        && patterns.len() == labels.len()
        && patterns.iter().zip(&labels).all(|(p, l)| is_label(p, l))
}

/// Each part between two stars is taken where it first is: no text makes this slow.
fn is_label(pattern: &str, label: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == label };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    let inner = label.strip_prefix(start).and_then(|label| label.strip_suffix(end));
    let mut parts = middle.split('*');
    inner.is_some_and(|inner| {
        let left = parts.try_fold(inner, |left, part| left.split_once(part).map(|(_, left)| left));
        left.is_some()
    })
}

#[cfg(test)]
mod tests;
