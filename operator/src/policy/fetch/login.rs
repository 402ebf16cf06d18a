//! Names and passwords as Docker and Kubernetes write them down.
//!
//! A parser of our own: what exists runs the credential helpers that a document names, and here a tenant wrote it.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use oci_client::secrets::RegistryAuth;
use serde::Deserialize;

/// What a document says about one registry.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Login {
    Password { user: String, password: String },
    Token(String),
    Unusable(Unusable),
}

/// Why an entry is of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// A program that would be run.
    #[error("a credential helper ({0:?}), which is never run; write username and password into the Secret")]
    Helper(String),
    /// A token that is exchanged for another.
    #[error("an identity token, which is not supported; write username and password into the Secret")]
    IdentityToken,
    /// Not what it should be.
    #[error("an `auth` that is not the base64 of USER:PASSWORD")]
    Auth,
    /// Nothing at all.
    #[error("neither `auth` nor `username` and `password`")]
    Empty,
}

/// A document: what is in `.dockerconfigjson`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Config {
    auths: BTreeMap<String, Auth>,
    cred_helpers: BTreeMap<String, String>,
    creds_store: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Auth {
    auth: Option<String>,
    username: Option<String>,
    password: Option<String>,
    identitytoken: Option<String>,
    registrytoken: Option<String>,
}

impl Config {
    /// The older form, `.dockercfg`: the entries alone.
    pub(super) fn of(auths: BTreeMap<String, Auth>) -> Self {
        Self { auths, ..Self::default() }
    }

    /// Each entry with its key.
    pub(super) fn entries(self) -> Vec<(String, Login)> {
        let store = self.creds_store.filter(|store| !store.is_empty());
        let helped = self.cred_helpers.into_iter();
        let helped = helped.map(|(key, helper)| (key, Login::Unusable(Unusable::Helper(helper))));
        let auths = self.auths.into_iter().map(|(key, auth)| (key, auth.login(store.as_deref())));
        auths.chain(helped).collect()
    }
}

impl Auth {
    fn login(self, store: Option<&str>) -> Login {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        if let Some(auth) = given(self.auth) {
            return decoded(&auth).unwrap_or(Login::Unusable(Unusable::Auth));
        }
        if let (Some(user), Some(password)) = (given(self.username), given(self.password)) {
            return Login::Password { user, password };
        }
        if let Some(token) = given(self.registrytoken) {
            return Login::Token(token);
        }
        Login::Unusable(match (given(self.identitytoken), store) {
            (Some(_), _) => Unusable::IdentityToken,
            (None, Some(store)) => Unusable::Helper(store.to_owned()),
            (None, None) => Unusable::Empty,
        })
    }
}

fn decoded(auth: &str) -> Option<Login> {
    let auth = auth.trim();
    let bytes = STANDARD.decode(auth).or_else(|_| STANDARD_NO_PAD.decode(auth)).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    // Some tools of old fill up with zeros.
    let (user, password) = text.trim_end_matches('\0').split_once(':')?;
    Some(Login::Password { user: user.to_owned(), password: password.to_owned() })
}

impl Login {
    pub(super) fn auth(&self) -> Result<RegistryAuth, Unusable> {
        match self {
            Self::Password { user, password } => Ok(RegistryAuth::Basic(user.clone(), password.clone())),
            Self::Token(token) => Ok(RegistryAuth::Bearer(token.clone())),
            Self::Unusable(why) => Err(why.clone()),
        }
    }
}

/// What is secret is shown to nobody.
impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Password { .. } => f.write_str("Password"),
            Self::Token(_) => f.write_str("Token"),
            Self::Unusable(why) => why.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login(document: &str) -> Login {
        let config: Config = serde_json::from_str(document).unwrap();
        config.entries().pop().unwrap().1
    }

    #[test]
    fn a_name_and_a_password_are_written_in_one_of_two_ways() {
        let login_of =
            |user: &str, password: &str| Login::Password { user: user.into(), password: password.into() };
        for (entry, expected) in [
            (r#"{"auth": "dXNlcjpwYTpzcw=="}"#, login_of("user", "pa:ss")),
            (r#"{"auth": "dXNlcjpwYTpzcw"}"#, login_of("user", "pa:ss")),
            (r#"{"username": "user", "password": "pa:ss"}"#, login_of("user", "pa:ss")),
            (
                r#"{"auth": "dXNlcjpwYTpzcw==", "username": "other", "password": "x"}"#,
                login_of("user", "pa:ss"),
            ),
            (r#"{"registrytoken": "t"}"#, Login::Token("t".into())),
            (r#"{"identitytoken": "t", "auth": ""}"#, Login::Unusable(Unusable::IdentityToken)),
            (r#"{"auth": "not base64!"}"#, Login::Unusable(Unusable::Auth)),
            (r#"{"auth": "bm9jb2xvbg=="}"#, Login::Unusable(Unusable::Auth)),
            (r#"{"username": "user"}"#, Login::Unusable(Unusable::Empty)),
        ] {
            assert_eq!(login(&format!(r#"{{"auths": {{"h": {entry}}}}}"#)), expected, "{entry}");
        }
    }

    #[test]
    fn a_helper_is_never_a_login() {
        let helper = |name: &str| Login::Unusable(Unusable::Helper(name.into()));
        assert_eq!(login(r#"{"credHelpers": {"h": "ecr-login"}}"#), helper("ecr-login"));
        assert_eq!(login(r#"{"auths": {"h": {}}, "credsStore": "desktop"}"#), helper("desktop"));
        let own = login(r#"{"auths": {"h": {"auth": "dTpw"}}, "credsStore": "desktop"}"#);
        assert_eq!(
            own,
            Login::Password { user: "u".into(), password: "p".into() },
            "what is written is used"
        );
    }

    #[test]
    fn a_login_is_not_shown() {
        let login = Login::Password { user: "u".into(), password: "secret".into() };
        assert!(!format!("{login:?} {:?}", Login::Token("secret".into())).contains("secret"));
    }
}
