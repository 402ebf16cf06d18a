//! Whether a key can ever be found to have signed: one that cannot is refused where it is given, and not by every policy
//! that it is demanded of.

use ring::agreement::{self, ECDH_P256, EphemeralPrivateKey};
use ring::rand::SystemRandom;

use super::key::NotAKey;
use super::spki::{self, Algorithm};

/// Bits of RSA's modulus that `ring` verifies with: `RSA_PKCS1_2048_8192_SHA256`.
const RSA_BITS: std::ops::RangeInclusive<usize> = 2048..=8192;

/// Bytes of RSA's exponent; `ring` takes up to 33 bits. In use are 3 and 65537.
const RSA_EXPONENT: usize = 4;

/// The first byte of a point that is written in full, and of one that has but one of the two coordinates (SEC 1, 2.3.3).
const IN_FULL: u8 = 4;
const COMPRESSED: [u8; 2] = [2, 3];

/// Whether these bytes of a key of this algorithm can be used.
pub(super) fn check(algorithm: Algorithm, bytes: &[u8]) -> Result<(), NotAKey> {
    match algorithm {
        Algorithm::P256 => point(bytes),
        Algorithm::Rsa => rsa(bytes),
    }
}

fn point(bytes: &[u8]) -> Result<(), NotAKey> {
    match bytes.first() {
        Some(&IN_FULL) if is_on_the_curve(bytes) => Ok(()),
        Some(first) if COMPRESSED.contains(first) => Err(NotAKey::Compressed),
        _ => Err(NotAKey::NoPoint),
    }
}

/// `ring` checks a point where it agrees on a secret with its owner, and says nothing of why it does not verify.
fn is_on_the_curve(bytes: &[u8]) -> bool {
    let random = SystemRandom::new();
    let Ok(own) = EphemeralPrivateKey::generate(&ECDH_P256, &random) else { return true };
    agreement::agree_ephemeral(own, &agreement::UnparsedPublicKey::new(&ECDH_P256, bytes), |_| ()).is_ok()
}

fn rsa(bytes: &[u8]) -> Result<(), NotAKey> {
    let key = spki::rsa(bytes).ok_or(NotAKey::NotDer)?;
    if !RSA_BITS.contains(&key.bits()) {
        return Err(NotAKey::RsaBits(key.bits()));
    }
    let is_odd = |number: &[u8]| number.last().is_some_and(|last| last % 2 == 1);
    if !is_odd(key.modulus) {
        return Err(NotAKey::RsaModulus);
    }
    match key.exponent {
        [1] => Err(NotAKey::RsaExponent),
        exponent if is_odd(exponent) && exponent.len() <= RSA_EXPONENT => Ok(()),
        _ => Err(NotAKey::RsaExponent),
    }
}
