//! Server-side apply: what a writer applies is its own until it applies without it.

use serde_json::{Value, json};

use crate::answer::{Answer, conflict, unsupported};
use crate::fields::{self, Entry, Fields};
use crate::merge::{Lists, merge};
use crate::request::Request;
use crate::way;

/// The object as it is after an apply.
pub(crate) fn applied(found: Option<&Value>, request: &Request) -> Result<Value, Answer> {
    if request.place.subresource.is_some() {
        return Err(unsupported("server-side apply of a part of an object"));
    }
    let mut sent = request.sent.clone();
    for field in ["status", "metadata/managedFields"] {
        if sent.pointer(&format!("/{field}")).is_some() {
            return Err(unsupported("server-side apply of what the cluster itself writes"));
        }
    }
    let wanted = fields::of(&sent);
    let mut entries = found.map(fields::entries).unwrap_or_default();
    let is_ours = |entry: &Entry| entry.is_of(&request.manager, true, None);
    for other in entries.iter_mut().filter(|entry| !is_ours(entry)) {
        let taken = taken(found.unwrap_or(&Value::Null), &sent, &wanted, &other.fields);
        if !taken.is_empty() && !request.force {
            return Err(conflict(&format!("{} owns {taken:?}", other.manager)));
        }
        other.fields.retain(|field| !taken.contains(field));
    }
    let before = entries.iter().find(|entry| is_ours(entry)).map(|entry| entry.fields.clone());
    entries.retain(|entry| !is_ours(entry));
    let mut object = found.cloned().unwrap_or_else(|| json!({}));
    if let Some(metadata) = sent["metadata"].as_object_mut() {
        ["resourceVersion", "creationTimestamp"].iter().for_each(|field| drop(metadata.remove(*field)));
    }
    let lists = Lists::of(&sent);
    merge(&mut object, sent, lists);
    for gone in before.unwrap_or_default().difference(&wanted) {
        let is_owned = entries.iter().any(|entry| entry.fields.iter().any(|field| is_within(field, gone)));
        let is_wanted = wanted.iter().any(|field| is_within(field, gone));
        if !is_owned && !is_wanted {
            way::remove(&mut object, gone);
        }
    }
    let ours = Entry { manager: request.manager.clone(), is_apply: true, subresource: None, fields: wanted };
    entries.insert(0, ours);
    fields::write(&mut object, &entries);
    Ok(object)
}

/// What another owns and this gives another value.
fn taken(live: &Value, sent: &Value, wanted: &Fields, owned: &Fields) -> Fields {
    let differs = |field: &&fields::Path| {
        !field.ends_with(&[".".to_owned()]) && way::get(live, field) != way::get(sent, field)
    };
    wanted.intersection(owned).filter(differs).cloned().collect()
}

/// The field itself, or part of what it stands for.
fn is_within(field: &[String], of: &[String]) -> bool {
    match of.split_last() {
        Some((last, item)) if last == "." => field.starts_with(item),
        _ => field.starts_with(of),
    }
}

/// After a write that is no apply: what it changed is the writer's, and what it took away is nobody's.
pub(crate) fn updated(before: Option<&Value>, after: &mut Value, request: &Request) {
    if let Some(before) = before.filter(|before| fields::alike(before, after)) {
        after["metadata"]["managedFields"] = before["metadata"]["managedFields"].clone();
        return;
    }
    let mut entries = before.map(fields::entries).unwrap_or_default();
    let (owned_before, mut changed) = (owned(&entries), fields::changed(before, after));
    let part = request.place.subresource.as_deref();
    if part == Some("scale") && !is_handed_on(&mut entries, after) {
        changed.clear();
    }
    let ours = Entry {
        manager: request.manager.clone(),
        is_apply: false,
        subresource: part.map(str::to_owned),
        fields: changed,
    };
    let is_let_go = owned(&entries) < owned_before;
    let is_new = change_hands(&mut entries, ours, after) || is_let_go;
    match before.filter(|before| !is_new && before["metadata"]["managedFields"].is_array()) {
        Some(before) => after["metadata"]["managedFields"] = before["metadata"]["managedFields"].clone(),
        None => fields::write(after, &entries),
    }
}

/// How many fields have an owner, each counted once for each of them.
fn owned(entries: &[Entry]) -> usize {
    entries.iter().map(|entry| entry.fields.len()).sum()
}

/// What was changed is of who wrote it, and of nobody else; what is gone is of nobody. Whether that is new.
fn change_hands(entries: &mut Vec<Entry>, changed: Entry, after: &Value) -> bool {
    let is_ours =
        |entry: &Entry| entry.is_of(&changed.manager, changed.is_apply, changed.subresource.as_deref());
    let mut is_new = false;
    for entry in entries.iter_mut() {
        let (is_ours, owned) = (is_ours(entry), entry.fields.len());
        entry.fields.retain(|field| is_ours || !changed.fields.contains(field));
        // A field that is spelled as its parent, or the other way round, is another's view of the same.
        entry.fields.retain(|field| way::get(after, field).is_some());
        is_new |= entry.fields.len() < owned;
    }
    match entries.iter_mut().find(|entry| is_ours(entry)) {
        Some(ours) if changed.fields.is_subset(&ours.fields) => is_new,
        Some(ours) => {
            ours.fields.extend(changed.fields);
            true
        }
        None if changed.fields.is_empty() => is_new,
        None => {
            entries.push(changed);
            true
        }
    }
}

/// Whether who writes a size by `scale` has it from another: a size that nobody owned, nobody owns afterwards either, and what
/// is told as nothing has no owner: 0.
fn is_handed_on(entries: &mut [Entry], after: &Value) -> bool {
    let size: fields::Path = ["f:spec", "f:replicas"].map(str::to_owned).into();
    if after["spec"]["replicas"] == 0 {
        entries.iter_mut().for_each(|entry| entry.fields.retain(|field| *field != size));
    }
    entries.iter().any(|entry| entry.fields.contains(&size))
}

/// All fields of an object that somebody made whom nobody knows.
pub(crate) fn somebodys(object: &mut Value) {
    let fields = fields::of(object);
    let entry = Entry { manager: "somebody".to_owned(), is_apply: false, subresource: None, fields };
    fields::write(object, &[entry]);
}
