//! Components that are compiled, shared by all sets that use the same one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;
use tokio::task::{JoinError, spawn_blocking};

use crate::policy::{Component, Digest, Host, Refusal};

/// Bytes of all components that are in use. Compiled, each takes up to 14 times its size, so all of them some 110 MiB;
/// compiling one takes some 60 MiB more for a moment. The memory limit in deploy/deployment.yaml has room for that and for
/// the candidates.
const ROOM: usize = 8 << 20;

/// Of these, what new ones may take: all that ever decided finds room again after a restart, in whichever order it comes.
const ROOM_FOR_NEW: usize = 6 << 20;

/// Bytes of all candidates beside that: they take no room of what decides.
const ROOM_FOR_CANDIDATES: usize = 2 << 20;

/// Why a component is not compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the sets of this operator use policies of {used} bytes; with {wanted} more it would be above {most}; share policies or make them smaller"
)]
pub struct Full {
    /// What is in use, in bytes.
    pub used: usize,
    /// What would come to it.
    pub wanted: usize,
    /// How much there may be.
    pub most: usize,
}

/// Why a component is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It decided before this operator began.
    Restored,
    /// It is named for the first time.
    New,
    /// It is listened to and never followed.
    Candidate,
}

/// Components by digest, for as long as a set uses them.
pub(super) struct Share {
    host: Host,
    /// Held by whoever compiles or tries a component.
    turn: Arc<tokio::sync::Mutex<()>>,
    /// Held beside it by whoever brings what is new: what decided before waits for one of those at most.
    new: tokio::sync::Mutex<()>,
    /// Held beside both by whoever brings a candidate: what is to decide waits for one of those at most.
    candidate: tokio::sync::Mutex<()>,
    deciding: Mutex<Components>,
    /// Apart from those that decide, also where the bytes are the same: a candidate that outlives the policy that it was
    /// would keep its room.
    candidates: Mutex<Components>,
}

type Place<'a> = tokio::sync::MutexGuard<'a, ()>;

type Components = BTreeMap<Digest, Weak<Component>>;

/// Why there is no component.
pub(super) enum Uncompiled {
    Full(Full),
    Refused(Refusal),
    Own(JoinError),
}

impl Share {
    pub(super) fn new(host: Host) -> Self {
        let [new, candidate] = [(); 2].map(tokio::sync::Mutex::new);
        let [deciding, candidates] = [(); 2].map(|()| Mutex::default());
        Self { host, turn: Arc::default(), new, candidate, deciding, candidates }
    }

    /// The component of these bytes.
    pub(super) async fn component(
        &self,
        bytes: Bytes,
        purpose: Purpose,
    ) -> Result<Arc<Component>, Uncompiled> {
        let digest = Digest::of(&bytes);
        let _queue = self.queue(purpose).await;
        let turn = Arc::clone(&self.turn).lock_owned().await;
        if let Some(known) = self.known(digest, purpose) {
            return Ok(known);
        }
        self.room(bytes.len(), purpose).map_err(Uncompiled::Full)?;
        let host = self.host.clone();
        let compile = move || {
            // It goes on when nobody waits for it any more: the turn ends with it and not before.
            let _turn = turn;
            Component::load(&host, &bytes)
        };
        let component = spawn_blocking(compile).await.map_err(Uncompiled::Own)?;
        let component = Arc::new(component.map_err(Uncompiled::Refused)?);
        self.locked(purpose).insert(digest, Arc::downgrade(&component));
        Ok(component)
    }

    /// Does something with a new component that may take long, when nothing of the kind is done.
    pub(super) async fn in_turn<T: Send + 'static>(
        &self,
        purpose: Purpose,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        let _queue = self.queue(purpose).await;
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let work = move || {
            let _turn = turn;
            work()
        };
        spawn_blocking(work).await
    }

    /// What is held until the turn comes, beside those that need not wait so long.
    async fn queue(&self, purpose: Purpose) -> (Option<Place<'_>>, Option<Place<'_>>) {
        let candidate = match purpose {
            Purpose::Candidate => Some(self.candidate.lock().await),
            Purpose::New | Purpose::Restored => None,
        };
        let new = match purpose {
            Purpose::New | Purpose::Candidate => Some(self.new.lock().await),
            Purpose::Restored => None,
        };
        (candidate, new)
    }

    fn known(&self, digest: Digest, purpose: Purpose) -> Option<Arc<Component>> {
        self.locked(purpose).get(&digest).and_then(Weak::upgrade)
    }

    fn room(&self, wanted: usize, purpose: Purpose) -> Result<(), Full> {
        let most = match purpose {
            Purpose::Restored => ROOM,
            Purpose::New => ROOM_FOR_NEW,
            Purpose::Candidate => ROOM_FOR_CANDIDATES,
        };
        let mut all = self.locked(purpose);
        all.retain(|_, component| component.strong_count() > 0);
        let used = all.values().filter_map(Weak::upgrade).map(|component| component.size()).sum();
        if used + wanted > most { Err(Full { used, wanted, most }) } else { Ok(()) }
    }

    fn locked(&self, purpose: Purpose) -> std::sync::MutexGuard<'_, Components> {
        let all = match purpose {
            Purpose::Restored | Purpose::New => &self.deciding,
            Purpose::Candidate => &self.candidates,
        };
        all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::guest::Guest;

    async fn component(share: &Share, bytes: &[u8]) -> Arc<Component> {
        share
            .component(Bytes::copy_from_slice(bytes), Purpose::New)
            .await
            .unwrap_or_else(|_| panic!("it is a policy"))
    }

    #[tokio::test]
    async fn sets_that_use_the_same_bytes_share_what_was_compiled_and_nothing_stays_that_nobody_uses() {
        let share = Share::new(Host::new().unwrap());
        let (one, two) = (Guest::seed().component(), Guest::primaries().component());
        let first = component(&share, &one).await;
        assert!(Arc::ptr_eq(&first, &component(&share, &one).await));
        assert!(!Arc::ptr_eq(&first, &component(&share, &two).await));
        let digest = *first.digest();
        drop(first);
        assert!(share.known(digest, Purpose::New).is_none());
    }

    #[tokio::test]
    async fn what_is_in_use_leaves_room_for_no_more_than_the_rest() {
        let share = Share::new(Host::new().unwrap());
        let in_use = component(&share, &Guest::seed().component()).await;
        let used = in_use.size();
        for (purpose, most) in [(Purpose::New, ROOM_FOR_NEW), (Purpose::Restored, ROOM)] {
            let wanted = most - used + 1;
            assert_eq!(share.room(wanted - 1, purpose), Ok(()));
            assert_eq!(share.room(wanted, purpose), Err(Full { used, wanted, most }));
        }
        drop(in_use);
        assert_eq!(share.room(ROOM_FOR_NEW, Purpose::New), Ok(()), "nobody uses it any more");
    }

    #[tokio::test]
    async fn a_candidate_takes_no_room_of_what_decides_not_even_with_the_same_bytes() {
        let share = Share::new(Host::new().unwrap());
        let bytes = Bytes::from(Guest::seed().component());
        let decides = component(&share, &bytes).await;
        let Ok(candidate) = share.component(bytes, Purpose::Candidate).await else {
            panic!("it is a policy")
        };
        assert!(!Arc::ptr_eq(&decides, &candidate));
        drop(decides);
        assert_eq!(share.room(ROOM_FOR_NEW, Purpose::New), Ok(()));
        let used = candidate.size();
        let wanted = ROOM_FOR_CANDIDATES - used + 1;
        let full = Full { used, wanted, most: ROOM_FOR_CANDIDATES };
        assert_eq!(share.room(wanted, Purpose::Candidate), Err(full));
    }

    #[tokio::test]
    async fn what_is_to_decide_does_not_wait_behind_all_candidates() {
        let share = Share::new(Host::new().unwrap());
        let _first = share.candidate.lock().await;
        let candidate = share.component(Guest::seed().component().into(), Purpose::Candidate);
        let new = share.component(Guest::primaries().component().into(), Purpose::New);
        tokio::select! {
            _ = candidate => panic!("it is not its turn"),
            done = new => assert!(done.is_ok()),
        }
    }

    #[tokio::test]
    async fn what_decided_before_does_not_wait_behind_all_that_is_new() {
        let share = Share::new(Host::new().unwrap());
        let _first = share.new.lock().await;
        let new = share.component(Guest::seed().component().into(), Purpose::New);
        let restored = share.component(Guest::primaries().component().into(), Purpose::Restored);
        tokio::select! {
            _ = new => panic!("it is not its turn"),
            done = restored => assert!(done.is_ok()),
        }
    }
}
