//! As much of the API server's ConfigMaps as is asked for: versions, preconditions and merge patches included.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, Uri};
use hyper_util::rt::TokioIo;
use kube::Config;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// The objects by name, and how many writes there were.
#[derive(Default)]
pub(super) struct Objects {
    pub(super) all: BTreeMap<String, Value>,
    pub(super) writes: u64,
    /// Before the next write of this method, this one is made: somebody gets in between.
    pub(super) before: Option<(Method, Value)>,
    /// What is created is refused with 403 and these details.
    pub(super) refused: Option<Value>,
    /// The object of this name is not changed.
    pub(super) stuck: Option<String>,
}

pub(super) struct ApiServer {
    pub(super) objects: Arc<Mutex<Objects>>,
    pub(super) config: Config,
    _task: JoinSet<()>,
}

impl ApiServer {
    pub(super) async fn up() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let uri = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let objects = Arc::<Mutex<Objects>>::default();
        let mut task = JoinSet::new();
        task.spawn(accept(listener, Arc::clone(&objects)));
        Self { objects, config: Config::new(uri), _task: task }
    }
}

async fn accept(listener: TcpListener, objects: Arc<Mutex<Objects>>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let objects = Arc::clone(&objects);
        connections.spawn(async move {
            let service = service_fn(async |request: Request<Incoming>| {
                let (method, uri) = (request.method().clone(), request.uri().clone());
                let body = request.into_body().collect().await.unwrap().to_bytes();
                let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
                let (code, answer) = objects.lock().unwrap().answer(&method, &uri, &body);
                let body = Full::new(Bytes::from(answer.to_string()));
                Ok::<_, Infallible>(Response::builder().status(code).body(body).unwrap())
            });
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

impl Objects {
    fn answer(&mut self, method: &Method, uri: &Uri, body: &Value) -> (u16, Value) {
        if let Some((_, object)) = self.before.take_if(|(before, _)| before == method) {
            self.write(object);
        }
        let name = uri.path().rsplit('/').next().unwrap();
        if let Some(details) = self.refused.as_ref().filter(|_| method == Method::POST) {
            let (code, mut status) = failed(403);
            (status["reason"], status["details"]) = (json!("Forbidden"), details.clone());
            return (code, status);
        }
        if self.stuck.as_deref() == Some(name) && method != Method::GET {
            return failed(403);
        }
        match (method, self.all.get(name).cloned()) {
            (&Method::POST, _) => {
                let name = body["metadata"]["name"].as_str().unwrap();
                if self.all.contains_key(name) { failed(409) } else { (201, self.write(body.clone())) }
            }
            (&Method::GET, _) if name == "configmaps" => (200, self.page(uri.query().unwrap_or_default())),
            (_, None) => failed(404),
            (&Method::GET, Some(object)) => (200, object),
            (&Method::PATCH, Some(object)) if differs(&object, &body["metadata"]) => failed(409),
            (&Method::PATCH, Some(mut object)) => {
                merge(&mut object["metadata"]["annotations"], &body["metadata"]["annotations"]);
                (200, self.write(object))
            }
            (&Method::DELETE, Some(object)) if differs(&object, &body["preconditions"]) => failed(409),
            (&Method::DELETE, Some(object)) => {
                self.writes += 1;
                self.all.remove(name);
                (200, object)
            }
            _ => failed(405),
        }
    }

    /// A page of the list, as long as is asked for at most, from where the one before ended.
    fn page(&self, query: &str) -> Value {
        let asked = |name: &str| {
            let found =
                query.split('&').filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name);
            found.and_then(|(_, value)| value.parse::<usize>().ok())
        };
        let (from, most) = (asked("continue").unwrap_or_default(), asked("limit").unwrap_or(usize::MAX));
        let all = self.all.values().map(|object| json!({"metadata": object["metadata"]}));
        let items: Vec<_> = all.skip(from).take(most).collect();
        let end = from + items.len();
        let next = if end < self.all.len() { end.to_string() } else { String::new() };
        json!({"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadataList", "items": items,
            "metadata": {"continue": next}})
    }

    pub(super) fn write(&mut self, mut object: Value) -> Value {
        self.writes += 1;
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        let metadata = &mut object["metadata"];
        metadata["resourceVersion"] = json!(self.writes.to_string());
        if metadata["uid"].is_null() {
            metadata["uid"] = json!(format!("u-{}", self.writes));
        }
        self.all.insert(name, object.clone());
        object
    }
}

fn differs(object: &Value, wanted: &Value) -> bool {
    let differs = |key: &str| !wanted[key].is_null() && wanted[key] != object["metadata"][key];
    differs("uid") || differs("resourceVersion")
}

fn merge(annotations: &mut Value, changes: &Value) {
    for (key, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => drop(annotations.as_object_mut().unwrap().remove(key)),
            value => annotations[key] = value.clone(),
        }
    }
}

fn failed(code: u16) -> (u16, Value) {
    let reason = if code == 404 { "NotFound" } else { "Conflict" };
    (code, json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code}))
}
