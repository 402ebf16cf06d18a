use super::*;

const ECDSA: &str = include_str!("../../fetch/tests/signed/ecdsa.pub");
const ED25519: &str = include_str!("../../fetch/tests/signed/ed25519.pub");
const RSA: &str = include_str!("../../fetch/tests/signed/rsa.pub");

/// `openssl ecparam -name secp384r1 -genkey -noout | openssl ec -pubout`
const P384: &str = "-----BEGIN PUBLIC KEY-----\n\
    MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEhr9tuppuuU0IVq6I4qzFV8uP0aLnqPZG\n\
    L9QyFBB+ynn8tiPt+DUPw0X088DDqwWgR2UFUjoJaaqOQWxYG2dsyPW6Rq7TQ5Bp\n\
    QSBX0p0h3tpzySoJtBR7r7LCbhYePx5w\n\
    -----END PUBLIC KEY-----";

/// `openssl ecparam -name prime256v1 -genkey -noout | openssl ec -pubout -conv_form compressed`
const COMPRESSED: &str = "-----BEGIN PUBLIC KEY-----\n\
    MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgAC+kN5RuGv7BWXgHc6QnLGgnHmCLoZ\n\
    au9TFXyf0taV7Sw=\n\
    -----END PUBLIC KEY-----";

/// The same, as `openssl ec -pubin -pubout -conv_form uncompressed` writes it, and with the last byte changed.
const IN_FULL: &str = "-----BEGIN PUBLIC KEY-----\n\
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE+kN5RuGv7BWXgHc6QnLGgnHmCLoZ\n\
    au9TFXyf0taV7Swy98erHxXXtqzs8qbPNzEx6lSReILlz8MfqR6fB1Vlvg==\n\
    -----END PUBLIC KEY-----";

/// `openssl genrsa 1024 | openssl rsa -pubout`
const SHORT: &str = "-----BEGIN PUBLIC KEY-----\n\
    MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDcaUoa2Ycif4jQRO3KirKJlSSG\n\
    pDMdPKcJH+IvOWHtaewRVCGANBbo6wnx6PIa2QegKfmtmGcnjBln9PbnsM9fJ2XZ\n\
    E+BhovprQ4vvMrHcwVanowf2J3EIcVeFxje2Ytyz/AXyUn2c/WYLc7Dbz5cMWGWl\n\
    0tWQ0vA/L7hhN1+iwQIDAQAB\n\
    -----END PUBLIC KEY-----";

fn of(pem: &str) -> NotAKey {
    Key::all(pem.as_bytes(), "k").unwrap_err()
}

#[test]
fn a_key_is_known_by_what_openssl_makes_of_it_and_a_text_may_hold_several() {
    let keys = Key::all(format!("{ECDSA}\n{RSA}").as_bytes(), "keys.pem").unwrap();
    let shown: Vec<String> = keys.iter().map(ToString::to_string).collect();
    let first = "sha256:06e61765b2d0aaab5d1d5f8b9124e28aa8804baf706ac6e9413296bc8c473598 (keys.pem)";
    assert_eq!((shown.len(), shown[0].as_str()), (2, first));
}

#[test]
fn what_is_no_key_or_none_that_is_used_is_refused_by_what_is_wrong_with_it() {
    assert_eq!(of(""), NotAKey::Empty);
    assert_eq!(of(&ECDSA.replace("PUBLIC", "PRIVATE")), NotAKey::Empty);
    assert_eq!(of(P384), NotAKey::Algorithm);
    assert_eq!(of(ED25519), NotAKey::Algorithm);
    assert_eq!(of(&ECDSA.replace("MFkw", "MFgw")), NotAKey::Algorithm, "shorter than it says");
    assert!(matches!(of(&ECDSA.replace("MFkw", "M!kw")), NotAKey::Malformed(_)));
    assert_eq!(of(&ECDSA.repeat(100)), NotAKey::TooLarge);
}

#[test]
fn a_key_that_can_never_be_found_to_have_signed_is_refused_where_it_is_given() {
    assert_eq!(of(SHORT), NotAKey::RsaBits(1024));
    assert_eq!(of(COMPRESSED), NotAKey::Compressed);
    assert!(Key::all(IN_FULL.as_bytes(), "k").is_ok());
    assert_eq!(of(&IN_FULL.replace("Vlvg==", "Vlvw==")), NotAKey::NoPoint);
    // Beside a good one too: one that is passed over would be missed.
    let pkcs1 = RSA.replace("PUBLIC KEY", "RSA PUBLIC KEY");
    assert_eq!(of(&format!("{ECDSA}{pkcs1}")), NotAKey::Pkcs1);
    for (error, cure) in [
        (of(SHORT), "cosign generate-key-pair"),
        (of(COMPRESSED), "openssl ec -pubin"),
        (of(&pkcs1), "openssl rsa -RSAPublicKey_in"),
    ] {
        assert!(error.to_string().contains(cure), "{error}");
    }
}

#[test]
fn an_exponent_is_odd_and_no_longer_than_what_is_verified() {
    // The last five bytes are those of 65537, its tag and length before it.
    for (exponent, is_taken) in [([1, 0, 1], true), ([0, 0, 3], true), ([1, 0, 0], false), ([0, 0, 1], false)]
    {
        let mut der = SubjectPublicKeyInfoDer::from_pem_slice(RSA.as_bytes()).unwrap().to_vec();
        let end = der.len() - exponent.len();
        der[end..].copy_from_slice(&exponent);
        let expected = if is_taken { Ok(()) } else { Err(NotAKey::RsaExponent) };
        assert_eq!(Key::of(&der, "k").map(drop), expected, "{exponent:?}");
    }
}

#[test]
fn a_text_holds_as_many_keys_as_a_demand_may_have() {
    assert_eq!(Key::all(ECDSA.repeat(MOST).as_bytes(), "k").unwrap().len(), MOST);
    assert_eq!(of(&ECDSA.repeat(MOST + 1)), NotAKey::TooMany(TooMany(MOST + 1)));
}
