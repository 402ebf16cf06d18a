//! The proxy of the environment, by which registries are reached: `HTTPS_PROXY` and `NO_PROXY`.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use hyper::Uri;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower::ServiceExt;

use super::access::Scheme;
use super::below::root;

/// The variables. Of two forms, the first one with a text counts.
const PROXY: [&str; 2] = ["HTTPS_PROXY", "https_proxy"];
const EXCEPTIONS: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// The proxy for connections with TLS, and the hosts that are reached without it. The default is no proxy.
#[derive(Clone, Default)]
pub struct Proxy(Option<Arc<Matcher>>);

/// A variable that names a proxy of another kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} of the environment names no proxy that can be used; write http://[USER:PASSWORD@]HOST:PORT")]
pub struct NotAProxy(&'static str);

/// The way through a proxy to one host.
pub(super) struct Way(Intercept);

// === impl Proxy ===

impl Proxy {
    /// The proxy that the environment names. An empty variable names none.
    ///
    /// # Errors
    /// If the variable names no proxy that speaks HTTP without TLS.
    pub fn of_environment() -> Result<Self, NotAProxy> {
        let given =
            |name: &&'static str| Some((*name, std::env::var(name).ok().filter(|text| !text.is_empty())?));
        let exceptions = EXCEPTIONS.iter().find_map(given).map(|(_, text)| text).unwrap_or_default();
        match PROXY.iter().find_map(given) {
            Some((name, proxy)) => Self::new(&proxy, &exceptions).ok_or(NotAProxy(name)),
            None => Ok(Self::default()),
        }
    }

    pub(super) fn new(proxy: &str, exceptions: &str) -> Option<Self> {
        let uri: Uri = proxy.trim().parse().ok()?;
        let is_http = uri.scheme_str().is_none_or(|scheme| scheme == "http");
        let has_host = uri.host().is_some_and(|host| !host.is_empty());
        let matcher = || Matcher::builder().https(proxy.trim()).no(exceptions).build();
        (is_http && has_host).then(|| Self(Some(Arc::new(matcher()))))
    }

    /// The way through the proxy, if this host is reached by it. A loopback address never is, as in Go's programs.
    pub(super) fn way(&self, scheme: Scheme, host: &str, port: u16) -> Option<Way> {
        let address = host.parse::<IpAddr>().ok();
        if host == "localhost" || address.is_some_and(|address| address.is_loopback()) {
            return None;
        }
        let uri = uri(scheme, host, port)?;
        self.0.as_ref()?.intercept(&uri).map(Way)
    }
}

/// A password may be part of the text.
impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Proxy").field(&self.0.is_some()).finish()
    }
}

// === impl Way ===

impl Way {
    /// A connection to the host, as the proxy makes it.
    pub(super) async fn connect(&self, scheme: Scheme, host: &str, port: u16) -> Result<TcpStream, String> {
        let Self(intercept) = self;
        let to = uri(scheme, host, port).ok_or("the name is no host")?;
        let mut tunnel = Tunnel::new(intercept.uri().clone(), tower::service_fn(connected));
        if let Some(login) = intercept.basic_auth() {
            tunnel = tunnel.with_auth(login.clone());
        }
        tunnel.oneshot(to).await.map(TokioIo::into_inner).map_err(|error| root(&error))
    }
}

async fn connected(proxy: Uri) -> std::io::Result<TokioIo<TcpStream>> {
    let host = proxy.host().unwrap_or_default().trim_matches(['[', ']']);
    TcpStream::connect((host, proxy.port_u16().unwrap_or(80))).await.map(TokioIo::new)
}

fn uri(scheme: Scheme, host: &str, port: u16) -> Option<Uri> {
    let authority = match host.parse::<Ipv6Addr>() {
        Ok(address) => format!("[{address}]:{port}"),
        Err(_) => format!("{host}:{port}"),
    };
    Uri::builder().scheme(scheme.name()).authority(authority).path_and_query("/").build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_one_that_speaks_http() {
        for proxy in [
            "http://proxy.example:3128",
            "proxy.example:3128",
            "http://a:b@proxy.example",
            "http://[fd00::1]:3128",
        ] {
            let found = Proxy::new(proxy, "").unwrap();
            assert!(found.way(Scheme::Https, "r.example", 443).is_some(), "{proxy}");
            assert!(!format!("{found:?}").contains("a:b"));
        }
        for wrong in ["https://proxy.example", "socks5://proxy.example:1080", "http://", "a b", "/proxy"] {
            assert!(Proxy::new(wrong, "").is_none(), "{wrong}");
        }
        let error = NotAProxy("HTTPS_PROXY").to_string();
        assert!(error.starts_with("HTTPS_PROXY of the environment"), "{error}");
    }

    #[test]
    fn a_host_is_reached_directly_without_tls_on_this_machine_or_as_an_exception() {
        let proxy = Proxy::new("proxy.example:3128", "inner.example, .svc,10.0.0.0/8").unwrap();
        for (scheme, host, by_proxy) in [
            (Scheme::Https, "r.example", true),
            (Scheme::Https, "fd00::7", true),
            (Scheme::Http, "r.example", false),
            (Scheme::Https, "inner.example", false),
            (Scheme::Https, "r.inner.example", false),
            (Scheme::Https, "registry.ns.svc", false),
            (Scheme::Https, "10.1.2.3", false),
            (Scheme::Https, "localhost", false),
            (Scheme::Https, "127.0.0.1", false),
            (Scheme::Https, "::1", false),
        ] {
            assert_eq!(proxy.way(scheme, host, 443).is_some(), by_proxy, "{host}");
        }
        assert!(Proxy::default().way(Scheme::Https, "r.example", 443).is_none());
    }
}
