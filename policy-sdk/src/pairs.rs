//! Values by name.

use std::collections::BTreeMap;
use std::vec;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Names and values, such as facts: `safe_to_bootstrap` and `1`.
pub type Pairs = Named<String>;

/// Values by name, in the order of the names. There are few, and most come in their order: each goes where it belongs, which
/// is some kilobytes less of code in every policy than the trees of the standard library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named<V>(Vec<(String, V)>);

impl<V> Named<V> {
    /// None.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&V> {
        self.0.get(self.place(name).ok()?).map(|(_, value)| value)
    }

    /// The name has this value from now on, whatever it had.
    pub fn insert(&mut self, name: String, value: V) {
        match self.place(&name) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (name, value)),
        }
    }

    /// Each name with its value.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &V)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Where it is, or would be.
    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.as_str().cmp(name))
    }
}

impl<V: Default> Named<V> {
    /// The value of this name, to be changed; where there is none, the default of its type.
    pub fn of(&mut self, name: &str) -> &mut V {
        let at = self.place(name).unwrap_or_else(|at| {
            self.0.insert(at, (name.to_owned(), V::default()));
            at
        });
        &mut self.0[at].1
    }
}

impl<V> Default for Named<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> FromIterator<(String, V)> for Named<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(given: I) -> Self {
        let mut all = Self::new();
        for (name, value) in given {
            all.insert(name, value);
        }
        all
    }
}

impl<V> IntoIterator for Named<V> {
    type Item = (String, V);
    type IntoIter = vec::IntoIter<(String, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<V: Serialize> Serialize for Named<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Named<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BTreeMap::deserialize(deserializer).map(|all| all.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_their_order_and_each_is_there_once() {
        let given = [("b", 1), ("a", 2), ("c", 3), ("b", 4), ("", 5), ("ba", 6)];
        let all: Named<u8> = given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let expected: Named<u8> =
            serde_json::from_str(r#"{"": 5, "a": 2, "b": 4, "ba": 6, "c": 3}"#).expect("it is one");
        assert_eq!(all, expected);
        assert!(all.iter().map(|(name, _)| name).is_sorted(), "{all:?}");
        assert_eq!((all.get("b"), all.get("bb")), (Some(&4), None));
        assert_eq!(serde_json::to_string(&all).expect("it is JSON"), r#"{"":5,"a":2,"b":4,"ba":6,"c":3}"#);
    }
}
