//! A registry that holds one policy, and counts who comes.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use operator::policy::Digest;
use operator::policy::fetch::{Access, Registries};
use operator::policy::signature::simple_signing;
use serde_json::json;
use tokio::net::{TcpListener, TcpSocket};

use crate::signer::Signer;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// Between two bytes of a body that trickles: far less than what a connection may be silent for.
const TRICKLE: Duration = Duration::from_millis(50);

type Body = UnsyncBoxBody<Bytes, Infallible>;

/// The registry.
#[derive(Clone, Default)]
pub(crate) struct Registry {
    host: String,
    asked: Arc<AtomicUsize>,
    component: Arc<Mutex<Option<Vec<u8>>>>,
    spoiled: Arc<Mutex<Option<Spoiled>>>,
    /// The manifest of its signature, and the text that was signed.
    signature: Arc<Mutex<Option<[Vec<u8>; 2]>>>,
    /// The value of `Authorization` without which it answers 401.
    login: Arc<Mutex<Option<&'static str>>>,
}

/// What is answered in the place of the right thing, where the path has this in it.
#[derive(Clone, Default)]
pub(crate) struct Spoiled {
    pub(crate) path: &'static str,
    /// None: nothing is answered, for ever.
    pub(crate) status: Option<u16>,
    /// Where else to go.
    pub(crate) location: &'static str,
    pub(crate) body: Vec<u8>,
    /// The body comes a byte at a time, and has no end.
    pub(crate) trickles: bool,
}

/// An address that is taken, and where nobody listens.
pub(crate) struct Down(TcpSocket);

impl Registry {
    /// It answers 503 until something is pushed.
    pub(crate) async fn up() -> Self {
        let (registry, down) = Self::down();
        registry.comes_up(down);
        registry
    }

    /// At its address connections are refused until it comes up.
    pub(crate) fn down() -> (Self, Down) {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(([127, 0, 0, 1], 0).into()).expect("a free port");
        let host = socket.local_addr().expect("an address").to_string();
        (Self { host, ..Self::default() }, Down(socket))
    }

    /// From now on it answers, where it was down.
    pub(crate) fn comes_up(&self, Down(socket): Down) {
        let listener = socket.listen(1024).expect("the address is its own");
        tokio::spawn(self.clone().serve(listener));
    }

    async fn serve(self, listener: TcpListener) {
        while let Ok((stream, _)) = listener.accept().await {
            let registry = self.clone();
            let answer = service_fn(move |request: Request<Incoming>| {
                let registry = registry.clone();
                async move {
                    match registry.answer(&request) {
                        Some(answer) => Ok::<_, Infallible>(answer),
                        None => std::future::pending().await,
                    }
                }
            });
            let http = hyper::server::conn::http1::Builder::new();
            tokio::spawn(http.serve_connection(TokioIo::new(stream), answer));
        }
    }

    /// The name of its policy.
    pub(crate) fn image(&self) -> String {
        format!("{}/team/policy:1", self.host)
    }

    /// What an administrator who trusts it gives the operator.
    pub(crate) fn registries(&self) -> Registries {
        // Somebody else's test may have been first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let allowed = vec![self.host.parse().expect("a host")];
        let insecure = vec![self.host.parse().expect("a host")];
        Registries::new(Access { allowed, insecure })
    }

    /// From now on it has this, under its one tag.
    pub(crate) fn push(&self, component: Vec<u8>) {
        *self.component.lock().expect("no panic") = Some(component);
    }

    /// From now on it does this.
    pub(crate) fn spoil(&self, spoiled: Spoiled) {
        *self.spoiled.lock().expect("no panic") = Some(spoiled);
    }

    /// From now on it does all as it should.
    pub(crate) fn is_mended(&self) {
        *self.spoiled.lock().expect("no panic") = None;
    }

    /// From now on it has a signature of the policy, and no other.
    pub(crate) fn sign(&self, component: &[u8], signer: &Signer) {
        let critical = json!({"type": "cosign container image signature", "identity": {},
            "image": {"docker-manifest-digest": Digest::of(&manifest(component))}});
        let payload = json!({"critical": critical, "optional": null}).to_string().into_bytes();
        let annotations = json!({simple_signing::ANNOTATION: signer.sign(&payload)});
        let layer = json!({"mediaType": simple_signing::MEDIA_TYPE, "digest": Digest::of(&payload),
            "size": payload.len(), "annotations": annotations});
        let signature = json!({"schemaVersion": 2, "mediaType": MANIFEST, "config": {}, "layers": [layer]});
        *self.signature.lock().expect("no panic") = Some([signature.to_string().into_bytes(), payload]);
    }

    /// From now on it is unwell.
    pub(crate) fn falls_ill(&self) {
        *self.component.lock().expect("no panic") = None;
    }

    /// How often it was asked for anything.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// From now on it serves only a client that sends this in `Authorization`.
    pub(crate) fn ask_for(&self, login: &'static str) {
        *self.login.lock().expect("no panic") = Some(login);
    }

    fn answer(&self, request: &Request<Incoming>) -> Option<Response<Body>> {
        let path = request.uri().path();
        self.asked.fetch_add(1, Ordering::SeqCst);
        let login = *self.login.lock().expect("no panic");
        if login.is_some_and(|login| request.headers().get(AUTHORIZATION).is_none_or(|given| given != login))
        {
            let response = Response::builder().status(401).header(WWW_AUTHENTICATE, "Basic realm=\"here\"");
            return Some(response.body(Full::default().boxed_unsync()).expect("an answer"));
        }
        let spoiled = self.spoiled.lock().expect("no panic").clone();
        let Some(spoiled) = spoiled.filter(|one| path.contains(one.path)) else {
            return Some(self.right(path).map(BodyExt::boxed_unsync));
        };
        let Spoiled { status, location, body, trickles, .. } = spoiled;
        let response = Response::builder().status(status?).header("location", location);
        let body = if trickles { endless() } else { Full::new(body.into()).boxed_unsync() };
        Some(response.body(body).expect("an answer"))
    }

    fn right(&self, path: &str) -> Response<Full<Bytes>> {
        let response = Response::builder();
        let Some(component) = self.component.lock().expect("no panic").clone() else {
            return response.status(503).body(Full::default()).expect("an answer");
        };
        let [signature, payload] = self.signature.lock().expect("no panic").clone().unwrap_or_default();
        let body = match path {
            "/v2/" => b"{}".to_vec(),
            path if path.ends_with(".sig") => signature,
            path if path.ends_with(&Digest::of(&payload).to_string()) => payload,
            path if path.contains("/referrers/") || path.contains("/manifests/sha256-") => Vec::new(),
            path if path.ends_with(&Digest::of(&component).to_string()) => component,
            _ => manifest(&component),
        };
        if body.is_empty() {
            return response.status(404).body(Full::default()).expect("an answer");
        }
        response.header("content-type", MANIFEST).body(Full::new(body.into())).expect("an answer")
    }
}

/// A blank, another one, and so on.
fn endless() -> Body {
    let next = |()| async {
        tokio::time::sleep(TRICKLE).await;
        Some((Ok(Frame::data(Bytes::from_static(b" "))), ()))
    };
    StreamBody::new(futures::stream::unfold((), next)).boxed_unsync()
}

/// The manifest of an image with this policy.
pub(crate) fn manifest(component: &[u8]) -> Vec<u8> {
    let layer =
        json!({"mediaType": "application/wasm", "digest": Digest::of(component), "size": component.len()});
    let config =
        json!({"mediaType": "application/vnd.wasm.config.v0+json", "digest": Digest::of(b"{}"), "size": 2});
    json!({"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": [layer]})
        .to_string()
        .into_bytes()
}
