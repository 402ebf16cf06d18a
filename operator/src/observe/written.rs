//! What the last writes returned. A cache that is older than our own write would show a promise
//! that we made as not made, so it is not looked at until it has caught up.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use kube::{Resource, ResourceExt};

use crate::api::ReplicatedStatefulSet;

/// The newest state of each object that this process wrote promises to.
#[derive(Clone, Debug, Default)]
pub struct Written {
    set: Option<Arc<ReplicatedStatefulSet>>,
    claims: BTreeMap<String, Arc<PersistentVolumeClaim>>,
}

impl Written {
    /// Remembers what a write of the resource returned.
    pub fn keep_set(&mut self, set: Arc<ReplicatedStatefulSet>) {
        self.set = Some(set);
    }

    /// Remembers what a write of a claim returned.
    pub fn keep_claim(&mut self, claim: Arc<PersistentVolumeClaim>) {
        self.claims.insert(claim.name_any(), claim);
    }

    /// The resource, not older than our last write of it.
    pub fn newest_set(&mut self, cached: Arc<ReplicatedStatefulSet>) -> Arc<ReplicatedStatefulSet> {
        newest(cached, &mut self.set)
    }

    /// A claim, not older than our last write of it.
    pub fn newest_claim(&mut self, cached: Arc<PersistentVolumeClaim>) -> Arc<PersistentVolumeClaim> {
        let name = cached.name_any();
        let mut written = self.claims.remove(&name);
        let claim = newest(cached, &mut written);
        self.claims.extend(written.map(|written| (name, written)));
        claim
    }
}

/// The cached object once it has caught up with the written one, which is then not needed any more.
pub(crate) fn newest<K: Resource>(cached: Arc<K>, written: &mut Option<Arc<K>>) -> Arc<K> {
    match written {
        Some(ours) if !has_caught_up(cached.as_ref(), ours.as_ref()) => Arc::clone(ours),
        _ => {
            *written = None;
            cached
        }
    }
}

/// Resource versions are numbers that only grow, of one counter for all objects of a kind. Where a
/// server gives something else, only the very same version counts.
fn has_caught_up<K: Resource>(cached: &K, ours: &K) -> bool {
    let version = |object: &K| object.meta().resource_version.clone().unwrap_or_default();
    match (version(cached).parse::<u128>(), version(ours).parse::<u128>()) {
        (Ok(cached), Ok(ours)) => cached >= ours,
        _ => version(cached) == version(ours),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(version: &str) -> Arc<PersistentVolumeClaim> {
        let mut claim = PersistentVolumeClaim::default();
        claim.metadata.name = Some("data-rss-x-0".into());
        claim.metadata.resource_version = Some(version.into());
        Arc::new(claim)
    }

    fn seen(written: &mut Written, cached: &str) -> String {
        written.newest_claim(claim(cached)).metadata.resource_version.clone().unwrap()
    }

    #[test]
    fn a_cache_that_is_older_than_our_write_is_not_looked_at() {
        let mut written = Written::default();
        assert_eq!(seen(&mut written, "7"), "7");
        written.keep_claim(claim("10"));
        assert_eq!(seen(&mut written, "9"), "10", "9 is before 10, though not as a text");
        assert_eq!(seen(&mut written, "11"), "11");
        assert_eq!(seen(&mut written, "9"), "9", "what was caught up with is forgotten");
    }

    #[test]
    fn versions_that_are_no_numbers_are_the_same_or_not() {
        let mut written = Written::default();
        written.keep_claim(claim("b"));
        assert_eq!(seen(&mut written, "c"), "b");
        assert_eq!(seen(&mut written, "b"), "b");
        assert_eq!(seen(&mut written, "c"), "c");
    }
}
