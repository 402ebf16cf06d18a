//! Registries that are reached by a proxy.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::tls::registry;
use super::*;

/// A name that no name server knows.
const NAME: &str = "registry.example";

/// A proxy that sends every connection to one registry. It is down when this is dropped.
struct Forward {
    address: SocketAddr,
    /// The head of each request.
    heads: Arc<Mutex<Vec<String>>>,
    _tasks: JoinSet<()>,
}

impl Forward {
    /// It answers with this status line before it carries bytes.
    async fn up(to: SocketAddr, status: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let (mut tasks, seen) = (JoinSet::new(), Arc::clone(&heads));
        tasks.spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, to, status, Arc::clone(&seen)));
            }
        });
        Self { address, heads, _tasks: tasks }
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

async fn carry(mut client: TcpStream, to: SocketAddr, status: &str, heads: Arc<Mutex<Vec<String>>>) {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        head.push(char::from(client.read_u8().await.unwrap()));
    }
    heads.lock().unwrap().push(head);
    client.write_all(format!("HTTP/1.1 {status}\r\n\r\n").as_bytes()).await.unwrap();
    if status.starts_with("200") {
        let mut server = TcpStream::connect(to).await.unwrap();
        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
    }
}

/// A policy at `NAME`, which only a proxy reaches.
async fn hidden() -> (StandIn, Registries, Image) {
    let (registry, authority) = registry(NAME).await;
    registry.push("1", COMPONENT);
    let mut registries = of(Vec::new());
    registries.trust(authority.as_bytes()).unwrap();
    // Some name servers do not answer for a name that they do not know.
    registries.patience.connect = Duration::from_secs(1);
    (registry, registries, format!("{NAME}/team/policy:1").parse().unwrap())
}

#[tokio::test]
async fn a_registry_is_reached_by_the_proxy_which_gets_its_own_login() {
    let (registry, registries, image) = hidden().await;
    let proxy = Forward::up(registry.address, "200 OK").await;
    let by = Proxy::new(&format!("http://bob:pass@{}", proxy.address), "").unwrap();
    let registries = registries.by_proxy(by);
    let digest = registries.resolve(&image, &nobody()).await.unwrap();
    let artifact = registries.pull(&image, digest, &nobody()).await.unwrap();
    assert_eq!(artifact.bytes.as_ref(), COMPONENT);
    for head in proxy.heads() {
        assert!(head.starts_with("CONNECT registry.example:443 HTTP/1.1\r\n"), "{head}");
        assert!(head.contains("Proxy-Authorization: Basic Ym9iOnBhc3M=\r\n"), "{head}");
    }
    assert!(registry.seen("").iter().all(Option::is_none), "the registry does not get it");
}

#[tokio::test]
async fn a_host_of_no_proxy_is_not_asked_for_at_the_proxy() {
    let (registry, registries, image) = hidden().await;
    let proxy = Forward::up(registry.address, "200 OK").await;
    let by = Proxy::new(&proxy.address.to_string(), ".example").unwrap();
    let error = registries.by_proxy(by).resolve(&image, &nobody()).await.unwrap_err();
    assert!(matches!(error.cause, Cause::Way(Refusal::Unnamed { .. })), "{error}");
    assert!(proxy.heads().is_empty());
}

#[tokio::test]
async fn an_address_that_is_forbidden_is_not_asked_for_at_the_proxy() {
    let (registry, registries, _) = hidden().await;
    let proxy = Forward::up(registry.address, "200 OK").await;
    let registries = registries.by_proxy(Proxy::new(&proxy.address.to_string(), "").unwrap());
    for host in ["169.254.169.254", "127.0.0.1", "localhost"] {
        let image = format!("{host}:443/team/policy:1").parse().unwrap();
        let error = registries.resolve(&image, &nobody()).await.unwrap_err();
        assert!(matches!(error.cause, Cause::Way(Refusal::Address { .. })), "{error}");
    }
    assert!(proxy.heads().is_empty());
}

#[tokio::test]
async fn a_proxy_that_refuses_is_reported_with_the_way_out_and_asked_again_later() {
    let (registry, registries, image) = hidden().await;
    for (status, why) in [("403 Forbidden", "unsuccessful"), ("407 Login", "authorization required")] {
        let proxy = Forward::up(registry.address, status).await;
        let by = Proxy::new(&proxy.address.to_string(), "").unwrap();
        let error = registries.clone().by_proxy(by).resolve(&image, &nobody()).await.unwrap_err();
        assert!(error.to_string().contains(why) && error.to_string().contains("NO_PROXY"), "{error}");
        assert!(error.is_transient());
    }
}

#[tokio::test]
async fn a_registry_without_tls_is_reached_directly() {
    let registry = StandIn::up().await;
    let digest = registry.push("1", COMPONENT);
    let registries = registries(&[&registry]).by_proxy(Proxy::new("127.0.0.1:1", "").unwrap());
    assert_eq!(registries.resolve(&registry.image("1"), &nobody()).await.unwrap(), digest);
}
