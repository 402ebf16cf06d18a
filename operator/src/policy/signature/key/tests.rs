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
    for (exponent, expected) in [
        ([1, 0, 1], Ok(())),
        ([1, 0, 0], Err(NotAKey::RsaExponent)),
        ([0, 0, 1], Err(NotAKey::NotDer)),
        ([0x80, 0, 1], Err(NotAKey::NotDer)),
    ] {
        let mut der = der();
        let end = der.len() - exponent.len();
        der[end..].copy_from_slice(&exponent);
        assert_eq!(Key::of(&der, "k").map(drop), expected, "{exponent:?}");
    }
    for (exponent, expected) in [(3, Ok(())), (1, Err(NotAKey::RsaExponent)), (0, Err(NotAKey::NotDer))] {
        let mut numbers = numbers();
        numbers.1 = vec![exponent];
        assert_eq!(Key::of(&made(&numbers), "k").map(drop), expected, "{exponent}");
    }
}

fn der() -> Vec<u8> {
    SubjectPublicKeyInfoDer::from_pem_slice(RSA.as_bytes()).unwrap().to_vec()
}

/// The two numbers of the key, as they are written.
fn numbers() -> (Vec<u8>, Vec<u8>) {
    let der = der();
    let (_, key) = spki::parse(&der).unwrap();
    let modulus = [&[0], spki::rsa(key).unwrap().modulus].concat();
    (modulus, vec![1, 0, 1])
}

/// An element whose length is in two bytes, whether it needs them or not.
fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).unwrap().to_be_bytes();
    [&[tag, 0x82], &length[..], content].concat()
}

/// A key of these two numbers.
fn made((modulus, exponent): &(Vec<u8>, Vec<u8>)) -> Vec<u8> {
    let exponent = [&[0x02, u8::try_from(exponent.len()).unwrap()], exponent.as_slice()].concat();
    of_numbers(&element(0x02, modulus), &exponent)
}

/// A key of two numbers in DER.
fn of_numbers(modulus: &[u8], exponent: &[u8]) -> Vec<u8> {
    let name = [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];
    let key = element(0x30, &[modulus, exponent].concat());
    let bits = element(0x03, &[&[0], key.as_slice()].concat());
    element(0x30, &[&name, bits.as_slice()].concat())
}

#[test]
fn a_key_that_somebody_made_by_hand_is_refused_where_it_is_written_otherwise_than_keys_are() {
    let (modulus, exponent) = numbers();
    let made = |modulus: &[u8]| made(&(modulus.to_vec(), exponent.clone()));
    let even = [&modulus[..modulus.len() - 1], &[modulus[modulus.len() - 1] ^ 1]].concat();
    let of = |der: Vec<u8>| Key::of(&der, "k").map(drop);
    assert_eq!(of(made(&modulus)), Ok(()));
    assert_eq!(made(&modulus), der(), "as openssl writes it");
    assert_eq!(of(made(&even)), Err(NotAKey::RsaModulus));
    assert_eq!(of(made(&modulus[1..])), Err(NotAKey::NotDer), "a negative number");
    assert_eq!(of(made(&[&[0], modulus.as_slice()].concat())), Err(NotAKey::NotDer), "a zero too many");
    let long = of_numbers(&element(0x02, &modulus), &element(0x02, &exponent));
    assert_eq!(of(long), Err(NotAKey::NotDer), "a length that is longer than it needs to be");
    // The key itself, in an element that says its length in two bytes and needs one.
    let (name, rest) = der_of(ECDSA).split_at(2);
    assert_eq!(of([&[name[0], 0x81, name[1]], rest].concat()), Err(NotAKey::Algorithm));
}

fn der_of(pem: &str) -> &'static [u8] {
    SubjectPublicKeyInfoDer::from_pem_slice(pem.as_bytes()).unwrap().to_vec().leak()
}

#[test]
fn a_text_holds_as_many_keys_as_a_demand_may_have() {
    assert_eq!(Key::all(ECDSA.repeat(MOST).as_bytes(), "k").unwrap().len(), MOST);
    assert_eq!(of(&ECDSA.repeat(MOST + 1)), NotAKey::TooMany(TooMany(MOST + 1)));
}
