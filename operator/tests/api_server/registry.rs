//! A registry that holds one policy, and counts who comes.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use operator::policy::Digest;
use operator::policy::fetch::{Access, Registries};
use operator::policy::signature::simple_signing;
use serde_json::json;

use crate::signer::Signer;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// The registry.
#[derive(Clone)]
pub(crate) struct Registry {
    host: String,
    asked: Arc<AtomicUsize>,
    component: Arc<Mutex<Option<Vec<u8>>>>,
    spoiled: Arc<Mutex<Option<Spoiled>>>,
    /// The manifest of its signature, and the text that was signed.
    signature: Arc<Mutex<Option<[Vec<u8>; 2]>>>,
}

/// What is answered in the place of the right thing, where the path has this in it.
#[derive(Clone)]
pub(crate) struct Spoiled {
    pub(crate) path: &'static str,
    /// None: nothing is answered, for ever.
    pub(crate) status: Option<u16>,
    /// Where else to go.
    pub(crate) location: &'static str,
    pub(crate) body: Vec<u8>,
}

impl Registry {
    /// It answers 503 until something is pushed.
    pub(crate) async fn up() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let host = listener.local_addr().expect("an address").to_string();
        let registry = Self {
            host,
            asked: Arc::default(),
            component: Arc::default(),
            spoiled: Arc::default(),
            signature: Arc::default(),
        };
        let served = registry.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let registry = served.clone();
                let answer = service_fn(move |request: Request<Incoming>| {
                    let registry = registry.clone();
                    async move {
                        match registry.answer(request.uri().path()) {
                            Some(answer) => Ok::<_, Infallible>(answer),
                            None => std::future::pending().await,
                        }
                    }
                });
                let http = hyper::server::conn::http1::Builder::new();
                tokio::spawn(http.serve_connection(TokioIo::new(stream), answer));
            }
        });
        registry
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

    fn answer(&self, path: &str) -> Option<Response<Full<Bytes>>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let spoiled = self.spoiled.lock().expect("no panic").clone();
        if let Some(Spoiled { status, location, body, .. }) = spoiled.filter(|one| path.contains(one.path)) {
            let response = Response::builder().status(status?).header("location", location);
            return Some(response.body(Full::new(body.into())).expect("an answer"));
        }
        Some(self.right(path))
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
