//! Entries as real tools write them.

use super::*;

fn login(document: &str) -> Login {
    let config: Config = serde_json::from_str(document).unwrap();
    config.entries().pop().unwrap().1
}

fn password(user: &str, password: &str) -> Login {
    Login::Password { user: user.into(), password: password.into() }
}

#[test]
fn a_name_and_a_password_are_written_in_one_of_two_ways() {
    for (entry, expected) in [
        (r#"{"auth": "dXNlcjpwYTpzcw=="}"#, password("user", "pa:ss")),
        (r#"{"auth": "dXNlcjpwYTpzcw"}"#, password("user", "pa:ss")),
        (r#"{"username": "user", "password": "pa:ss"}"#, password("user", "pa:ss")),
        (r#"{"auth": "dXNlcjpwYTpzcw==", "username": "other", "password": "x"}"#, password("user", "pa:ss")),
        (r#"{"registrytoken": "t"}"#, Login::Token("t".into())),
        (r#"{"auth": "not base64!"}"#, Login::Unusable(Unusable::Auth)),
        (r#"{"auth": "bm9jb2xvbg=="}"#, Login::Unusable(Unusable::Auth)),
        (r#"{"username": "user"}"#, Login::Unusable(Unusable::Empty)),
    ] {
        assert_eq!(login(&format!(r#"{{"auths": {{"h": {entry}}}}}"#)), expected, "{entry}");
    }
}

#[test]
fn an_identity_token_is_used_before_an_auth_without_a_password() {
    let azure = "MDAwMDAwMDAtMDAwMC0wMDAwLTAwMDAtMDAwMDAwMDAwMDAwOg==";
    let of = |fields: &str| login(&format!(r#"{{"auths": {{"r.example": {{"auth": "{azure}"{fields}}}}}}}"#));
    assert_eq!(of(r#", "identitytoken": "eyJ.x.y""#), Login::Identity("eyJ.x.y".into()));
    assert_eq!(of(""), Login::Unusable(Unusable::Auth), "an empty password is never sent");
    assert_eq!(of(r#", "username": "u", "password": "p""#), password("u", "p"));
}

#[test]
fn a_base64_with_line_breaks_or_of_the_alphabet_for_urls_is_read() {
    for auth in ["dXNl\\ncjpwYTpz\\r\\ncw==", " dXNlcjpwYTpzcw==\\n"] {
        assert_eq!(
            login(&format!(r#"{{"auths": {{"h": {{"auth": "{auth}"}}}}}}"#)),
            password("user", "pa:ss")
        );
    }
    for auth in ["dTo/Pz8+", "dTo_Pz8-"] {
        assert_eq!(login(&format!(r#"{{"auths": {{"h": {{"auth": "{auth}"}}}}}}"#)), password("u", "???>"));
    }
}

#[test]
fn an_entry_that_cannot_be_read_disables_no_other_one() {
    let document = r#"{"auths": {"a": null, "b": 5, "c": {"auth": ["x"]}, "d": {"auth": "!"}, "e": {"username": null,
        "password": null, "email": 7, "auth": "dTpw"}}, "credHelpers": {"f": null, "g": 1, "h": ""}, "credsStore": 3}"#;
    let config: Config = serde_json::from_str(document).unwrap();
    let entries: BTreeMap<String, Login> = config.entries().into_iter().collect();
    let unusable = |why| Some(Login::Unusable(why));
    for (key, expected) in [
        ("a", None),
        ("b", unusable(Unusable::Form)),
        ("c", unusable(Unusable::Form)),
        ("d", unusable(Unusable::Auth)),
        ("e", Some(password("u", "p"))),
        ("f", None),
        ("g", unusable(Unusable::Form)),
        ("h", None),
    ] {
        assert_eq!(entries.get(key), expected.as_ref(), "{key}");
    }
}

#[test]
fn null_in_the_place_of_an_object_is_an_empty_object() {
    let document = r#"{"auths": null, "credHelpers": null, "credsStore": null}"#;
    assert!(serde_json::from_str::<Config>(document).unwrap().entries().is_empty());
}

#[test]
fn a_helper_is_never_a_login() {
    let helper = |name: &str| Login::Unusable(Unusable::Helper(name.into()));
    assert_eq!(login(r#"{"credHelpers": {"h": "ecr-login"}}"#), helper("ecr-login"));
    assert_eq!(login(r#"{"auths": {"h": {}}, "credsStore": "desktop"}"#), helper("desktop"));
    let own = login(r#"{"auths": {"h": {"auth": "dTpw"}}, "credsStore": "desktop"}"#);
    assert_eq!(own, password("u", "p"), "a login in the document is used");
}

#[test]
fn a_login_is_never_printed() {
    let logins = [password("u", "secret"), Login::Token("secret".into()), Login::Identity("secret".into())];
    for login in logins {
        assert!(!format!("{login:?} {:?}", login.authentication()).contains("secret"));
    }
}
