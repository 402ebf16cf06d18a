//! The two servers: the one of the cluster, and the one in memory.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use api_server::{Place, Request, Store};
use futures::TryStreamExt;
use http_body_util::BodyExt;
use hyper::http;
use kube::Client;
use kube::client::Body;
use serde_json::Value;
use tokio::time::sleep;

use super::asked::Asked;
use super::universe::Kind;

pub(crate) type Answer = (u16, Value);

/// Finalizers that controllers of the cluster take away by themselves.
const OF_CONTROLLERS: [&str; 2] = ["kubernetes.io/pvc-protection", "orphan"];
/// A controller that has not done its part after so many looks never will.
const LOOKS: usize = 600;
const PAUSE: Duration = Duration::from_millis(50);

/// The cluster's.
pub(crate) struct Real(pub(crate) Client);

/// The one in memory.
#[derive(Default)]
pub(crate) struct InMemory(pub(crate) Store);

// === impl Real ===

impl Real {
    pub(crate) async fn ask(&self, asked: &Asked) -> Result<Answer> {
        let body = if asked.body.is_null() { Vec::new() } else { serde_json::to_vec(&asked.body)? };
        let request = http::Request::builder().method(asked.method).uri(&asked.path);
        let request = request.header("content-type", asked.content).body(Body::from(body))?;
        let (head, body) = self.0.send(request).await?.into_parts();
        let bytes = body.collect().await?.to_bytes();
        let told = serde_json::from_slice(&bytes);
        Ok((head.status.as_u16(), told.with_context(|| format!("{}: {bytes:?}", head.status))?))
    }

    /// The object, after controllers did their part.
    pub(crate) async fn settled(&self, kind: Kind, path: &str) -> Result<Value> {
        let mut before = Value::Null;
        for _ in 0..LOOKS {
            let read = Asked {
                method: "GET",
                path: path.to_owned(),
                content: "application/json",
                body: Value::Null,
            };
            let (code, object) = self.ask(&read).await?;
            let object = if code == 404 { Value::Null } else { object };
            let is_same = before["metadata"]["resourceVersion"] == object["metadata"]["resourceVersion"];
            if !awaits_controllers(kind, &object) && (!has_controller(kind) || is_same) {
                return Ok(object);
            }
            before = object;
            sleep(PAUSE).await;
        }
        bail!("no controller does its part of {path}: {before}")
    }

    pub(crate) async fn version(&self, kind: Kind, namespace: &str) -> Result<String> {
        let path = kind.path(namespace);
        let read = Asked { method: "GET", path, content: "application/json", body: Value::Null };
        let (_, list) = self.ask(&read).await?;
        Ok(list["metadata"]["resourceVersion"].as_str().context("a list has a version")?.to_owned())
    }

    /// What a watch tells of what happened since.
    pub(crate) async fn told(
        &self,
        kind: Kind,
        namespace: &str,
        since: &str,
        selector: &str,
    ) -> Result<String> {
        let path = kind.path(namespace);
        let path =
            format!("{path}?watch=true&timeoutSeconds=1&resourceVersion={since}&labelSelector={selector}");
        let request = http::Request::get(path).body(Body::empty())?;
        let body = self.0.send(request).await?.into_body();
        let bytes: Vec<u8> = body
            .into_data_stream()
            .try_fold(Vec::new(), async |mut all, more| {
                all.extend_from_slice(&more);
                Ok(all)
            })
            .await?;
        Ok(String::from_utf8(bytes)?)
    }
}

fn awaits_controllers(kind: Kind, object: &Value) -> bool {
    let meta = &object["metadata"];
    let held = meta["finalizers"].as_array().into_iter().flatten();
    let is_held = held.into_iter().any(|one| OF_CONTROLLERS.iter().any(|known| one == known));
    if !meta["deletionTimestamp"].is_null() {
        return is_held;
    }
    let status = &object["status"];
    let is_behind = has_controller(kind) && status["observedGeneration"] != meta["generation"];
    let replicas = |of: &Value| of["replicas"].as_u64().unwrap_or(0);
    is_behind || kind == Kind::Workload && replicas(status) != replicas(&object["spec"])
}

/// Of these a controller writes the status.
fn has_controller(kind: Kind) -> bool {
    matches!(kind, Kind::Workload | Kind::Budget)
}

// === impl InMemory ===

impl InMemory {
    pub(crate) fn ask(&mut self, asked: &Asked) -> Result<Answer> {
        let head = http::Request::builder().method(asked.method).uri(&asked.path);
        let (head, ()) = head.header("content-type", asked.content).body(())?.into_parts();
        let (code, body) = match Request::of(&head, &serde_json::to_vec(&asked.body)?) {
            Err(refused) => refused,
            Ok(Some(request)) => self.0.write(&request),
            Ok(None) => self.0.read(&Place::of(head.uri.path(), head.uri.query().unwrap_or_default())),
        };
        Ok((code.as_u16(), Value::clone(&body)))
    }

    pub(crate) fn settled(&mut self, path: &str) -> Value {
        self.0.let_go(path);
        self.0.get(path).cloned().unwrap_or_default()
    }

    pub(crate) fn told(&self, kind: Kind, namespace: &str, since: u64, selector: &str) -> String {
        self.0.since(&Place::of(&kind.path(namespace), &format!("labelSelector={selector}")), since)
    }
}
