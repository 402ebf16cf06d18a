//! A registry of this process, for what is pushed to it.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION, WWW_AUTHENTICATE};
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use operator::policy::Digest;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

#[derive(Default)]
struct State {
    tags: BTreeMap<String, Digest>,
    blobs: BTreeMap<Digest, Bytes>,
    /// What `Authorization` has to be.
    login: Option<&'static str>,
    seen: Vec<String>,
}

/// It lives as long as the process.
pub(crate) struct Registry {
    /// `HOST:PORT`.
    pub(crate) host: String,
    state: Arc<Mutex<State>>,
}

impl Registry {
    pub(crate) fn up(login: Option<&'static str>, tls: Option<TlsAcceptor>) -> Self {
        let state = Arc::new(Mutex::new(State { login, ..State::default() }));
        let (told, host) = channel();
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(serve(&shared, tls, &told));
        });
        Self { host: host.recv().unwrap(), state }
    }

    /// Each request, as `METHOD PATH`.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.state.lock().unwrap().seen.clone()
    }

    /// From now on it has these bytes, under their digest and this tag.
    pub(crate) fn hold(&self, tag: &str, bytes: &'static [u8]) {
        let mut state = self.state.lock().unwrap();
        let digest = put(&mut state, &Bytes::from_static(bytes));
        state.tags.insert(tag.to_owned(), digest);
    }

    /// The bytes under a tag.
    pub(crate) fn manifest(&self, tag: &str) -> Value {
        let state = self.state.lock().unwrap();
        serde_json::from_slice(&state.blobs[&state.tags[tag]]).unwrap()
    }

    /// The bytes with a digest.
    pub(crate) fn blob(&self, digest: &str) -> Bytes {
        self.state.lock().unwrap().blobs[&digest.parse().unwrap()].clone()
    }
}

async fn serve(state: &Arc<Mutex<State>>, tls: Option<TlsAcceptor>, told: &Sender<String>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    told.send(listener.local_addr().unwrap().to_string()).unwrap();
    while let Ok((stream, _)) = listener.accept().await {
        let (state, tls) = (Arc::clone(state), tls.clone());
        tokio::spawn(async move {
            match tls {
                None => converse(stream, &state).await,
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        converse(stream, &state).await;
                    }
                }
            }
        });
    }
}

async fn converse(stream: impl AsyncRead + AsyncWrite + Unpin, state: &Mutex<State>) {
    let service = service_fn(async |request: Request<Incoming>| {
        let (head, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let response = answer(&Request::from_parts(head, body), &mut state.lock().unwrap());
        Ok::<_, Infallible>(response.map(Full::new))
    });
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

fn answer(request: &Request<Bytes>, state: &mut State) -> Response<Bytes> {
    let (method, path) = (request.method(), request.uri().path());
    state.seen.push(format!("{method} {path}"));
    let authorization = request.headers().get(AUTHORIZATION).map(|value| value.to_str().unwrap());
    if state.login.is_some() && state.login != authorization {
        let asks = Response::builder().status(401).header(WWW_AUTHENTICATE, "Basic realm=\"here\"");
        return asks.body(Bytes::new()).unwrap();
    }
    let last = path.rsplit('/').next().unwrap();
    match *method {
        Method::POST => made(202, "/v2/team/policy/blobs/uploads/1"),
        Method::PUT if path.contains("/manifests/") => {
            let manifest: Value = serde_json::from_slice(request.body()).unwrap();
            let parts = manifest["layers"].as_array().unwrap().iter().chain([&manifest["config"]]);
            let is_there =
                |part: &Value| state.blobs.contains_key(&part["digest"].as_str().unwrap().parse().unwrap());
            if request.headers()[CONTENT_TYPE] != MANIFEST || !{ parts }.all(is_there) {
                return empty(400);
            }
            let digest = put(state, request.body());
            state.tags.insert(last.to_owned(), digest);
            made(201, path)
        }
        Method::PUT => {
            let digest = put(state, request.body());
            let asked = request.uri().query().unwrap().replace("%3A", ":");
            if asked == format!("digest={digest}") { made(201, path) } else { empty(400) }
        }
        _ if path == "/v2/" => Response::new("{}".into()),
        _ => {
            let digest = last.parse().ok().or_else(|| state.tags.get(last).copied());
            match digest.and_then(|digest| state.blobs.get(&digest)) {
                Some(bytes) => {
                    Response::builder().header(CONTENT_TYPE, MANIFEST).body(bytes.clone()).unwrap()
                }
                None => empty(404),
            }
        }
    }
}

fn put(state: &mut State, bytes: &Bytes) -> Digest {
    let digest = Digest::of(bytes);
    state.blobs.insert(digest, bytes.clone());
    digest
}

fn made(status: u16, location: &str) -> Response<Bytes> {
    Response::builder().status(status).header(LOCATION, location).body(Bytes::new()).unwrap()
}

fn empty(status: u16) -> Response<Bytes> {
    Response::builder().status(status).body(Bytes::new()).unwrap()
}
