//! Which set is meant.

use std::fmt;

use kube::Resource;

/// A set by name. Another resource of the same name later is another set; the UID tells.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SetKey {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl SetKey {
    /// The set of this name in this namespace.
    #[must_use]
    pub fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.to_owned(), name: name.to_owned() }
    }

    /// The set of this name in the namespace of an object.
    #[must_use]
    pub fn beside<K: Resource>(object: &K, name: &str) -> Self {
        Self::new(object.meta().namespace.as_deref().unwrap_or_default(), name)
    }
}

impl fmt::Display for SetKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}
