//! Documents as people have them.

use k8s_openapi::ByteString;

use super::*;

fn secret(kind: &str, key: &str, value: &str) -> Secret {
    let data = BTreeMap::from([(key.to_owned(), ByteString(value.as_bytes().to_vec()))]);
    Secret { type_: Some(kind.to_owned()), data: Some(data), ..Secret::default() }
}

/// Logins whose user is the key.
fn of(keys: &[&str]) -> Credentials {
    let mut credentials = Credentials::default();
    for key in keys {
        let value = serde_json::json!({"auths": {*key: {"username": key, "password": "p"}}});
        credentials.add("s", &secret(JSON.0, JSON.1, &value.to_string())).unwrap();
    }
    credentials
}

fn user(keys: &[&str], image: &str) -> Option<String> {
    match of(keys).for_image(&image.parse().unwrap()).unwrap() {
        Authentication::Direct(RegistryAuth::Basic(user, _)) => Some(user),
        _ => None,
    }
}

#[test]
fn a_login_is_for_the_host_and_path_that_it_names() {
    for (key, image, fits) in [
        ("h.example", "h.example/p", true),
        ("https://H.example", "h.example/p", true),
        ("https://h.example/v2/", "h.example/p", true),
        ("HTTPS://h.example", "h.example/p", true),
        (" h.example ", "h.example/p", true),
        ("h.example/team", "h.example/team/p", true),
        ("h.example/v2/team", "h.example/team/p", true),
        ("h.example/team", "h.example/team-b/p", false),
        ("h.example/team", "h.example/p", false),
        ("h.example", "h.example:5000/p", false),
        ("h.example:5000", "h.example:5000/p", true),
        ("h.example", "evil-h.example/p", false),
        ("h.example", "h.example.evil/p", false),
        ("*.example", "h.example/p", true),
        ("*.example", "a.h.example/p", false),
        ("*.example", "example/p", false),
        ("*.h-*.example", "a.h-b.example/p", true),
        ("*", "h.example/p", false),
        ("https://index.docker.io/v1/", "team/p", true),
        ("docker.io/team", "team/p", true),
        ("docker.io/team", "other/p", false),
    ] {
        assert_eq!(user(&[key], image), fits.then(|| key.to_owned()), "{key} for {image}");
    }
}

#[test]
fn a_host_in_full_goes_before_a_pattern_a_longer_path_before_a_shorter_one_and_the_first_before_the_second() {
    for (keys, image, best) in [
        (["*.example/team", "h.example"], "h.example/team/p", "h.example"),
        (["h.example", "h.example/team"], "h.example/team/p", "h.example/team"),
        (["h.example/team", "h.example"], "h.example/team/p", "h.example/team"),
        (["https://h.example", "h.example"], "h.example/p", "https://h.example"),
    ] {
        assert_eq!(user(&keys, image).as_deref(), Some(best), "{keys:?}");
    }
}

#[test]
fn without_a_login_that_fits_nobody_is_named() {
    let nobody = Authentication::Direct(RegistryAuth::Anonymous);
    assert_eq!(of(&["h.example"]).for_image(&"g.example/p".parse().unwrap()), Ok(nobody));
}

#[test]
fn the_older_type_of_secret_is_read() {
    let mut credentials = Credentials::default();
    let value = r#"{"h.example": {"username": "u", "password": "p", "email": "e"}}"#;
    credentials.add("s", &secret(LEGACY.0, LEGACY.1, value)).unwrap();
    let login = credentials.for_image(&"h.example/p".parse().unwrap());
    assert_eq!(login, Ok(Authentication::Direct(RegistryAuth::Basic("u".into(), "p".into()))));
}

#[test]
fn a_secret_that_holds_no_logins_is_refused_by_its_name_and_its_content_is_not_shown() {
    for (wrong, says) in [
        (secret("Opaque", JSON.1, "{}"), "holds no logins"),
        (secret(JSON.0, "other", "{}"), "holds no logins"),
        (secret(JSON.0, JSON.1, r#"{"auths": "topsecret"}"#), "not a Docker configuration"),
        (secret(JSON.0, JSON.1, "topsecret"), "not a Docker configuration"),
    ] {
        let error = Credentials::default().add("regcred", &wrong).unwrap_err().to_string();
        assert!(error.contains("Secret regcred") && error.contains(says), "{error}");
        assert!(!error.contains("topsecret"), "{error}");
    }
}

#[test]
fn an_entry_of_no_use_gives_way_to_another_one_that_fits() {
    let mut credentials = of(&[]);
    for broken in
        [r#"{"auths": {"h.example/team": {"auth": "!"}}}"#, r#"{"credHelpers": {"h.example": "ecr-login"}}"#]
    {
        credentials.add("s", &secret(JSON.0, JSON.1, broken)).unwrap();
    }
    let image = "h.example/team/p".parse().unwrap();
    assert_eq!(credentials.for_image(&image), Err(Unusable::Auth), "the first one that fits best is named");
    let good = r#"{"auths": {"*.example": {"auth": "dTpw"}}}"#;
    credentials.add("s", &secret(JSON.0, JSON.1, good)).unwrap();
    let login = Authentication::Direct(RegistryAuth::Basic("u".into(), "p".into()));
    assert_eq!(credentials.for_image(&image), Ok(login));
}

#[test]
fn a_helper_of_another_registry_is_in_nobodys_way() {
    let mut credentials = of(&["h.example"]);
    let helper = r#"{"credHelpers": {"ecr.example": "ecr-login"}}"#;
    credentials.add("s", &secret(JSON.0, JSON.1, helper)).unwrap();
    assert!(credentials.for_image(&"h.example/p".parse().unwrap()).is_ok());
    let refused = credentials.for_image(&"ecr.example/p".parse().unwrap()).unwrap_err();
    assert_eq!(refused, Unusable::Helper("ecr-login".into()));
}
