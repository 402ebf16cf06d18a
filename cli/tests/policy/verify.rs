use operator::policy::Digest;

use super::registry::Registry;
use super::*;

/// What cosign made.
macro_rules! kept {
    ($name:literal) => {
        include_bytes!(concat!("../../../operator/src/policy/fetch/tests/signed/", $name))
    };
}

#[test]
fn an_image_is_verified_as_the_operator_does_it_and_the_exit_code_says_whether_it_is_signed() {
    let registry = Registry::up(None, None);
    let image = format!("{}/team/policy", registry.host);
    let digest = Digest::of(kept!("image.json"));
    registry.hold("1", kept!("image.json"));
    let (ecdsa, rsa) = (file("ecdsa.pub", kept!("ecdsa.pub")), file("rsa.pub", kept!("rsa.pub")));
    let [ecdsa, rsa] = [&ecdsa, &rsa].map(|file| file.to_str().unwrap());
    let tag = format!("{image}:1");
    let verify = |keys: &[&str]| {
        let keys = keys.iter().flat_map(|key| ["--key", key]);
        told(&["verify", &tag, "--plain-http", "-ojson"].into_iter().chain(keys).collect::<Vec<_>>())
    };
    let unsigned = verify(&[ecdsa]);
    assert_eq!(unsigned.code, Some(1));
    let why = unsigned.json()["refusal"].clone();
    assert!(why.as_str().unwrap().contains("it has no signature; sign it: cosign sign --key"), "{why}");

    registry.hold(&format!("sha256-{}.sig", digest.hex()), kept!("cosign2/signatures.json"));
    registry.hold("text", kept!("cosign2/payload.json"));
    let signed = verify(&[rsa, ecdsa]);
    assert_eq!(signed.code, Some(0), "{}", signed.err);
    assert_eq!(signed.json()["image"], format!("{image}@{digest}"));
    assert_eq!(signed.json()["verifiedBy"]["from"], format!("--key {ecdsa}"));
    assert_eq!(verify(&[rsa]).code, Some(1));
    assert_eq!(verify(&["nowhere.pub"]).code, Some(1));
    assert_eq!(told(&["verify", &tag]).code, Some(2), "without a key there is nothing to verify");
}
