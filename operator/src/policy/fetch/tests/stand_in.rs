//! A registry that does what it is told, wrong things too.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::stream;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, LINK, LOCATION, WWW_AUTHENTICATE};
use hyper::http::request::Parts;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::policy::Digest;

pub(super) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// What is done in place of the right thing, for requests whose path has this in it.
#[derive(Clone)]
pub(super) enum Fault {
    Status(u16),
    /// A status with an error as registries write them.
    Code(u16, &'static str),
    Redirect(String),
    Body(Bytes),
    /// Other bytes under the digest that was asked for.
    Header(String),
    /// A page of a list, and where the next one is said to be.
    Page(Bytes, String),
    Silence,
    Endless,
}

#[derive(Clone)]
pub(super) enum Challenge {
    Basic,
    /// The realm that it names.
    Bearer(String),
}

#[derive(Default)]
struct State {
    tags: BTreeMap<String, Digest>,
    blobs: BTreeMap<Digest, Bytes>,
    /// Page by page.
    referrers: BTreeMap<Digest, Vec<Bytes>>,
    faults: Vec<(&'static str, usize, Fault)>,
    challenge: Option<(Challenge, String)>,
    seen: Vec<(String, Option<String>)>,
    /// The body of each POST.
    posted: Vec<String>,
}

/// It is down when this is dropped.
pub(super) struct StandIn {
    pub(super) address: SocketAddr,
    state: Arc<Mutex<State>>,
    sent: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
}

impl StandIn {
    pub(super) async fn up() -> Self {
        Self::at((Ipv4Addr::LOCALHOST, 0).into(), None).await
    }

    pub(super) async fn at(address: SocketAddr, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (state, sent) = (Arc::<Mutex<State>>::default(), Arc::<AtomicUsize>::default());
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, tls, Arc::clone(&state), Arc::clone(&sent)));
        Self { address, state, sent, _tasks: tasks }
    }

    /// The name under which it is `HOST:PORT`.
    pub(super) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(super) fn image(&self, tag: &str) -> super::Image {
        format!("{}/team/policy:{tag}", self.host()).parse().unwrap()
    }

    /// Bytes under their digest.
    pub(super) fn put(&self, bytes: &[u8]) -> Digest {
        let digest = Digest::of(bytes);
        self.state.lock().unwrap().blobs.insert(digest, Bytes::copy_from_slice(bytes));
        digest
    }

    /// A policy of these bytes under a tag; the digest of its manifest.
    pub(super) fn push(&self, tag: &str, component: &[u8]) -> Digest {
        let layer =
            json!({"mediaType": "application/wasm", "digest": self.put(component), "size": component.len()});
        let config = json!({"mediaType": "application/vnd.wasm.config.v0+json", "digest": Digest::of(b"{}"), "size": 2});
        let manifest =
            json!({"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": [layer]});
        self.tag(tag, manifest.to_string().as_bytes())
    }

    pub(super) fn tag(&self, tag: &str, manifest: &[u8]) -> Digest {
        let digest = self.put(manifest);
        self.state.lock().unwrap().tags.insert(tag.to_owned(), digest);
        digest
    }

    /// From now on it lists this as what belongs to the image; before, it knows of no such lists.
    pub(super) fn list(&self, image: Digest, index: &[u8]) {
        self.list_pages(image, vec![Bytes::copy_from_slice(index)]);
    }

    /// The same on several pages.
    pub(super) fn list_pages(&self, image: Digest, pages: Vec<Bytes>) {
        self.state.lock().unwrap().referrers.insert(image, pages);
    }

    /// So many times; then the right thing again.
    pub(super) fn fault(&self, path: &'static str, times: usize, fault: Fault) {
        self.state.lock().unwrap().faults.push((path, times, fault));
    }

    /// Only who sends this in `Authorization` is served.
    pub(super) fn ask_for(&self, challenge: Challenge, authorization: &str) {
        self.state.lock().unwrap().challenge = Some((challenge, authorization.to_owned()));
    }

    /// The `Authorization` of each request whose path has this in it.
    pub(super) fn seen(&self, path: &str) -> Vec<Option<String>> {
        let state = self.state.lock().unwrap();
        state
            .seen
            .iter()
            .filter(|(at, _)| at.contains(path))
            .map(|(_, authorization)| authorization.clone())
            .collect()
    }

    /// The body of each POST.
    pub(super) fn posted(&self) -> Vec<String> {
        self.state.lock().unwrap().posted.clone()
    }

    /// Bytes of endless answers that somebody took.
    pub(super) fn sent(&self) -> usize {
        self.sent.load(Ordering::Relaxed)
    }
}

async fn accept(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    state: Arc<Mutex<State>>,
    sent: Arc<AtomicUsize>,
) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let (state, sent, tls) = (Arc::clone(&state), Arc::clone(&sent), tls.clone());
        connections.spawn(async move {
            match tls {
                None => serve(stream, &state, &sent).await,
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        serve(stream, &state, &sent).await;
                    }
                }
            }
        });
    }
}

async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, state: &Mutex<State>, sent: &Arc<AtomicUsize>) {
    let service = service_fn(async |request: Request<Incoming>| {
        let (head, body) = request.into_parts();
        if head.method == Method::POST {
            let body = body.collect().await.unwrap().to_bytes();
            state.lock().unwrap().posted.push(String::from_utf8_lossy(&body).into_owned());
        }
        match answer(&head, state) {
            Said::Answer(response) => Ok::<_, Infallible>(response.map(|bytes| Full::new(bytes).boxed())),
            Said::Endless => Ok(Response::new(endless(Arc::clone(sent)))),
            Said::Silence => std::future::pending().await,
        }
    });
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

enum Said {
    Answer(Response<Bytes>),
    Endless,
    Silence,
}

fn endless(sent: Arc<AtomicUsize>) -> BoxBody<Bytes, Infallible> {
    let chunk = Bytes::from(vec![b' '; 64 << 10]);
    let frames = stream::repeat_with(move || {
        sent.fetch_add(chunk.len(), Ordering::Relaxed);
        Ok(Frame::data(chunk.clone()))
    });
    BodyExt::boxed(StreamBody::new(frames))
}

fn answer(request: &Parts, state: &Mutex<State>) -> Said {
    let mut state = state.lock().unwrap();
    let path = request.uri.path().to_owned();
    let authorization = request.headers.get(AUTHORIZATION).map(|value| value.to_str().unwrap().to_owned());
    state.seen.push((path.clone(), authorization.clone()));
    let fault = state.faults.iter_mut().find(|(needle, times, _)| *times > 0 && path.contains(needle));
    if let Some((_, times, fault)) = fault {
        *times -= 1;
        return wrong(&fault.clone());
    }
    match &state.challenge {
        Some((challenge, expected)) if authorization.as_ref() != Some(expected) => {
            let asks = match challenge {
                Challenge::Basic => "Basic realm=\"here\"".to_owned(),
                Challenge::Bearer(realm) => format!("Bearer realm=\"{realm}\",service=\"here\""),
            };
            let refused = Response::builder().status(401).header(WWW_AUTHENTICATE, asks);
            return Said::Answer(refused.body(Bytes::new()).unwrap());
        }
        _ => {}
    }
    if path.contains("/referrers/") {
        return Said::Answer(listed(&state, &path, request.uri.query()));
    }
    right(&state, &path)
}

/// The page that the query names, the first one without.
fn listed(state: &State, path: &str, query: Option<&str>) -> Response<Bytes> {
    let digest = path.rsplit('/').next().unwrap().parse().ok();
    let page: usize = query.and_then(|query| query.strip_prefix("page=")?.parse().ok()).unwrap_or_default();
    let Some(pages) = digest.and_then(|digest| state.referrers.get(&digest)) else {
        return Response::builder().status(404).body(Bytes::new()).unwrap();
    };
    let mut response = Response::builder();
    if page + 1 < pages.len() {
        response = response.header(LINK, format!("<{path}?page={}>; rel=\"next\"", page + 1));
    }
    response.body(pages[page].clone()).unwrap()
}

fn wrong(fault: &Fault) -> Said {
    let response = Response::builder();
    Said::Answer(match fault {
        Fault::Silence => return Said::Silence,
        Fault::Endless => return Said::Endless,
        Fault::Status(status) => response.status(*status).body(Bytes::new()).unwrap(),
        Fault::Code(status, code) => {
            let error = json!({"errors": [{"code": code, "message": "so it is"}]});
            response.status(*status).body(error.to_string().into()).unwrap()
        }
        Fault::Redirect(to) => response.status(307).header(LOCATION, to).body(Bytes::new()).unwrap(),
        Fault::Body(bytes) => Response::new(bytes.clone()),
        Fault::Page(bytes, next) => {
            response.header(LINK, format!("<{next}>; rel=\"next\"")).body(bytes.clone()).unwrap()
        }
        Fault::Header(digest) => response.header("docker-content-digest", digest).body("{}".into()).unwrap(),
    })
}

fn right(state: &State, path: &str) -> Said {
    let last = path.rsplit('/').next().unwrap();
    let digest = last.parse().ok().or_else(|| state.tags.get(last).copied());
    let found = digest.and_then(|digest| state.blobs.get(&digest));
    Said::Answer(match found {
        _ if path == "/v2/" => Response::new("{}".into()),
        Some(bytes) => Response::builder().header(CONTENT_TYPE, MANIFEST).body(bytes.clone()).unwrap(),
        None => Response::builder().status(404).body(Bytes::new()).unwrap(),
    })
}
