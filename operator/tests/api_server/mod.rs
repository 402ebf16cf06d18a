//! An API server of a few hundred bytes: it stores objects by path, and writes down what it was asked.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use kube::{Client, Config};
use serde_json::{Value, json};

/// A write that was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    /// "create", "apply", "json-patch" or "delete".
    pub(crate) verb: &'static str,
    /// The last part of the path: the name, or the plural where something is created.
    pub(crate) name: String,
    /// What was sent.
    pub(crate) body: Value,
}

#[derive(Default)]
struct World {
    objects: BTreeMap<String, Value>,
    writes: Vec<Write>,
    versions: u64,
    respell: Option<fn(&mut Value)>,
}

/// The stand-in.
#[derive(Clone, Default)]
pub(crate) struct ApiServer(Arc<Mutex<World>>);

impl ApiServer {
    /// Listens on a free port and answers until the test ends.
    pub(crate) async fn start(&self) -> Client {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let server = self.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let server = server.clone();
                let answer = service_fn(move |request| answer(server.clone(), request));
                let http = hyper::server::conn::http1::Builder::new();
                tokio::spawn(http.serve_connection(TokioIo::new(stream), answer));
            }
        });
        let mut config = Config::new(format!("http://{address}").parse().expect("a URI"));
        config.default_retry = false;
        Client::try_from(config).expect("a client")
    }

    /// The writes since the last call.
    pub(crate) fn writes(&self) -> Vec<Write> {
        std::mem::take(&mut self.0.lock().expect("no panic").writes)
    }

    /// An object by its name and plural.
    pub(crate) fn get(&self, plural: &str, name: &str) -> Option<Value> {
        let world = self.0.lock().expect("no panic");
        world
            .objects
            .iter()
            .find(|(path, _)| path.ends_with(&format!("/{plural}/{name}")))
            .map(|(_, o)| o.clone())
    }

    /// From now on, every object that is written is stored as this leaves it.
    pub(crate) fn respell(&self, respell: fn(&mut Value)) {
        self.0.lock().expect("no panic").respell = Some(respell);
    }

    /// Changes an object behind everyone's back.
    pub(crate) fn change(&self, plural: &str, name: &str, change: impl FnOnce(&mut Value)) {
        let mut world = self.0.lock().expect("no panic");
        let path = format!("/{plural}/{name}");
        change(world.objects.iter_mut().find(|(at, _)| at.ends_with(&path)).expect("the object is there").1);
    }
}

async fn answer(server: ApiServer, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let sent = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let sent: Value = serde_json::from_slice(&sent).unwrap_or_default();
    let kind =
        head.headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_owned();
    let (status, body) = server.0.lock().expect("no panic").serve(&head.method, head.uri.path(), &kind, sent);
    let mut response = Response::new(Full::new(Bytes::from(body.to_string())));
    *response.status_mut() = status;
    Ok(response)
}

impl World {
    fn serve(&mut self, method: &Method, path: &str, kind: &str, sent: Value) -> (StatusCode, Value) {
        let verb = match (method.as_str(), kind) {
            ("POST", _) => "create",
            ("DELETE", _) => "delete",
            ("PATCH", "application/json-patch+json") => "json-patch",
            ("PATCH", _) => "apply",
            _ => {
                return self
                    .objects
                    .get(path)
                    .map_or_else(not_found, |found| (StatusCode::OK, found.clone()));
            }
        };
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        self.writes.push(Write { verb, name, body: sent.clone() });
        self.versions += 1;
        match verb {
            "create" => {
                let path = format!("{path}/{}", sent["metadata"]["name"].as_str().unwrap_or_default());
                self.store(path, sent, "Update")
            }
            "apply" => {
                let mut object = self.objects.get(path).cloned().unwrap_or_default();
                merge(&mut object, sent);
                self.store(path.to_owned(), object, "Apply")
            }
            "json-patch" => {
                let object = self.objects.get_mut(path).expect("the object is there");
                object["metadata"]["managedFields"] = sent[1]["value"].clone();
                (StatusCode::OK, object.clone())
            }
            _ => self.objects.remove(path).map_or_else(not_found, |gone| (StatusCode::OK, gone)),
        }
    }

    fn store(&mut self, path: String, mut object: Value, operation: &str) -> (StatusCode, Value) {
        object["metadata"]["resourceVersion"] = json!(self.versions.to_string());
        if object["metadata"]["managedFields"].is_null() {
            object["metadata"]["managedFields"] = json!([{"manager": "rss-operator", "operation": operation,
                "apiVersion": "v1", "fieldsV1": {"f:spec": {"f:replicas": {}, "f:template": {}}}}]);
        }
        if let Some(respell) = self.respell {
            respell(&mut object);
        }
        self.objects.insert(path, object.clone());
        (StatusCode::OK, object)
    }
}

fn not_found() -> (StatusCode, Value) {
    let body =
        json!({"kind": "Status", "status": "Failure", "reason": "NotFound", "message": "", "code": 404});
    (StatusCode::NOT_FOUND, body)
}

fn merge(into: &mut Value, from: Value) {
    match from {
        Value::Object(fields) => {
            if !into.is_object() {
                *into = json!({});
            }
            fields.into_iter().for_each(|(key, value)| merge(&mut into[key.as_str()], value));
        }
        from => *into = from,
    }
}
