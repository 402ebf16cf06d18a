//! Two ways to the API server: one that tries again by itself, and one that never does.

use bytes::Bytes;
use hyper::body::Body as HttpBody;
use hyper::{Request, Response};
use kube::client::{Body, Client, ClientBuilder};
use kube::config::Config;
use std::time::Duration;
use tower::timeout::TimeoutLayer;
use tower::{BoxError, Service};

use crate::telemetry::{CountRequests, Metrics};

/// Reaching the API server takes milliseconds; after this long the way there is broken.
const CONNECT: Duration = Duration::from_secs(5);

/// How long the head of an answer may take, retries included. The body is not counted: watches and
/// the streams of commands are open for as long as they are needed.
const HEAD: Duration = Duration::from_secs(30);

/// How long a connection that answers a get, list or watch may say nothing: longer than a watch lasts (35 s, see
/// `controller::follow`).
const SILENCE: Duration = Duration::from_secs(60);

/// The clients of one configuration.
#[derive(Clone)]
pub struct Clients {
    /// For get, list and watch: 429, 503 and 504 are tried again.
    pub reads: Client,
    /// For every write and every command in a container. To kube's retry layer the request that
    /// starts a command is a GET like any other: it would be sent again after a 504, when the
    /// command may already run (<https://github.com/kube-rs/kube/issues/2082>).
    pub writes: Client,
}

impl Clients {
    /// The clients for this configuration; every request of theirs is counted.
    ///
    /// # Errors
    /// If it names certificates or credentials that cannot be used.
    pub fn new(config: Config, metrics: &Metrics) -> kube::Result<Self> {
        Ok(Self {
            reads: client(config.clone(), Retries::Default, HEAD, metrics)?,
            writes: client(config, Retries::Never, HEAD, metrics)?,
        })
    }
}

impl Clients {
    /// Over what stands in for a connection, with the same bounds and counts. Neither tries again by itself.
    pub fn over<S, B>(service: S, metrics: &Metrics) -> Self
    where
        S: Service<Request<Body>, Response = Response<B>> + Send + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let bounded = ClientBuilder::new(service, "default").with_layer(&TimeoutLayer::new(HEAD));
        let client = bounded.with_layer(&CountRequests(metrics.clone())).build();
        Self { reads: client.clone(), writes: client }
    }
}

/// Whether a client tries again by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Retries {
    Default,
    Never,
}

/// A read timeout would cut a command that says nothing for a while. Without one a list whose connection dies silently
/// is waited for for ever; a watch is told something at least as often as its own timeout says.
fn client(mut config: Config, retries: Retries, head: Duration, metrics: &Metrics) -> kube::Result<Client> {
    config.default_retry = retries == Retries::Default;
    config.connect_timeout = Some(CONNECT);
    config.read_timeout = (retries == Retries::Default).then_some(SILENCE);
    let bounded = ClientBuilder::try_from(config)?.with_layer(&TimeoutLayer::new(head));
    Ok(bounded.with_layer(&CountRequests(metrics.clone())).build())
}

#[cfg(test)]
mod tests;
