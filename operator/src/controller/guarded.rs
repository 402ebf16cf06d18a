//! A resource as it came, readable or not: one that cannot be read must not stop the watch of the others. kube has the same
//! (`DeserializeGuard`), which copies each object whole before it reads it, and hands out no share of what it read.

use std::borrow::Cow;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::core::error_boundary::InvalidObject;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The resource; or its metadata, and why the rest cannot be read.
#[derive(Clone, Debug)]
pub(crate) struct Guarded<K>(pub(crate) Result<Arc<K>, InvalidObject>);

impl<'de, K: DeserializeOwned> Deserialize<'de> for Guarded<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let whole = Value::deserialize(deserializer)?;
        let unreadable = match K::deserialize(&whole) {
            Ok(read) => return Ok(Self(Ok(Arc::new(read)))),
            Err(error) => error.to_string(),
        };
        let metadata = Option::<ObjectMeta>::deserialize(&whole["metadata"]).map_err(D::Error::custom)?;
        Ok(Self(Err(InvalidObject { error: unreadable, metadata: metadata.unwrap_or_default() })))
    }
}

impl<K: Resource + Clone> Resource for Guarded<K> {
    type DynamicType = K::DynamicType;
    type Scope = K::Scope;

    fn kind(kind: &K::DynamicType) -> Cow<'_, str> {
        K::kind(kind)
    }

    fn group(kind: &K::DynamicType) -> Cow<'_, str> {
        K::group(kind)
    }

    fn version(kind: &K::DynamicType) -> Cow<'_, str> {
        K::version(kind)
    }

    fn plural(kind: &K::DynamicType) -> Cow<'_, str> {
        K::plural(kind)
    }

    fn meta(&self) -> &ObjectMeta {
        self.0.as_ref().map_or_else(|invalid| &invalid.metadata, |read| read.meta())
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        match &mut self.0 {
            Ok(read) => Arc::make_mut(read).meta_mut(),
            Err(invalid) => &mut invalid.metadata,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::core::WatchEvent;
    use kube::core::object::ObjectList;
    use serde_json::json;

    type Read = Guarded<ConfigMap>;

    #[test]
    fn one_that_cannot_be_read_is_known_by_its_metadata_and_keeps_no_other_from_being_read() {
        let readable = json!({"metadata": {"name": "a"}, "data": {"k": "v"}});
        let unreadable = json!({"metadata": {"name": "b", "uid": "u"}, "data": {"k": 1}});
        let list = json!({"metadata": {}, "items": [unreadable, readable]}).to_string();
        let list: ObjectList<Read> = serde_json::from_str(&list).unwrap();
        let names: Vec<_> = list.items.iter().map(|item| item.meta().name.as_deref()).collect();
        assert_eq!(names, [Some("b"), Some("a")]);
        let why = list.items[0].0.as_ref().unwrap_err();
        assert_eq!(why.metadata.uid.as_deref(), Some("u"));
        assert!(why.error.contains("expected a string"), "{}", why.error);
        assert_eq!(list.items[1].0.as_ref().unwrap().data.as_ref().unwrap()["k"], "v");
    }

    #[test]
    fn it_is_read_from_a_watch_whichever_comes_first_what_happened_or_to_what() {
        for line in [
            r#"{"type": "ADDED", "object": {"metadata": {"name": "a"}}}"#,
            r#"{"object": {"metadata": {"name": "a"}}, "type": "ADDED"}"#,
        ] {
            let event: WatchEvent<Read> = serde_json::from_str(line).unwrap();
            assert!(matches!(event, WatchEvent::Added(read) if read.meta().name.as_deref() == Some("a")));
        }
    }

    #[test]
    fn what_has_no_metadata_that_can_be_read_is_no_resource() {
        assert!(serde_json::from_value::<Read>(json!({"metadata": {"name": 1}, "data": 1})).is_err());
    }

    #[test]
    fn a_change_of_the_metadata_is_seen_by_nobody_who_shares_it() {
        let mut read: Read = serde_json::from_value(json!({"metadata": {"name": "a"}})).unwrap();
        let shared = read.clone();
        read.meta_mut().name = None;
        assert_eq!((read.meta().name.as_deref(), shared.meta().name.as_deref()), (None, Some("a")));
    }
}
