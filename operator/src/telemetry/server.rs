//! `/livez`, `/readyz` and `/metrics`.

use super::{Metrics, Readiness};
use crate::shutdown::begins;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A prober that does not finish its request holds a connection no longer than this.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait after a connection could not be accepted (no more descriptors, for one).
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";

/// Answers until `shutdown` says true or is dropped.
pub async fn serve(
    listener: TcpListener,
    metrics: Metrics,
    ready: Readiness,
    mut shutdown: watch::Receiver<bool>,
) {
    loop {
        let ended = shutdown.clone();
        tokio::select! {
            () = begins(&mut shutdown) => return,
            connection = listener.accept() => match connection {
                Ok((stream, _)) => {
                    tokio::spawn(attend(stream, metrics.clone(), ready.clone(), ended));
                }
                Err(error) => {
                    tracing::debug!(%error, "failed to accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
}

/// Answers one connection; at the shutdown the request under way is still answered.
async fn attend(stream: TcpStream, metrics: Metrics, ready: Readiness, mut shutdown: watch::Receiver<bool>) {
    let service = service_fn(|request: Request<Incoming>| {
        let response = answer(request.method(), request.uri().path(), &metrics, &ready);
        async move { Ok::<_, Infallible>(response) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let result = tokio::select! {
        result = connection.as_mut() => result,
        () = begins(&mut shutdown) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%error, "a connection to the health server broke");
    }
}

/// Being alive depends on nothing but this process: an operator that is killed because the API
/// server is away comes back no wiser.
fn answer(method: &Method, path: &str, metrics: &Metrics, ready: &Readiness) -> Response<Full<Bytes>> {
    let (code, kind, body) = match (method, path) {
        (&Method::GET | &Method::HEAD, "/livez") => (StatusCode::OK, PLAIN, "ok\n".to_owned()),
        (&Method::GET | &Method::HEAD, "/readyz") => match ready.missing() {
            None => (StatusCode::OK, PLAIN, format!("ok\n{}", ready.notes())),
            Some(why) => (StatusCode::SERVICE_UNAVAILABLE, PLAIN, format!("{why}\n{}", ready.notes())),
        },
        (&Method::GET | &Method::HEAD, "/metrics") => (StatusCode::OK, OPENMETRICS, metrics.text()),
        _ => (StatusCode::NOT_FOUND, PLAIN, "try /livez, /readyz or /metrics\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = code;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::{Kind, Leader, Watches};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    async fn get(address: std::net::SocketAddr, path: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn the_server_lives_at_once_is_ready_when_told_and_ends_at_shutdown() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (end, shutdown) = watch::channel(false);
        let ready = Readiness::default();
        let server = tokio::spawn(serve(listener, Metrics::default(), ready.clone(), shutdown));
        assert!(get(address, "/livez").await.starts_with("HTTP/1.1 200"));
        assert!(get(address, "/readyz").await.starts_with("HTTP/1.1 503"));
        ready.leader(Leader::Forbidden);
        assert!(get(address, "/readyz").await.contains("403"), "a person can help, and is told");
        ready.leader(Leader::Known);
        assert!(get(address, "/readyz").await.starts_with("HTTP/1.1 503"), "its caches are not full");
        let watches = Watches::new(Kind::ReplicatedStatefulSet);
        ready.watching(&watches);
        let [pods, gone] = ["shop", "gone"].map(|namespace| watches.add(Some(namespace), "Pod"));
        pods.listed();
        let answer = get(address, "/readyz").await;
        assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("namespace gone:"), "{answer}");
        gone.failed("failed to list: no (403)".to_owned());
        let answer = get(address, "/readyz").await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\r\n\r\nok\n"), "{answer}");
        assert!(answer.contains("namespace gone:") && answer.contains("(Pod: failed to list"), "{answer}");
        ready.leader(Leader::Unknown);
        assert!(get(address, "/readyz").await.starts_with("HTTP/1.1 503"), "the API server is away");
        assert!(get(address, "/metrics").await.trim_end().ends_with("# EOF"));
        assert!(get(address, "/other").await.starts_with("HTTP/1.1 404"));
        end.send(true).unwrap();
        server.await.unwrap();
    }

    #[tokio::test]
    async fn an_idle_connection_does_not_hold_up_the_shutdown() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut idle = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (end, shutdown) = watch::channel(false);
        let (accepted, _) = listener.accept().await.unwrap();
        let attended = tokio::spawn(attend(accepted, Metrics::default(), Readiness::default(), shutdown));
        end.send(true).unwrap();
        let soon = HEADER_TIMEOUT / 2;
        tokio::time::timeout(soon, attended).await.expect("closed before its time is over").unwrap();
        assert_eq!(idle.read(&mut [0; 8]).await.unwrap(), 0, "closed");
    }
}
