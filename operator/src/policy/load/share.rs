//! Components that are compiled, shared by all sets that use the same one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;
use tokio::task::{JoinError, spawn_blocking};

use super::turns::{Announced, Turns};
use crate::policy::{Component, Digest, Host, Isolated, NoVerdict, Refusal, Settings, Unfit};

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
    /// The same, for a set that asked for it before: it has room as that, and its turn as what is new. A set whose resource
    /// is changed all the time begins anew all the time.
    RestoredAgain,
    /// It is named for the first time.
    New,
    /// It is listened to and never followed.
    Candidate,
}

/// Components by digest, for as long as a set uses them.
pub(super) struct Share {
    host: Host,
    /// Where each is loaded first.
    isolated: Option<Isolated>,
    /// Of those who compile or try a component, one at a time: each takes two processors, and much memory for a moment.
    turns: Turns,
    deciding: Mutex<Components>,
    /// Apart from those that decide, also where the bytes are the same: a candidate that outlives the policy that it was
    /// would keep its room.
    candidates: Mutex<Components>,
}

type Components = BTreeMap<Digest, Weak<Component>>;

/// Why there is no component.
pub(super) enum Uncompiled {
    Full(Full),
    Refused(Refusal),
    NoVerdict(NoVerdict),
    Own(JoinError),
}

impl Purpose {
    /// The least goes first.
    pub(super) fn rank(self) -> u8 {
        match self {
            Self::Restored => 0,
            Self::RestoredAgain | Self::New => 1,
            Self::Candidate => 2,
        }
    }
}

impl Share {
    pub(super) fn new(host: Host) -> Self {
        let [deciding, candidates] = [(); 2].map(|()| Mutex::default());
        Self { host, isolated: None, turns: Turns::new(1, 1), deciding, candidates }
    }

    /// Another one of the same host, for components that are loaded in a process of their own first.
    pub(super) fn isolated(&self, isolated: Isolated) -> Self {
        Self { isolated: Some(isolated), ..Self::new(self.host.clone()) }
    }

    /// Until this is dropped, what is not restored waits.
    pub(super) fn announce(&self) -> Announced {
        self.turns.announce()
    }

    /// The component of these bytes, for a set of this namespace.
    pub(super) async fn component(
        &self,
        bytes: Bytes,
        purpose: Purpose,
        namespace: &str,
    ) -> Result<Arc<Component>, Uncompiled> {
        let digest = Digest::of(&bytes);
        if let Some(known) = self.known(digest, purpose) {
            return Ok(known);
        }
        let turn = self.turns.turn(purpose, namespace).await;
        if let Some(known) = self.known(digest, purpose) {
            return Ok(known);
        }
        self.room(bytes.len(), purpose).map_err(Uncompiled::Full)?;
        if let Some(isolated) = &self.isolated {
            let loaded = isolated.load(&bytes).await.map_err(Uncompiled::NoVerdict)?;
            loaded.map_err(Uncompiled::Refused)?;
        }
        let host = self.host.clone();
        let compile = move || {
            // It goes on when nobody waits for it any more: the turn ends with it and not before.
            (Component::load(&host, &bytes), turn)
        };
        let (component, turn) = spawn_blocking(compile).await.map_err(Uncompiled::Own)?;
        let component = Arc::new(component.map_err(Uncompiled::Refused)?);
        self.locked(purpose).insert(digest, Arc::downgrade(&component));
        // Not before: who is next may want the same bytes, and finds them.
        drop(turn);
        Ok(component)
    }

    /// Checks settings by the schema of a component in a process of its own, when nothing of the kind is done.
    pub(super) async fn check(
        &self,
        component: &Component,
        settings: &Settings,
        purpose: Purpose,
        namespace: &str,
    ) -> Result<Result<(), Unfit>, NoVerdict> {
        let (Some(isolated), Some(description)) = (&self.isolated, component.description()) else {
            return Ok(Ok(()));
        };
        let _turn = self.turns.turn(purpose, namespace).await;
        isolated.check(&description.settings_schema, settings).await
    }

    /// Does something with a new component that may take long, when nothing of the kind is done.
    pub(super) async fn in_turn<T: Send + 'static>(
        &self,
        purpose: Purpose,
        namespace: &str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        let turn = self.turns.turn(purpose, namespace).await;
        let work = move || {
            let _turn = turn;
            work()
        };
        spawn_blocking(work).await
    }

    fn known(&self, digest: Digest, purpose: Purpose) -> Option<Arc<Component>> {
        self.locked(purpose).get(&digest).and_then(Weak::upgrade)
    }

    fn room(&self, wanted: usize, purpose: Purpose) -> Result<(), Full> {
        let most = match purpose {
            Purpose::Restored | Purpose::RestoredAgain => ROOM,
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
            Purpose::Restored | Purpose::RestoredAgain | Purpose::New => &self.deciding,
            Purpose::Candidate => &self.candidates,
        };
        all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
