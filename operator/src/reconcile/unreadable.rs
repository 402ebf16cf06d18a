//! A resource that does not follow its definition: it was stored under another one. Nothing of its set is
//! touched; what is wrong is told beside everything that its status holds.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams};
use kube::{Client, Resource, ResourceExt};
use serde_json::{Value, json};

use super::Session;
use super::refuse::is_of_another;
use super::unseen::{Why, say};
use crate::api::{Installation, Reason, ReplicatedStatefulSet};
use crate::context::Context;
use crate::events;

/// Tells in an event and in the conditions which field cannot be read. False: it could not be told.
pub(super) async fn refuse(context: &Context, session: &mut Session) -> bool {
    let kind = ApiResource::erase::<ReplicatedStatefulSet>(&());
    let namespace = session.key.namespace.clone();
    let api = |client: &Client| Api::<DynamicObject>::namespaced_with(client.clone(), &namespace, &kind);
    // What the cache holds of it is its metadata.
    let Ok(found) = api(&context.clients.reads).get_opt(&session.key.name).await else { return false };
    let Some(found) = found else { return true };
    let Some(note) = fault(&found) else { return false };
    let claimed = serde_json::from_value::<Installation>(found.data["status"]["installation"].clone()).ok();
    if is_of_another(context, session, claimed.as_ref()).await {
        // It may turn out to be dead.
        return false;
    }
    let happened: Vec<_> = session.news_of(Reason::InvalidSpec, &note).into_iter().collect();
    events::publish(&context.recorder, &found.object_ref(&kind), &happened);
    let Some(patch) = patch(&found, &note, Timestamp::now()) else { return true };
    let writes = api(&context.clients.writes);
    writes.patch_status(&found.name_any(), &PatchParams::default(), &Patch::Merge(patch)).await.is_ok()
}

/// Which field cannot be read, and why.
fn fault(found: &DynamicObject) -> Option<String> {
    let whole = serde_json::to_value(found).ok()?;
    let error = serde_path_to_error::deserialize::<_, ReplicatedStatefulSet>(whole).err()?;
    Some(format!("{}: {}", error.path(), error.inner()))
}

/// Of the status only what says so, at the version that was looked at. None: it is said already.
fn patch(found: &DynamicObject, note: &str, now: Timestamp) -> Option<Value> {
    let generation = found.metadata.generation.unwrap_or_default();
    let before = &found.data["status"];
    let known = serde_json::from_value::<Vec<Condition>>(before["conditions"].clone()).unwrap_or_default();
    let mut conditions = known.clone();
    let why = Why { reason: Reason::InvalidSpec, note: note.to_owned(), needs_a_person: true };
    say(&mut conditions, &why, generation, now);
    let status = json!({
        "observedGeneration": generation, "conditions": conditions, "ready": null,
        "reason": Reason::InvalidSpec.as_str(),
    });
    let is_so = |(field, value): (&String, &Value)| before[field] == *value || field == "conditions";
    let is_said = known == conditions && status.as_object().is_some_and(|status| status.iter().all(is_so));
    (!is_said).then(|| {
        json!({
            "metadata": {"uid": found.metadata.uid, "resourceVersion": found.metadata.resource_version},
            "status": status,
        })
    })
}
