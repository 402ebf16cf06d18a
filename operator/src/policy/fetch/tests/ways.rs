//! Where the operator lets itself be sent.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;
use crate::policy::fetch::gate::Gate;

#[tokio::test]
async fn a_redirect_to_another_host_is_followed_without_the_login() {
    let (registry, store) = (StandIn::up().await, StandIn::up().await);
    let digest = registry.push("1", COMPONENT);
    let component = store.put(COMPONENT);
    registry.ask_for(Challenge::Basic, "Basic YWxpY2U6c2VjcmV0");
    registry.fault("/blobs/", 1, Fault::Redirect(format!("http://{}/store/{component}", store.host())));
    let registries = registries(&[&registry, &store]);
    let alice = login(&registry.host(), "alice");
    let artifact = registries.pull(&registry.image("1"), digest, &alice).await.unwrap();
    assert_eq!(artifact.bytes.as_ref(), COMPONENT);
    assert!(registry.seen("/blobs/")[0].is_some());
    assert_eq!(store.seen("/store/"), [None]);
}

#[tokio::test]
async fn a_redirect_to_the_operators_own_pod_is_not_followed() {
    let (registry, own) = (StandIn::up().await, StandIn::up().await);
    registry.fault("/manifests/", 9, Fault::Redirect(format!("https://{}/metrics", own.host())));
    let error = registries(&[&registry]).resolve(&registry.image("1"), &nobody()).await.unwrap_err();
    let (host, address, why) = (own.host(), own.address.ip(), Forbidden::Loopback);
    assert_eq!(error.cause, Cause::Way(Refusal::Address { host, address, why }));
    assert!(own.seen("").is_empty() && !error.is_transient());
}

#[tokio::test]
async fn a_redirect_to_where_there_is_no_tls_is_not_followed() {
    let (registry, plain) = (StandIn::up().await, StandIn::up().await);
    registry.fault("/manifests/", 9, Fault::Redirect(format!("http://{}/", plain.host())));
    let error = registries(&[&registry]).resolve(&registry.image("1"), &nobody()).await.unwrap_err();
    assert_eq!(error.cause, Cause::Way(Refusal::Plain { host: plain.host() }));
    assert!(plain.seen("").is_empty());
}

#[tokio::test]
async fn a_circle_of_redirects_ends() {
    let registry = StandIn::up().await;
    let circle = format!("http://{}/v2/team/policy/manifests/1", registry.host());
    registry.fault("/manifests/", 99, Fault::Redirect(circle));
    let error = registries(&[&registry]).resolve(&registry.image("1"), &nobody()).await.unwrap_err();
    assert_eq!(error.cause, Cause::Answered("too many redirects".into()));
}

#[tokio::test]
async fn without_a_list_of_registries_the_operators_own_pod_is_none() {
    let registry = StandIn::up().await;
    let mut registries = registries(&[&registry]);
    registries.access.allowed.clear();
    let error = registries.resolve(&registry.image("1"), &nobody()).await.unwrap_err();
    assert!(matches!(error.cause, Cause::Way(Refusal::Address { why: Forbidden::Loopback, .. })), "{error}");
    assert!(registry.seen("").is_empty());
}

#[tokio::test]
async fn an_image_that_is_not_on_the_list_is_not_asked_for() {
    let (registry, listed) = (StandIn::up().await, StandIn::up().await);
    let error = registries(&[&listed]).resolve(&registry.image("1"), &nobody()).await.unwrap_err();
    assert_eq!(error.cause, Cause::NotAllowed(listed.host()));
    assert!(registry.seen("").is_empty() && !error.is_transient());
}

#[tokio::test]
async fn nobody_without_the_password_gets_out_through_the_gate() {
    let own = StandIn::up().await;
    let gate = Gate::open(&Access::default(), &Proxy::default(), Duration::from_secs(5), 1).await.unwrap();
    let proxy = gate.proxy(access::Scheme::Https);
    let address = proxy.rsplit('@').next().unwrap();
    for (greeting, answer) in [
        (vec![5, 1, 0], vec![5, 0xff]),
        ([&[5, 1, 2, 1, 5][..], b"https", &[1, b'x']].concat(), vec![5, 2, 1, 1]),
        ([&[5, 1, 2, 1, 4][..], b"root", &[1, b'x']].concat(), vec![5, 2, 1, 1]),
    ] {
        let mut stranger = TcpStream::connect(address).await.unwrap();
        stranger.write_all(&greeting).await.unwrap();
        let mut heard = Vec::new();
        stranger.read_to_end(&mut heard).await.unwrap();
        assert_eq!(heard, answer);
    }
    assert!(own.seen("").is_empty());
}
