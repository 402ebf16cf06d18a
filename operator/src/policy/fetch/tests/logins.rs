//! Who asks.

use super::*;

const BASIC: &str = "Basic YWxpY2U6c2VjcmV0";

#[tokio::test]
async fn a_login_is_sent_to_the_registry_that_it_is_for() {
    let registry = StandIn::up().await;
    let digest = registry.push("1", COMPONENT);
    registry.ask_for(Challenge::Basic, BASIC);
    let (registries, image) = (registries(&[&registry]), registry.image("1"));
    let alice = login(&registry.host(), "alice");
    assert_eq!(registries.resolve(&image, &alice).await.unwrap(), digest);
    for (credentials, cause) in [
        (login(&registry.host(), "bob"), Cause::Unauthorized),
        (login("other.example", "alice"), Cause::Anonymous),
        (nobody(), Cause::Anonymous),
    ] {
        let before = registry.seen("/manifests/").len();
        let error = registries.resolve(&image, &credentials).await.unwrap_err();
        assert_eq!((&error.cause, error.is_transient()), (&cause, false));
        assert_eq!(registry.seen("/manifests/").len(), before + 1, "never sent again");
    }
}

#[tokio::test]
async fn a_token_is_fetched_where_the_registry_says_and_used() {
    let (registry, tokens) = (StandIn::up().await, StandIn::up().await);
    let digest = registry.push("1", COMPONENT);
    registry.ask_for(Challenge::Bearer(format!("http://{}/token", tokens.host())), "Bearer t-1");
    tokens.fault("/token", 1, Fault::Body(r#"{"token": "t-1", "expires_in": 60}"#.into()));
    let registries = registries(&[&registry, &tokens]);
    let alice = login(&registry.host(), "alice");
    let artifact = registries.pull(&registry.image("1"), digest, &alice).await.unwrap();
    assert_eq!(artifact.bytes.as_ref(), COMPONENT);
    assert_eq!(tokens.seen("/token"), [Some(BASIC.to_owned())]);
    assert_eq!(registry.seen("/blobs/"), [Some("Bearer t-1".to_owned())]);
}

/// The entry that the tool of Azure writes.
fn identity(host: &str) -> Credentials {
    let auth = "MDAwMDAwMDAtMDAwMC0wMDAwLTAwMDAtMDAwMDAwMDAwMDAwOg==";
    document(&json!({"auths": {host: {"auth": auth, "identitytoken": "eyJ.x.y"}}}))
}

#[tokio::test]
async fn an_identity_token_is_exchanged_for_an_access_token_which_the_registry_gets() {
    let (registry, tokens) = (StandIn::up().await, StandIn::up().await);
    let digest = registry.push("1", COMPONENT);
    registry.ask_for(Challenge::Bearer(format!("http://{}/oauth2/token", tokens.host())), "Bearer t-1");
    tokens.fault("/oauth2/token", 1, Fault::Status(503));
    tokens.fault("/oauth2/token", 1, Fault::Body(r#"{"access_token": "t-1"}"#.into()));
    let registries = registries(&[&registry, &tokens]);
    let artifact = registries.pull(&registry.image("1"), digest, &identity(&registry.host())).await.unwrap();
    assert_eq!(artifact.bytes.as_ref(), COMPONENT);
    let form = "grant_type=refresh_token&client_id=rss-operator&scope=repository%3Ateam%2Fpolicy%3Apull\
                &refresh_token=eyJ.x.y&service=here";
    assert_eq!(tokens.posted(), [form, form], "a service that is unwell is asked again");
    let sent = registry.seen("");
    assert!(
        sent.iter().flatten().all(|one| one == "Bearer t-1"),
        "an empty password is never sent: {sent:?}"
    );
}

#[tokio::test]
async fn an_identity_token_that_is_refused_is_sent_once_and_reported() {
    let registry = StandIn::up().await;
    registry.ask_for(Challenge::Bearer(format!("http://{}/token", registry.host())), "Bearer t");
    for (fault, says) in
        [(Fault::Status(401), "it answered 401"), (Fault::Body("{}".into()), "holds no token")]
    {
        let before = registry.posted().len();
        registry.fault("/token", 1, fault);
        let alice = identity(&registry.host());
        let error = registries(&[&registry]).resolve(&registry.image("1"), &alice).await.unwrap_err();
        assert!(matches!(&error.cause, Cause::Token(why) if why.contains(says)), "{error}");
        assert!(!error.to_string().contains("eyJ") && registry.posted().len() == before + 1, "{error}");
    }
}

#[tokio::test]
async fn an_identity_token_is_not_sent_to_another_host_by_a_redirect() {
    let (registry, other) = (StandIn::up().await, StandIn::up().await);
    registry.ask_for(Challenge::Bearer(format!("http://{}/token", registry.host())), "Bearer t");
    registry.fault("/token", 1, Fault::Redirect(format!("http://{}/token", other.host())));
    let (registries, alice) = (registries(&[&registry, &other]), identity(&registry.host()));
    let error = registries.resolve(&registry.image("1"), &alice).await.unwrap_err();
    assert!(matches!(&error.cause, Cause::Token(why) if why.contains("307")), "{error}");
    assert!(other.posted().is_empty());
}

#[tokio::test]
async fn an_identity_token_without_a_service_that_exchanges_it_is_reported() {
    let registry = StandIn::up().await;
    let digest = registry.push("1", COMPONENT);
    let (registries, alice) = (registries(&[&registry]), identity(&registry.host()));
    assert_eq!(
        registries.resolve(&registry.image("1"), &alice).await.unwrap(),
        digest,
        "it asks for no login"
    );
    registry.ask_for(Challenge::Basic, BASIC);
    let error = registries.resolve(&registry.image("1"), &alice).await.unwrap_err();
    assert_eq!(error.cause, Cause::Login(Unusable::IdentityToken));
    assert!(registry.posted().is_empty() && !error.is_transient());
}

#[tokio::test]
async fn a_token_that_is_not_given_is_told_and_may_be_given_later() {
    let registry = StandIn::up().await;
    registry.ask_for(Challenge::Bearer(format!("http://{}/token", registry.host())), "Bearer t");
    registry.fault("/token", 1, Fault::Code(403, "DENIED"));
    let error = registries(&[&registry]).resolve(&registry.image("1"), &nobody()).await.unwrap_err();
    assert!(matches!(&error.cause, Cause::Token(why) if why.contains("DENIED")), "{error}");
    assert!(error.is_transient());
    assert_eq!(registry.seen("/token").len(), 1, "an account may be locked for more");
}

#[tokio::test]
async fn a_token_that_breaks_the_client_is_an_error_of_this_image_alone() {
    let registry = StandIn::up().await;
    registry.ask_for(Challenge::Bearer(format!("http://{}/token", registry.host())), "Bearer t");
    registry.fault("/token", 9, Fault::Body(r#"{"token": "a\nb"}"#.into()));
    let error = registries(&[&registry]).resolve(&registry.image("1"), &nobody()).await.unwrap_err();
    assert_eq!(error.cause, Cause::Answered("what makes the client fail".into()));
}

#[tokio::test]
async fn one_tenants_login_is_not_used_for_another() {
    let registry = StandIn::up().await;
    registry.push("1", COMPONENT);
    registry.ask_for(Challenge::Basic, BASIC);
    let (registries, image) = (registries(&[&registry]), registry.image("1"));
    registries.resolve(&image, &login(&registry.host(), "alice")).await.unwrap();
    let error = registries.resolve(&image, &nobody()).await.unwrap_err();
    assert_eq!(error.cause, Cause::Anonymous);
}

#[tokio::test]
async fn a_credential_helper_is_refused_before_anybody_is_asked() {
    let registry = StandIn::up().await;
    registry.push("1", COMPONENT);
    let helper = document(&json!({"credHelpers": {registry.host(): "ecr-login"}}));
    let error = registries(&[&registry]).resolve(&registry.image("1"), &helper).await.unwrap_err();
    assert_eq!(error.cause, Cause::Login(Unusable::Helper("ecr-login".into())));
    assert!(registry.seen("").is_empty() && !error.is_transient());
}
