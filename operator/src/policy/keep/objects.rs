//! What is asked of the API server. Each answer has a bound in time and in bytes: the client itself bounds the time for the
//! head of an answer alone.

use std::time::Duration;

use http_body_util::Limited;
use hyper::Request;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams, Preconditions};
use kube::client::{Body, Client};
use serde_json::{Value, json};
use tower::service_fn;

use super::error::{KeepError, has_code};
use super::object;
use crate::clients::Clients;
use crate::policy::limits;

/// For one answer, as long as the client gives its head. What waits is a set that decides all the same.
const PATIENCE: Duration = Duration::from_secs(30);

/// The ConfigMaps of one namespace.
#[derive(Clone)]
pub(super) struct Objects {
    reads: Api<ConfigMap>,
    writes: Api<ConfigMap>,
    pub(super) patience: Duration,
}

impl Objects {
    pub(super) fn new(clients: &Clients, namespace: &str) -> Self {
        let [reads, writes] = [&clients.reads, &clients.writes].map(bounded);
        Self {
            reads: Api::namespaced(reads, namespace),
            writes: Api::namespaced(writes, namespace),
            patience: PATIENCE,
        }
    }

    /// False if one of this name is there.
    pub(super) async fn create(&self, name: &str, wanted: &ConfigMap) -> Result<bool, KeepError> {
        match self.in_time(self.writes.create(&PostParams::default(), wanted)).await? {
            Ok(_) => Ok(true),
            Err(error) if has_code(&error, 409) => Ok(false),
            Err(error) => Err(KeepError::of_create(name.to_owned(), error)),
        }
    }

    pub(super) async fn read(&self, name: &str) -> Result<Option<ConfigMap>, KeepError> {
        let found = self.in_time(self.reads.get_opt(name)).await?;
        found.map_err(|error| KeepError::Read(name.to_owned(), error))
    }

    /// All that is kept, without the bytes, page by page.
    pub(super) async fn list(&self) -> Result<Vec<ObjectMeta>, KeepError> {
        let mut asked = ListParams::default().labels(object::SELECTOR).limit(limits::KEPT_PAGE);
        let mut all = Vec::new();
        loop {
            let page = self.in_time(self.reads.list_metadata(&asked)).await?.map_err(KeepError::List)?;
            let next = page.metadata.continue_.filter(|next| !next.is_empty());
            all.extend(page.items.into_iter().map(|found| found.metadata));
            match next {
                Some(next) => asked = asked.continue_token(&next),
                None => return Ok(all),
            }
        }
    }

    /// False if it is not there any more, or not what the metadata says it was: the next look tells.
    pub(super) async fn annotate(&self, seen: &ObjectMeta, metadata: &Value) -> Result<bool, KeepError> {
        let name = seen.name.clone().unwrap_or_default();
        let patch = Patch::Merge(json!({"metadata": metadata}));
        match self.in_time(self.writes.patch(&name, &PatchParams::default(), &patch)).await? {
            Ok(_) => Ok(true),
            Err(error) if has_code(&error, 404) || has_code(&error, 409) => Ok(false),
            Err(error) => Err(KeepError::Write(name, error)),
        }
    }

    /// As it was seen: what another has taken into use since stays.
    pub(super) async fn remove(&self, seen: &ObjectMeta) -> Result<(), KeepError> {
        let name = seen.name.clone().unwrap_or_default();
        let preconditions =
            Preconditions { uid: seen.uid.clone(), resource_version: seen.resource_version.clone() };
        let delete = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() };
        match self.in_time(self.writes.delete(&name, &delete)).await? {
            Ok(_) => Ok(()),
            Err(error) if has_code(&error, 404) || has_code(&error, 409) => Ok(()),
            Err(error) => Err(KeepError::Write(name, error)),
        }
    }

    async fn in_time<T>(&self, asked: impl Future<Output = T>) -> Result<T, KeepError> {
        tokio::time::timeout(self.patience, asked).await.map_err(|_| KeepError::Late(self.patience))
    }
}

/// The same client, whose answers end where they are too long.
fn bounded(client: &Client) -> Client {
    let (client, namespace) = (client.clone(), client.default_namespace().to_owned());
    let send = move |request: Request<Body>| {
        let client = client.clone();
        async move {
            let answer = client.send(request).await?;
            Ok::<_, kube::Error>(answer.map(|body| Limited::new(body, limits::KEPT_ANSWER)))
        }
    };
    Client::new(service_fn(send), namespace)
}
