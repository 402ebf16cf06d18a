//! The login for a registry, as `docker login`, `podman login` and their like leave it behind.

mod credential_helper;
mod place;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use oci_client::secrets::RegistryAuth;
use operator::policy::fetch::{Authentication, Credentials, Image, Unusable};
use serde::Deserialize;
use serde_json::Value;

use crate::file;
use place::Place;

/// The names under which the one of Docker Hub is kept.
const HUB: [&str; 3] = ["docker.io", "index.docker.io", "registry-1.docker.io"];
const HUB_KEY: &str = "https://index.docker.io/v1/";

/// The login of the person who runs the tool.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Login {
    /// There is no login for this registry.
    Nobody,
    Password {
        user: String,
        password: String,
    },
    /// An access token.
    Token(String),
    /// A token that the registry's token service exchanges for an access token.
    Identity(String),
}

/// The part of a file that names programs. The logins in it are read as the operator reads a Secret.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Helpers {
    cred_helpers: Option<BTreeMap<String, Value>>,
    creds_store: Value,
}

/// The login for an image, from the first file that has one. A file or an entry that cannot be used disables no other
/// one.
///
/// # Errors
/// If no file has a login, and one of them, or a credential helper that it names, is of no use.
pub(crate) fn login(image: &Image) -> Result<Login> {
    let mut faults = Vec::new();
    for place in place::all() {
        let found = of_place(&place, image);
        match found.with_context(|| format!("failed to read the logins in {}", place.file.display())) {
            Ok(Login::Nobody) => {}
            Ok(login) => return Ok(login),
            Err(fault) => faults.push(fault),
        }
    }
    faults.into_iter().next().map_or(Ok(Login::Nobody), Err)
}

fn of_place(Place { file, is_demanded }: &Place, image: &Image) -> Result<Login> {
    match read(file) {
        Ok(text) => of_document(&text, image),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_demanded => Ok(Login::Nobody),
        Err(error) => Err(error.into()),
    }
}

fn read(file: &Path) -> std::io::Result<Vec<u8>> {
    file::read(file, file::KEYS)
}

/// A helper goes before the logins in the file. One that fails counts only where the file has no login.
fn of_document(text: &[u8], image: &Image) -> Result<Login> {
    // The parser's own message would quote what is secret.
    let wrong = "it is no configuration of Docker";
    let helpers: Helpers = serde_json::from_slice(text).ok().context(wrong)?;
    let credentials = Credentials::of_document(text).context(wrong)?;
    let repository = image.repository();
    let registry = repository.split('/').next().unwrap_or_default();
    let helped = helpers.ask(registry);
    if let Ok(Some(login)) = helped {
        return Ok(login);
    }
    match (written(&credentials, image)?, helped) {
        (Login::Nobody, Err(fault)) => Err(fault),
        (login, _) => Ok(login),
    }
}

fn written(credentials: &Credentials, image: &Image) -> Result<Login> {
    match credentials.for_image(image) {
        Ok(authentication) => Ok(authentication.into()),
        // A credential store leaves an empty entry behind.
        Err(Unusable::Helper(_) | Unusable::Empty) => Ok(Login::Nobody),
        Err(why) => bail!("the entry for the registry has {why}; log in again"),
    }
}

// === impl Helpers ===

impl Helpers {
    fn ask(&self, registry: &str) -> Result<Option<Login>> {
        let mut named = self.cred_helpers.iter().flatten().filter(|(key, _)| host(key) == host(registry));
        let helper = named.next().and_then(|(_, helper)| helper.as_str());
        let Some(helper) = helper.or(self.creds_store.as_str()).filter(|helper| !helper.is_empty()) else {
            return Ok(None);
        };
        let server = if host(registry) == HUB[0] { HUB_KEY } else { registry };
        credential_helper::ask(helper, server)
    }
}

/// Keys have come with a scheme and with the path of an interface.
fn host(key: &str) -> &str {
    let bare = key.strip_prefix("https://").or_else(|| key.strip_prefix("http://")).unwrap_or(key);
    let host = bare.split('/').next().unwrap_or_default();
    if HUB.contains(&host) { HUB[0] } else { host }
}

// === impl Login ===

impl Login {
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Nobody => "without a login".to_owned(),
            Self::Password { user, .. } => format!("as {user}"),
            Self::Token(_) | Self::Identity(_) => "with a token".to_owned(),
        }
    }

    /// For an image of this host.
    pub(crate) fn credentials(self, host: &str) -> Credentials {
        let authentication = match self {
            Self::Nobody => return Credentials::default(),
            Self::Password { user, password } => Authentication::Direct(RegistryAuth::Basic(user, password)),
            Self::Token(token) => Authentication::Direct(RegistryAuth::Bearer(token)),
            Self::Identity(token) => Authentication::Identity(token),
        };
        Credentials::of_host(host, authentication)
    }

    /// For a push.
    ///
    /// # Errors
    /// If it is an identity token: the client that pushes cannot exchange it.
    pub(crate) fn auth(&self) -> Result<RegistryAuth> {
        Ok(match self {
            Self::Nobody => RegistryAuth::Anonymous,
            Self::Password { user, password } => RegistryAuth::Basic(user.clone(), password.clone()),
            Self::Token(token) => RegistryAuth::Bearer(token.clone()),
            Self::Identity(_) => {
                bail!(
                    "the login is an identity token, which cannot push; log in with a name and an access token"
                )
            }
        })
    }
}

impl From<Authentication> for Login {
    fn from(authentication: Authentication) -> Self {
        match authentication {
            Authentication::Direct(RegistryAuth::Anonymous) => Self::Nobody,
            Authentication::Direct(RegistryAuth::Basic(user, password)) => Self::Password { user, password },
            Authentication::Direct(RegistryAuth::Bearer(token)) => Self::Token(token),
            Authentication::Identity(token) => Self::Identity(token),
        }
    }
}

/// A secret is never printed.
impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login(config: &str, registry: &str) -> Result<Login> {
        of_document(config.as_bytes(), &format!("{registry}/team/p").parse()?)
    }

    fn alice() -> Login {
        Login::Password { user: "alice".into(), password: "se:cret".into() }
    }

    #[test]
    fn a_login_is_found_by_its_host_however_that_is_written() {
        let entry = r#"{"auth": "YWxpY2U6c2U6Y3JldA=="}"#;
        for (key, registry, found) in [
            ("host:5000", "host:5000", true),
            ("https://host:5000/v2/", "host:5000", true),
            ("host", "host:5000", false),
            ("https://index.docker.io/v1/", "docker.io", true),
            ("https://index.docker.io/v1/refresh-token", "docker.io", false),
            ("host.example/team", "host.example", true),
            ("host.example/other", "host.example", false),
            ("host.example", "host.example.evil", false),
        ] {
            let config = format!(r#"{{"auths": {{"{key}": {entry}}}}}"#);
            let expected = if found { alice() } else { Login::Nobody };
            assert_eq!(login(&config, registry).unwrap(), expected, "{key} {registry}");
        }
        let plain = r#"{"auths": {"h.example": {"username": "alice", "password": "se:cret"}}}"#;
        assert_eq!(login(plain, "h.example").unwrap(), alice());
        let azure = r#"{"auths": {"h.example": {"auth": "MDAwOg==", "identitytoken": "t"}}}"#;
        assert_eq!(login(azure, "h.example").unwrap(), Login::Identity("t".into()));
    }

    #[test]
    fn an_entry_of_no_use_is_reported_and_an_empty_one_is_nobodys() {
        for wrong in [r#"{"auth": "bm9jb2xvbg=="}"#, r#"{"auth": "!"}"#, "5"] {
            assert!(
                login(&format!(r#"{{"auths": {{"h.example": {wrong}}}}}"#), "h.example").is_err(),
                "{wrong}"
            );
        }
        assert_eq!(login(r#"{"auths": {"h.example": {}}}"#, "h.example").unwrap(), Login::Nobody);
        assert_eq!(login("{}", "h.example").unwrap(), Login::Nobody);
    }

    #[test]
    fn an_entry_or_helper_of_no_use_disables_no_other_one() {
        let good = r#""h.example": {"auth": "YWxpY2U6c2U6Y3JldA=="}"#;
        for (more, rest) in [
            (r#""g.example": 5, "f.example": null, "h.example/team": {"auth": "!"}, "#, ""),
            ("", r#", "credHelpers": {"h.example": "not-installed", "g.example": 5}"#),
            ("", r#", "credHelpers": null, "credsStore": "not-installed""#),
        ] {
            let config = format!(r#"{{"auths": {{{more}{good}}}{rest}}}"#);
            assert_eq!(login(&config, "h.example").unwrap(), alice(), "{config}");
        }
        assert!(login(r#"{"credsStore": "not-installed"}"#, "h.example").is_err());
    }

    #[test]
    fn a_secret_is_never_printed() {
        let logins = [
            Login::Password { user: "alice".into(), password: "secret".into() },
            Login::Token("secret".into()),
            Login::Identity("secret".into()),
        ];
        for login in logins {
            assert!(!format!("{login:?} {}", login.words()).contains("secret"));
        }
    }
}
