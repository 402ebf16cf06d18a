//! Public keys.

use std::fmt;

use ring::signature::{ECDSA_P256_SHA256_ASN1, RSA_PKCS1_2048_8192_SHA256};
use ring::signature::{UnparsedPublicKey, VerificationAlgorithm};
use rustls::pki_types::SubjectPublicKeyInfoDer;
use rustls::pki_types::pem::PemObject;

use super::spki::{self, Algorithm};
use super::usable;
use crate::policy::Digest;

/// Keys of one demand. Each signature that is found is tried with each of them; more than this are no list that a person
/// keeps.
pub const MOST: usize = 16;

/// Bytes of a text with keys. One of `cosign generate-key-pair` has 178, one of RSA with 4096 bits 800.
const TEXT: usize = 16 << 10;

/// How PKCS#1 (RFC 8017) begins a public key in PEM: the parser passes over it.
const PKCS1: &[u8] = b"-----BEGIN RSA PUBLIC KEY-----";

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
    /// Of RSA, in a form that has no name for its algorithm.
    #[error(
        "a key in it is an RSA PUBLIC KEY (PKCS#1); write it anew: openssl rsa -RSAPublicKey_in -in FILE -pubout"
    )]
    Pkcs1,
    /// Of RSA, too short or too long: so many bits.
    #[error(
        "a key in it is RSA with {0} bits, and from 2048 to 8192 are verified; cosign generate-key-pair makes another"
    )]
    RsaBits(usize),
    /// Of RSA, with a modulus that is no product of two odd primes.
    #[error("a key in it is RSA with an even modulus, which is none; cosign generate-key-pair makes another")]
    RsaModulus,
    /// Of RSA, and not written as keys are.
    #[error(
        "a key in it is RSA whose numbers are not written in DER: negative, or longer than they need to be; \
         write it anew: openssl rsa -pubin -in FILE -pubout"
    )]
    NotDer,
    /// Of RSA, with an exponent that nothing verifies.
    #[error(
        "a key in it is RSA with an exponent that is even, 1 or above 32 bits; cosign generate-key-pair makes another"
    )]
    RsaExponent,
    /// Of ECDSA, with one coordinate left out.
    #[error(
        "a key in it is a compressed point of ECDSA P-256; write it in full: \
         openssl ec -pubin -in FILE -pubout -conv_form uncompressed"
    )]
    Compressed,
    /// Of ECDSA, and on no curve.
    #[error("a key in it is no point of ECDSA P-256; cosign generate-key-pair writes one to cosign.pub")]
    NoPoint,
    /// More than a demand may have.
    #[error("{0}")]
    TooMany(#[from] TooMany),
}

/// More keys than a demand may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} keys are given, and one of {MOST} at most can be asked for; take out those that sign no more")]
pub struct TooMany(pub usize);

/// Keys of one demand, [`MOST`] at most.
///
/// # Errors
/// If there are more.
pub fn at_most(keys: Vec<Key>) -> Result<Vec<Key>, TooMany> {
    if keys.len() > MOST { Err(TooMany(keys.len())) } else { Ok(keys) }
}

impl Key {
    /// All keys in a text in PEM. `name` says to people where that is.
    ///
    /// # Errors
    /// If it holds none, more than [`MOST`], or one that can never be found to have signed.
    pub fn all(pem: &[u8], name: &str) -> Result<Vec<Self>, NotAKey> {
        if pem.len() > TEXT {
            return Err(NotAKey::TooLarge);
        }
        if pem.windows(PKCS1.len()).any(|text| text == PKCS1) {
            return Err(NotAKey::Pkcs1);
        }
        let found: Result<Vec<_>, _> = SubjectPublicKeyInfoDer::pem_slice_iter(pem).collect();
        let found = found.map_err(|error| NotAKey::Malformed(error.to_string()))?;
        if found.is_empty() {
            return Err(NotAKey::Empty);
        }
        let keys: Result<Vec<_>, _> = found.iter().map(|der| Self::of(der, name)).collect();
        Ok(at_most(keys?)?)
    }

    fn of(der: &[u8], name: &str) -> Result<Self, NotAKey> {
        let (algorithm, bytes) = spki::parse(der).ok_or(NotAKey::Algorithm)?;
        usable::check(algorithm, bytes)?;
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
mod tests;
