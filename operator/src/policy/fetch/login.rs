//! Names and passwords as Docker, podman, Kubernetes and the tools of cloud providers write them.
//!
//! A parser of our own: the existing libraries run the credential helpers that a document names. A tenant wrote the
//! document here.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use oci_client::secrets::RegistryAuth;
use serde::Deserialize;
use serde_json::Value;

/// The content of one entry for a registry.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Login {
    Password {
        user: String,
        password: String,
    },
    Token(String),
    /// A token that the registry's token service exchanges for another.
    Identity(String),
    Unusable(Unusable),
}

/// The way to log in to a registry.
#[derive(Clone, PartialEq, Eq)]
pub enum Authentication {
    /// The client sends it.
    Direct(RegistryAuth),
    /// An identity token. It has to be exchanged first.
    Identity(String),
}

/// Why an entry is of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// A program that would be run.
    #[error("a credential helper ({0:?}), which is never run; write username and password into the Secret")]
    Helper(String),
    /// The registry has no token service.
    #[error(
        "an identity token, and the registry names no service that exchanges it; write username and password into the \
         Secret"
    )]
    IdentityToken,
    /// Not what it should be.
    #[error("an `auth` that is not the base64 of USER:PASSWORD")]
    Auth,
    /// Another type of JSON than it should be.
    #[error("an entry that is no JSON object of texts")]
    Form,
    /// Nothing at all.
    #[error("neither `auth` nor `username` and `password`")]
    Empty,
}

/// A document: the content of `.dockerconfigjson`. Some tools write `null` in the place of an empty object.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Config {
    auths: Option<BTreeMap<String, Value>>,
    cred_helpers: Option<BTreeMap<String, Value>>,
    creds_store: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Auth {
    auth: Option<String>,
    username: Option<String>,
    password: Option<String>,
    identitytoken: Option<String>,
    registrytoken: Option<String>,
}

/// Go's decoder takes a text with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

impl Config {
    /// The older form, `.dockercfg`: the entries alone.
    pub(super) fn of(auths: BTreeMap<String, Value>) -> Self {
        Self { auths: Some(auths), ..Self::default() }
    }

    /// Each entry with its key. An entry that cannot be read disables no other one.
    pub(super) fn entries(self) -> Vec<(String, Login)> {
        let store = self.creds_store.as_str().filter(|store| !store.is_empty());
        let given = |entries: Option<BTreeMap<String, Value>>| {
            entries.unwrap_or_default().into_iter().filter(|(_, entry)| !entry.is_null())
        };
        let auths = given(self.auths).map(|(key, entry)| (key, login(entry, store)));
        let helped = given(self.cred_helpers).filter_map(|(key, helper)| Some((key, helped(&helper)?)));
        auths.chain(helped).collect()
    }
}

/// The parser's own message would quote the secret.
fn login(entry: Value, store: Option<&str>) -> Login {
    let auth: Result<Auth, _> = serde_json::from_value(entry);
    auth.map_or(Login::Unusable(Unusable::Form), |auth| auth.login(store))
}

/// An empty name means that no helper is used for this registry.
fn helped(helper: &Value) -> Option<Login> {
    match helper.as_str() {
        Some("") => None,
        Some(helper) => Some(Login::Unusable(Unusable::Helper(helper.to_owned()))),
        None => Some(Login::Unusable(Unusable::Form)),
    }
}

impl Auth {
    /// An identity token is first: beside it, some tools write an `auth` with a user and an empty password.
    fn login(self, store: Option<&str>) -> Login {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        if let Some(token) = given(self.identitytoken) {
            return Login::Identity(token);
        }
        let auth = given(self.auth);
        if let Some(login) = auth.as_deref().and_then(decoded) {
            return login;
        }
        if let (Some(user), Some(password)) = (given(self.username), given(self.password)) {
            return Login::Password { user, password };
        }
        if let Some(token) = given(self.registrytoken) {
            return Login::Token(token);
        }
        Login::Unusable(match (auth, store) {
            (Some(_), _) => Unusable::Auth,
            (None, Some(store)) => Unusable::Helper(store.to_owned()),
            (None, None) => Unusable::Empty,
        })
    }
}

/// The login in an `auth`. Tools break its lines, and some write the alphabet for URLs. An empty password is none.
fn decoded(auth: &str) -> Option<Login> {
    let standard = |letter: char| match letter {
        '-' => '+',
        '_' => '/',
        letter => letter,
    };
    let auth: String = auth.chars().filter(|letter| !letter.is_ascii_whitespace()).map(standard).collect();
    let text = String::from_utf8(BASE64.decode(auth).ok()?).ok()?;
    // Some tools of old fill up with zeros.
    let (user, password) = text.trim_end_matches('\0').split_once(':')?;
    let login = || Login::Password { user: user.to_owned(), password: password.to_owned() };
    (!password.is_empty()).then(login)
}

impl From<Authentication> for Login {
    fn from(authentication: Authentication) -> Self {
        match authentication {
            Authentication::Direct(RegistryAuth::Basic(user, password)) => Self::Password { user, password },
            Authentication::Direct(RegistryAuth::Bearer(token)) => Self::Token(token),
            Authentication::Direct(RegistryAuth::Anonymous) => Self::Unusable(Unusable::Empty),
            Authentication::Identity(token) => Self::Identity(token),
        }
    }
}

impl Login {
    pub(super) fn is_usable(&self) -> bool {
        !matches!(self, Self::Unusable(_))
    }

    pub(super) fn authentication(&self) -> Result<Authentication, Unusable> {
        let direct = match self {
            Self::Password { user, password } => RegistryAuth::Basic(user.clone(), password.clone()),
            Self::Token(token) => RegistryAuth::Bearer(token.clone()),
            Self::Identity(token) => return Ok(Authentication::Identity(token.clone())),
            Self::Unusable(why) => return Err(why.clone()),
        };
        Ok(Authentication::Direct(direct))
    }
}

/// A secret is never printed.
impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Password { .. } => f.write_str("Password"),
            Self::Token(_) => f.write_str("Token"),
            Self::Identity(_) => f.write_str("Identity"),
            Self::Unusable(why) => why.fmt(f),
        }
    }
}

/// A secret is never printed.
impl fmt::Debug for Authentication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Direct(auth) => auth.fmt(f),
            Self::Identity(_) => f.write_str("Identity"),
        }
    }
}

#[cfg(test)]
mod tests;
