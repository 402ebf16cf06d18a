//! What decides and is not kept in the cluster yet: its bytes are in the operator's memory, so many of them and no more.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::Brought;
use crate::policy::{Digest, limits};

/// All of it. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Unkept(Arc<Mutex<Held>>);

/// By namespace and component, for as long as a set holds it: sets of one namespace that use the same bytes share them.
type Held = BTreeMap<(String, Digest), Weak<Brought>>;

/// Bytes that are not held until they are kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the operator holds {used} bytes of policies {whose} that it could not keep so far; with {wanted} more it would be above \
     {most}; see why those are not kept, then change spec.policy or restart the operator"
)]
pub(in crate::policy) struct Crowded {
    /// Of whom they are.
    whose: String,
    /// What is held, in bytes.
    used: usize,
    /// What would come to it.
    wanted: usize,
    /// How much there may be.
    most: usize,
}

impl Unkept {
    /// Holds bytes for a set of this namespace, until they are kept.
    pub(super) fn hold(&self, namespace: &str, brought: Brought) -> Result<Arc<Brought>, Crowded> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, held| held.strong_count() > 0);
        let key = (namespace.to_owned(), brought.component);
        if let Some(held) = all.get(&key).and_then(Weak::upgrade) {
            return Ok(held);
        }
        let wanted = brought.bytes.len();
        let room = |whose: &str, most: usize, counts: &dyn Fn(&str) -> bool| {
            let held = all.iter().filter(|((of, _), _)| counts(of)).filter_map(|(_, held)| held.upgrade());
            let used: usize = held.map(|held| held.bytes.len()).sum();
            let crowded = || Crowded { whose: whose.to_owned(), used, wanted, most };
            if used + wanted > most { Err(crowded()) } else { Ok(()) }
        };
        room(&format!("of the namespace {namespace}"), limits::UNKEPT_OF_ONE, &|of| of == namespace)?;
        room("of all namespaces", limits::UNKEPT, &|_| true)?;
        let held = Arc::new(brought);
        all.insert(key, Arc::downgrade(&held));
        Ok(held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn brought(number: usize, size: usize) -> Brought {
        let mut bytes = number.to_be_bytes().to_vec();
        bytes.resize(size, 0);
        let component = Digest::of(&bytes);
        let whence = "host/p".to_owned();
        Brought { bytes: Bytes::from(bytes), component, image: None, verified_by: Vec::new(), whence }
    }

    #[test]
    fn one_namespace_is_held_so_much_of_and_leaves_room_for_others() {
        let (unkept, size) = (Unkept::default(), limits::UNKEPT_OF_ONE / 2);
        let two = [0, 1].map(|number| unkept.hold("greedy", brought(number, size)).unwrap());
        let crowded = unkept.hold("greedy", brought(2, 9)).err().unwrap();
        assert_eq!((crowded.used, crowded.wanted, crowded.most), (2 * size, 9, limits::UNKEPT_OF_ONE));
        assert!(crowded.to_string().contains("of the namespace greedy"), "{crowded}");
        assert!(unkept.hold("shop", brought(2, 9)).is_ok());
        drop(two);
        assert!(unkept.hold("greedy", brought(2, 9)).is_ok(), "they are kept by now");
    }

    #[test]
    fn all_namespaces_together_are_held_so_much_of() {
        let (unkept, size) = (Unkept::default(), limits::UNKEPT_OF_ONE);
        let hold = |number: usize| unkept.hold(&format!("n{number}"), brought(number, size));
        let full: Vec<_> = (0..limits::UNKEPT / size).map(|number| hold(number).unwrap()).collect();
        let crowded = hold(99).err().unwrap();
        assert_eq!((crowded.used, crowded.most), (limits::UNKEPT, limits::UNKEPT));
        drop(full);
    }

    #[test]
    fn sets_of_one_namespace_share_what_is_the_same() {
        let (unkept, size) = (Unkept::default(), limits::UNKEPT_OF_ONE);
        let one = unkept.hold("shop", brought(0, size)).unwrap();
        let other = unkept.hold("shop", brought(0, size)).unwrap();
        assert!(Arc::ptr_eq(&one, &other));
        assert!(unkept.hold("elsewhere", brought(0, size)).is_ok_and(|held| !Arc::ptr_eq(&held, &one)));
    }
}
