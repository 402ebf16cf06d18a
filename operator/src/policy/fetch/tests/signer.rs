//! Signs what cosign does not.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};

/// What stands before the point of a key of P-256 in its SubjectPublicKeyInfo.
const SPKI: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

/// A key of its own.
pub(crate) struct Signer(EcdsaKeyPair);

impl Signer {
    pub(crate) fn new() -> Self {
        let random = SystemRandom::new();
        let pkcs8 =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).expect("random numbers");
        Self(
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, pkcs8.as_ref(), &random)
                .expect("it was made here"),
        )
    }

    /// Its public half.
    pub(crate) fn pem(&self) -> String {
        let der = [&SPKI, self.0.public_key().as_ref()].concat();
        format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", STANDARD.encode(der))
    }

    /// In base64.
    pub(crate) fn sign(&self, message: &[u8]) -> String {
        STANDARD.encode(self.0.sign(&SystemRandom::new(), message).expect("a message"))
    }
}
