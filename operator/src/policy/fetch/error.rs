//! Why an image was not fetched. Each sentence ends with what can be done about it.

use std::time::Duration;

use super::gate::Refusal;
use super::login::Unusable;
use super::manifest::NotAPolicy;

/// Characters of what a registry says that are shown.
const QUOTED: usize = 200;

/// Why an image was not fetched.
#[derive(Debug, thiserror::Error)]
#[error("{image} was not fetched: {cause}")]
pub struct FetchError {
    /// Which one, in full.
    pub image: String,
    /// Why.
    pub cause: Cause,
}

/// Why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// The administrator's list is without it.
    #[error("the administrator allows {0} alone (--allow-registry); take it from there")]
    NotAllowed(String),
    /// A connection was not made, or was cut.
    #[error(transparent)]
    Way(Refusal),
    /// The login in the Secrets is none.
    #[error("a pull secret of the policy or of the service account has for this registry {0}")]
    Login(#[from] Unusable),
    /// The registry wants to know who asks.
    #[error(
        "the registry asks who it is (401); name a Secret with a login in spec.policy.pullSecrets, or in imagePullSecrets of \
         the pods' service account"
    )]
    Anonymous,
    /// It does not take the login.
    #[error("the registry does not take the login of spec.policy.pullSecrets (401); see that it is right")]
    Unauthorized,
    /// It takes it, and this is not for them.
    #[error("the registry refuses it to this login (403); give the login the right to pull")]
    Denied,
    /// Who gives tokens for the registry did not give one.
    #[error(
        "the registry's token service gave no token: {0}; see that the login in spec.policy.pullSecrets is right"
    )]
    Token(String),
    /// There is no such thing.
    #[error("the registry has no such {0} (404); push it, or correct spec.policy.image")]
    NotFound(Absent),
    /// Too many requests.
    #[error("the registry was asked too often (429); it is asked again later")]
    Busy,
    /// It is unwell.
    #[error("the registry is unwell ({0}); it is asked again later")]
    Unwell(u16),
    /// Something else that is no image.
    #[error("the registry answered {0}; see that it is a registry")]
    Answered(String),
    /// A connection ended early, or was silent for too long.
    #[error("the connection broke: {0}; it is tried again later")]
    Broken(String),
    /// All of it took too long.
    #[error("it took longer than {0:?}; it is tried again later")]
    Late(Duration),
    /// Who issued the registry's certificate is not known here, or it is not the registry's.
    #[error("the registry's certificate is not trusted: {0}; give its authority by --registry-ca")]
    Certificate(String),
    /// What answers does not speak TLS as it should.
    #[error("the registry does not speak TLS: {0}; if it has none, name it by --insecure-registry")]
    Tls(String),
    /// Other bytes than were asked for.
    #[error("the registry sent other bytes than those of {0}; push the image anew")]
    WrongDigest(String),
    /// An image, and no policy.
    #[error("it is no policy: {0}; push one with kubectl rss policy push")]
    NotAPolicy(#[from] NotAPolicy),
    /// There is nobody to trust.
    #[error(
        "the operator's image has no certificate authorities, in /etc/ssl/certs for one; use an image that has them"
    )]
    NoAuthorities,
    /// A fault of the operator's.
    #[error("the operator failed: {0}; tell its authors")]
    Own(String),
}

/// What a registry does not have, by its code for that in the specification of distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Absent {
    /// `NAME_UNKNOWN`.
    #[error("repository")]
    Repository,
    /// `MANIFEST_UNKNOWN`, which some registries answer for a repository too that they do not have.
    #[error("tag or digest in that repository, or no such repository")]
    Manifest,
    /// `BLOB_UNKNOWN`, or a part that the manifest names.
    #[error("blob, though the image's manifest is there")]
    Blob,
    /// It gave no code.
    #[error("repository, tag or digest")]
    Unsaid,
}

impl FetchError {
    /// Whether the same may succeed later though nobody changed anything: then it is worth another try.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        // Who gives tokens may be unwell: the client does not tell that from a refusal.
        self.cause.is_passing() || matches!(self.cause, Cause::Token(_) | Cause::Late(_))
    }
}

impl Cause {
    /// Whether it is worth another try at once. A refused login is not: accounts are locked for that.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Way(refusal) => refusal.is_transient(),
            Self::Busy | Self::Unwell(_) | Self::Broken(_) => true,
            _ => false,
        }
    }
}

/// What another wrote, for one line of a message.
pub(super) fn quoted(text: &str) -> String {
    text.chars().take(QUOTED).flat_map(char::escape_debug).collect()
}
