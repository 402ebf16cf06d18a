//! The login for a registry, as `docker login` and its like leave it behind.

mod credential_helper;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{env, fmt};

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use crate::file;

/// The names under which the one of Docker Hub is kept.
const HUB: [&str; 3] = ["docker.io", "index.docker.io", "registry-1.docker.io"];
const HUB_KEY: &str = "https://index.docker.io/v1/";

/// Who pushes.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Login {
    /// Nobody in particular: there is no login for this registry.
    Nobody,
    Password {
        user: String,
        password: String,
    },
}

/// The file `config.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    auths: BTreeMap<String, Entry>,
    cred_helpers: BTreeMap<String, String>,
    creds_store: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    auth: String,
    username: String,
    password: String,
    identitytoken: String,
}

/// The login for a registry, from `$DOCKER_CONFIG/config.json` or `~/.docker/config.json`.
///
/// # Errors
/// If the file, or a credential helper that it names, is of no use.
pub(crate) fn login(registry: &str) -> Result<Login> {
    let Some(file) = place() else { return Ok(Login::Nobody) };
    let told = || format!("failed to read the logins in {}", file.display());
    let text = match file::read(&file, file::KEYS) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Login::Nobody),
        read => read.with_context(told)?,
    };
    // The parser's own message would quote what is secret.
    let config: Config =
        serde_json::from_slice(&text).ok().context("it is no configuration of Docker").with_context(told)?;
    config.login(registry).with_context(told)
}

fn place() -> Option<PathBuf> {
    let folder = env::var_os("DOCKER_CONFIG").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    Some(folder.or_else(|| Some(env::home_dir()?.join(".docker")))?.join("config.json"))
}

// === impl Config ===

impl Config {
    fn login(&self, registry: &str) -> Result<Login> {
        let named = |key: &str| host(key) == host(registry);
        let helper = self.cred_helpers.iter().find(|(key, _)| named(key)).map(|(_, helper)| helper);
        let store = Some(&self.creds_store).filter(|store| !store.is_empty());
        if let Some(helper) = helper.or(store) {
            let server = if host(registry) == HUB[0] { HUB_KEY } else { registry };
            if let Some(login) = credential_helper::ask(helper, server)? {
                return Ok(login);
            }
        }
        self.auths.iter().find(|(key, _)| named(key)).map_or(Ok(Login::Nobody), |(_, entry)| entry.login())
    }
}

/// Keys have come with a scheme and with the path of an interface.
fn host(key: &str) -> &str {
    let bare = key.strip_prefix("https://").or_else(|| key.strip_prefix("http://")).unwrap_or(key);
    let host = bare.split('/').next().unwrap_or_default();
    if HUB.contains(&host) { HUB[0] } else { host }
}

// === impl Entry ===

impl Entry {
    fn login(&self) -> Result<Login> {
        if !self.identitytoken.is_empty() {
            bail!("an identity token, which is not supported; log in with a name and an access token");
        }
        if !self.auth.is_empty() {
            let decoded = STANDARD.decode(&self.auth).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let (user, password) = decoded
                .as_deref()
                .and_then(|text| text.split_once(':'))
                .context("`auth` is not the base64 of USER:PASSWORD; log in again")?;
            return Ok(Login::Password { user: user.to_owned(), password: password.to_owned() });
        }
        match (self.username.is_empty(), self.password.is_empty()) {
            (false, false) => {
                Ok(Login::Password { user: self.username.clone(), password: self.password.clone() })
            }
            // What is left behind by a credential store that has been emptied.
            _ => Ok(Login::Nobody),
        }
    }
}

// === impl Login ===

impl Login {
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Nobody => "without a login".to_owned(),
            Self::Password { user, .. } => format!("as {user}"),
        }
    }
}

/// What is secret is shown to nobody.
impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words())
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Entry")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login(config: &str, registry: &str) -> Result<Login> {
        serde_json::from_str::<Config>(config).unwrap().login(registry)
    }

    #[test]
    fn a_login_is_found_by_its_host_however_that_is_written() {
        let alice = Login::Password { user: "alice".into(), password: "se:cret".into() };
        let entry = r#"{"auth": "YWxpY2U6c2U6Y3JldA=="}"#;
        for (key, registry, found) in [
            ("host:5000", "host:5000", true),
            ("https://host:5000/v2/", "host:5000", true),
            ("host", "host:5000", false),
            ("https://index.docker.io/v1/", "docker.io", true),
            ("host.example", "host.example.evil", false),
        ] {
            let config = format!(r#"{{"auths": {{"{key}": {entry}}}}}"#);
            let expected = if found { alice.clone() } else { Login::Nobody };
            assert_eq!(login(&config, registry).unwrap(), expected, "{key} {registry}");
        }
        let plain = r#"{"auths": {"h": {"username": "alice", "password": "se:cret"}}}"#;
        assert_eq!(login(plain, "h").unwrap(), alice);
    }

    #[test]
    fn what_cannot_be_used_is_told_and_what_is_empty_is_nobodys() {
        for wrong in [r#"{"identitytoken": "t"}"#, r#"{"auth": "bm9jb2xvbg=="}"#, r#"{"auth": "!"}"#] {
            assert!(login(&format!(r#"{{"auths": {{"h": {wrong}}}}}"#), "h").is_err(), "{wrong}");
        }
        assert_eq!(login(r#"{"auths": {"h": {}}}"#, "h").unwrap(), Login::Nobody);
        assert_eq!(login("{}", "h").unwrap(), Login::Nobody);
    }

    #[test]
    fn a_password_is_not_shown() {
        let login = Login::Password { user: "alice".into(), password: "secret".into() };
        assert!(!format!("{login:?} {}", login.words()).contains("secret"));
    }
}
