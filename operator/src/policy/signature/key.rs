//! Public keys.

use std::fmt;

use ring::signature::{ECDSA_P256_SHA256_ASN1, RSA_PKCS1_2048_8192_SHA256};
use ring::signature::{UnparsedPublicKey, VerificationAlgorithm};
use rustls::pki_types::SubjectPublicKeyInfoDer;
use rustls::pki_types::pem::PemObject;

use super::spki::{self, Algorithm};
use crate::policy::Digest;

/// Bytes of a text with keys. One of `cosign generate-key-pair` has 178, one of RSA with 4096 bits 800.
const TEXT: usize = 16 << 10;

/// A public key that signatures are checked with.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    fingerprint: Digest,
    name: String,
    algorithm: Algorithm,
    bytes: Vec<u8>,
}

/// A text that holds no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAKey {
    /// More than keys have.
    #[error("it has more than {TEXT} bytes; a public key is smaller")]
    TooLarge,
    /// None in it.
    #[error("it holds no PUBLIC KEY in PEM; cosign generate-key-pair writes one to cosign.pub")]
    Empty,
    /// It is damaged.
    #[error("a key in it is none: {0}; cosign generate-key-pair writes one to cosign.pub")]
    Malformed(String),
    /// Not one that signatures are checked with.
    #[error(
        "a key in it is neither ECDSA P-256 nor RSA; cosign generate-key-pair makes one of the first kind"
    )]
    Algorithm,
}

impl Key {
    /// All keys in a text in PEM. `name` says to people where that is.
    ///
    /// # Errors
    /// If it holds none, or one that cannot be used.
    pub fn all(pem: &[u8], name: &str) -> Result<Vec<Self>, NotAKey> {
        if pem.len() > TEXT {
            return Err(NotAKey::TooLarge);
        }
        let found: Result<Vec<_>, _> = SubjectPublicKeyInfoDer::pem_slice_iter(pem).collect();
        let found = found.map_err(|error| NotAKey::Malformed(error.to_string()))?;
        if found.is_empty() {
            return Err(NotAKey::Empty);
        }
        found.iter().map(|der| Self::of(der, name)).collect()
    }

    fn of(der: &[u8], name: &str) -> Result<Self, NotAKey> {
        let (algorithm, bytes) = spki::parse(der).ok_or(NotAKey::Algorithm)?;
        let (bytes, name) = (bytes.to_vec(), name.to_owned());
        Ok(Self { fingerprint: Digest::of(der), name, algorithm, bytes })
    }

    /// The SHA-256 of its SubjectPublicKeyInfo in DER, as `openssl pkey -pubin -outform DER | sha256sum` has it.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        self.fingerprint
    }

    /// Where it is, for people.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it made this signature over these bytes.
    pub(super) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        // Of each algorithm the one form that cosign makes by default.
        let algorithm: &'static dyn VerificationAlgorithm = match self.algorithm {
            Algorithm::P256 => &ECDSA_P256_SHA256_ASN1,
            Algorithm::Rsa => &RSA_PKCS1_2048_8192_SHA256,
        };
        UnparsedPublicKey::new(algorithm, &self.bytes).verify(message, signature).is_ok()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.fingerprint, self.name)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ECDSA: &str = include_str!("../fetch/tests/signed/ecdsa.pub");
    const ED25519: &str = include_str!("../fetch/tests/signed/ed25519.pub");
    const RSA: &str = include_str!("../fetch/tests/signed/rsa.pub");

    /// `openssl ecparam -name secp384r1 -genkey -noout | openssl ec -pubout`
    const P384: &str = "-----BEGIN PUBLIC KEY-----\n\
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEhr9tuppuuU0IVq6I4qzFV8uP0aLnqPZG\n\
        L9QyFBB+ynn8tiPt+DUPw0X088DDqwWgR2UFUjoJaaqOQWxYG2dsyPW6Rq7TQ5Bp\n\
        QSBX0p0h3tpzySoJtBR7r7LCbhYePx5w\n\
        -----END PUBLIC KEY-----";

    #[test]
    fn a_key_is_known_by_what_openssl_makes_of_it_and_a_text_may_hold_several() {
        let keys = Key::all(format!("{ECDSA}\n{RSA}").as_bytes(), "keys.pem").unwrap();
        let shown: Vec<String> = keys.iter().map(ToString::to_string).collect();
        let first = "sha256:06e61765b2d0aaab5d1d5f8b9124e28aa8804baf706ac6e9413296bc8c473598 (keys.pem)";
        assert_eq!((shown.len(), shown[0].as_str()), (2, first));
    }

    #[test]
    fn what_is_no_key_or_none_that_is_used_is_refused_by_what_is_wrong_with_it() {
        let of = |pem: &str| Key::all(pem.as_bytes(), "k").unwrap_err();
        assert_eq!(of(""), NotAKey::Empty);
        assert_eq!(of(&ECDSA.replace("PUBLIC", "PRIVATE")), NotAKey::Empty);
        assert_eq!(of(P384), NotAKey::Algorithm);
        assert_eq!(of(ED25519), NotAKey::Algorithm);
        assert_eq!(of(&ECDSA.replace("MFkw", "MFgw")), NotAKey::Algorithm, "shorter than it says");
        assert!(matches!(of(&ECDSA.replace("MFkw", "M!kw")), NotAKey::Malformed(_)));
        assert_eq!(of(&ECDSA.repeat(100)), NotAKey::TooLarge);
    }
}
