//! Pod templates by the names of their ControllerRevisions.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::ControllerRevision;
use kube::{Api, Client, ResourceExt};
use serde_json::Value;

use crate::observe::Objects;

/// The templates that were read while pods of an earlier one run. A ControllerRevision never changes its data.
#[derive(Debug, Default)]
pub struct Templates {
    known: BTreeMap<String, Option<Arc<Value>>>,
    reported: Option<(String, String)>,
}

impl Templates {
    /// The template of this revision; none: the StatefulSet has no such revision any more.
    pub(super) async fn of(
        &mut self,
        client: &Client,
        objects: &Objects,
        revision: &str,
    ) -> Result<Option<Arc<Value>>, kube::Error> {
        if let Some(known) = self.known.get(revision) {
            return Ok(known.clone());
        }
        let revisions: Api<ControllerRevision> = Api::namespaced(client.clone(), objects.namespace());
        let found = revisions.get_opt(revision).await?.and_then(|found| template(&found, objects));
        self.known.insert(revision.to_owned(), found.clone());
        Ok(found)
    }

    /// Whether no event reported this change yet.
    pub(super) fn is_news(&mut self, from: &str, to: &str) -> bool {
        let change = Some((from.to_owned(), to.to_owned()));
        let is_news = self.reported != change;
        self.reported = change;
        is_news
    }

    /// All pods are of the wanted template.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }
}

/// The template in a revision of this set's StatefulSet.
fn template(revision: &ControllerRevision, objects: &Objects) -> Option<Arc<Value>> {
    let uid = objects.workload.as_ref()?.uid()?;
    let is_ours = revision.owner_references().iter().any(|owner| owner.uid == uid);
    let template = revision.data.as_ref().filter(|_| is_ours)?.0.pointer("/spec/template")?;
    Some(Arc::new(template.clone()))
}
