//! Patches.

use serde_json::{Value, json};

use crate::way::keys_of;

/// How lists are merged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lists {
    /// A list takes the place of another.
    Whole,
    /// Items that have keys are merged with those of the same keys.
    Keyed,
    /// The same of metadata alone: of what a definition tells no keys of, a list takes the place of another.
    OfMetadata,
}

// === impl Lists ===

impl Lists {
    /// Those of an object in whose fields writers own their parts.
    pub(crate) fn of(object: &Value) -> Self {
        let group = object["apiVersion"].as_str().and_then(|version| version.split_once('/'));
        let is_defined = group.is_some_and(|(group, _)| DEFINED.contains(&group));
        if is_defined { Self::OfMetadata } else { Self::Keyed }
    }

    /// Whether the items of a list of this name are told apart.
    pub(crate) fn are_told_apart(self, list: &str) -> bool {
        match self {
            Self::Whole => false,
            Self::Keyed => true,
            Self::OfMetadata => OF_METADATA.contains(&list),
        }
    }
}

/// The groups of resources that were defined.
const DEFINED: [&str; 2] = ["enge.me", "clusterlabs.org"];
/// The lists that metadata has.
const OF_METADATA: [&str; 2] = ["ownerReferences", "finalizers"];

/// What is null goes; the rest takes the place of what is there.
pub(crate) fn merge(into: &mut Value, from: Value, lists: Lists) {
    named("", into, from, lists);
}

fn named(name: &str, into: &mut Value, from: Value, lists: Lists) {
    match from {
        Value::Object(fields) => {
            if !into.is_object() {
                *into = json!({});
            }
            for (key, value) in fields {
                match value {
                    Value::Null => drop(into.as_object_mut().and_then(|object| object.remove(&key))),
                    value => named(&key, &mut into[key.as_str()], value, lists),
                }
            }
        }
        Value::Array(items) if lists.are_told_apart(name) => by_keys(name, into, items),
        from => *into = from,
    }
}

fn by_keys(name: &str, into: &mut Value, items: Vec<Value>) {
    let (Some(keys), Some(known)) = (keys_of(name), into.as_array_mut()) else {
        *into = Value::Array(items);
        return;
    };
    for item in items {
        let is_same = |known: &&mut Value| keys.iter().all(|key| alike(&known[*key], &item[*key]));
        match known.iter_mut().find(is_same) {
            Some(known) => merge(known, item, Lists::Keyed),
            None => known.push(item),
        }
    }
}

/// What is not said is the default, which only one of them may spell out.
fn alike(one: &Value, other: &Value) -> bool {
    one == other || one.is_null() || other.is_null()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_null_goes_and_lists_are_merged_where_that_is_asked() {
        let there = json!({"a": 1, "containers": [{"name": "x", "image": "1"}, {"name": "y", "image": "1"}]});
        let patch = json!({"a": null, "containers": [{"name": "y", "image": "2"}]});
        for (lists, expected) in [
            (Lists::Whole, json!({"containers": [{"name": "y", "image": "2"}]})),
            (Lists::Keyed, json!({"containers": [{"name": "x", "image": "1"}, {"name": "y", "image": "2"}]})),
        ] {
            let mut object = there.clone();
            merge(&mut object, patch.clone(), lists);
            assert_eq!(object, expected);
        }
    }
}
