//! Why no exit code came back.

use kube::Error;
use kube::client::UpgradeConnectionError;
use kube::core::Status;
use std::fmt;

/// Why no exit code came back. None of these says that the command did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LostReason {
    /// The API server could not be reached, or gave no answer: no stream was opened. The request may have arrived all the
    /// same.
    Connect,
    /// The API server, or the kubelet through it, refused to run the command.
    Refused(Refused),
    /// The stream broke while the command ran.
    Stream,
    /// The deadline passed while its stream was open.
    Deadline,
    /// The stream ended in order, without an exit code: the container's runtime could not run the
    /// program, in its own words.
    NoExitStatus(String),
}

/// A refusal of the API server, or of the kubelet through it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The HTTP status code.
    pub code: u16,
    /// The kind of the object that the answer is about, as the answer names it; empty if it names none.
    pub kind: String,
    /// The server's own words, at most [`LONGEST_MESSAGE`] bytes; empty if it gave none.
    pub message: String,
}

/// The longest message of a refusal, in bytes. A hold shows it, and a person reads it.
pub const LONGEST_MESSAGE: usize = 512;

impl LostReason {
    /// From the failure to open a stream.
    pub(super) fn opening(error: &Error) -> Self {
        match error {
            Error::Api(status) => Self::refused(status),
            Error::UpgradeConnection(UpgradeConnectionError::ProtocolSwitch(code)) => {
                Self::without_words(code.as_u16())
            }
            _ => Self::Connect,
        }
    }

    /// A refusal of which only the HTTP status code is known.
    #[must_use]
    pub fn without_words(code: u16) -> Self {
        Self::Refused(Refused { code, kind: String::new(), message: String::new() })
    }

    /// From a refusal of the API server, or of the kubelet through it.
    #[must_use]
    pub fn refused(status: &Status) -> Self {
        let kind = status.details.as_ref().map_or_else(String::new, |details| details.kind.clone());
        Self::Refused(Refused { code: status.code, kind, message: shortened(&status.message) })
    }

    /// The word for logs and metrics.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Connect => "Connect",
            Self::Refused(refused) => refused.as_str(),
            Self::Stream => "Stream",
            Self::Deadline => "Deadline",
            Self::NoExitStatus(_) => "NoExitStatus",
        }
    }
}

// === impl Refused ===

impl Refused {
    /// A code says little of the cause. An admission policy, for example, answers 400 or 403.
    fn as_str(&self) -> &'static str {
        match self.code {
            401 | 403 => "Forbidden",
            404 if self.kind == "pods" => "PodNotFound",
            400 | 404 => "ContainerNotFound",
            _ => "Api",
        }
    }
}

impl fmt::Display for LostReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect => write!(f, "the API server gave no answer"),
            Self::Refused(refused) => write!(f, "{refused}"),
            Self::Stream => write!(f, "the stream broke before the command ended"),
            Self::Deadline => write!(f, "no end within the deadline"),
            Self::NoExitStatus(why) => write!(f, "ended without an exit code: {why}"),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the API server does not run the command ({})", self.code)?;
        if self.message.is_empty() { Ok(()) } else { write!(f, ": {}", self.message) }
    }
}

/// The same trouble has the same text each time, so that a status that shows it need not be written again. A runtime and a
/// proxy give each request an identifier of its own: words of 32 hexadecimal digits and more are left out.
pub(super) fn shortened(message: &str) -> String {
    let is_identifier = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        word.len() >= 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let words: Vec<&str> = message.split_whitespace().filter(|word| !is_identifier(word)).collect();
    let text = words.join(" ");
    let end = text.floor_char_boundary(LONGEST_MESSAGE);
    if end < text.len() { format!("{}…", &text[..end]) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    fn refused(code: u16, kind: &str, message: &str) -> LostReason {
        let status = json!({ "code": code, "message": message, "details": { "kind": kind } });
        LostReason::opening(&Error::Api(Box::new(from_value(status).unwrap())))
    }

    #[test]
    fn each_refusal_has_its_word() {
        for (code, kind, word) in [
            (404, "pods", "PodNotFound"),
            (404, "", "ContainerNotFound"),
            (400, "", "ContainerNotFound"),
            (401, "pods", "Forbidden"),
            (403, "pods", "Forbidden"),
            (500, "pods", "Api"),
        ] {
            assert_eq!(refused(code, kind, "").as_str(), word, "{code} {kind}");
        }
    }

    #[test]
    fn a_refusal_is_shown_in_the_words_of_the_server() {
        for (code, message) in [
            (400, "admission webhook \"validate.kyverno.svc\" denied the request: no shells here"),
            (
                403,
                "pods \"db-0\" is forbidden: ValidatingAdmissionPolicy 'exec' denied request: no shells here",
            ),
            (500, "error dialing backend: remote error: tls: internal error"),
        ] {
            let expected = format!("the API server does not run the command ({code}): {message}");
            assert_eq!(refused(code, "pods", message).to_string(), expected);
        }
        assert_eq!(refused(502, "", "").to_string(), "the API server does not run the command (502)");
    }

    #[test]
    fn a_message_is_shortened_between_characters_and_without_identifiers() {
        let identifier = "0123456789abcdef".repeat(2);
        assert_eq!(
            shortened(&format!("exec \"{identifier}\" of\nx: no such file")),
            "exec of x: no such file"
        );
        let long = shortened(&"é".repeat(LONGEST_MESSAGE));
        assert_eq!(long, format!("{}…", "é".repeat(LONGEST_MESSAGE / 2)));
    }
}
