//! Requests to the API server, counted under the names that dashboards know from client-go.

use super::Metrics;
use futures::FutureExt;
use futures::future::BoxFuture;
use hyper::{Request, Response};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tower::{Layer, Service};

/// From an answer out of the server's cache to the longest time that the head of one may take.
const BUCKETS: [f64; 9] = [0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 4.0, 15.0, 30.0];

/// In place of a code where no answer came, as client-go has it.
const NO_ANSWER: &str = "<error>";

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByCode {
    method: String,
    code: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByVerb {
    verb: String,
}

/// How many requests there were, and how long the heads of their answers took.
#[derive(Clone, Debug)]
pub(super) struct RequestCounts {
    requests: Family<ByCode, Counter>,
    times: Family<ByVerb, Histogram, fn() -> Histogram>,
}

/// Counts what goes through a client. It lies around the retries: a request that is tried again is one.
#[derive(Clone)]
pub(crate) struct CountRequests(pub(crate) Metrics);

/// A client's way to the API server, with each request counted.
#[derive(Clone)]
pub(crate) struct Counted<S> {
    inner: S,
    metrics: Metrics,
}

impl Default for RequestCounts {
    fn default() -> Self {
        let times = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> Histogram);
        Self { requests: Family::default(), times }
    }
}

impl RequestCounts {
    pub(super) fn register(&self, registry: &mut Registry) {
        let (requests, times) = (self.requests.clone(), self.times.clone());
        registry.register("rest_client_requests", "Requests to the API server", requests);
        let help = "How long the heads of its answers took";
        registry.register("rest_client_request_duration_seconds", help, times);
    }

    pub(super) fn add(&self, method: &str, code: Option<u16>, took: Duration) {
        let code = code.map_or_else(|| NO_ANSWER.to_owned(), |code| code.to_string());
        self.requests.get_or_create(&ByCode { method: method.to_owned(), code }).inc();
        self.times.get_or_create(&ByVerb { verb: method.to_owned() }).observe(took.as_secs_f64());
    }
}

impl<S> Layer<S> for CountRequests {
    type Service = Counted<S>;

    fn layer(&self, inner: S) -> Counted<S> {
        Counted { inner, metrics: self.0.clone() }
    }
}

impl<S, A, B> Service<Request<A>> for Counted<S>
where
    S: Service<Request<A>, Response = Response<B>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<A>) -> Self::Future {
        let (method, began, metrics) = (request.method().clone(), Instant::now(), self.metrics.clone());
        let answer = self.inner.call(request);
        async move {
            let answer = answer.await;
            let code = answer.as_ref().ok().map(|answer| answer.status().as_u16());
            metrics.requested(method.as_str(), code, began.elapsed());
            answer
        }
        .boxed()
    }
}
