//! From what a resource names to a policy that decides: its bytes are brought, compiled, tried and kept.

mod again;
mod bring;
mod demands;
mod error;
mod share;
mod trial;
mod turns;
mod unkept;

use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::sync::Semaphore;

pub(super) use again::Again;
pub(super) use bring::{Brought, Found};
pub use error::LoadError;
pub use share::Full;
pub(super) use unkept::Crowded;

use super::fetch::Registries;
use super::keep::{Held, Keep, KeepError};
use super::signature::Key;
use super::{Host, Isolated, limits};
use share::{Purpose, Share};
use turns::{Turn, Turns};
use unkept::Unkept;

/// Sets whose policy is read back from the cluster at one moment: at its start an operator has to do so for all of them,
/// and each holds some 3 MiB meanwhile.
const RESTORED: usize = 4;

/// Of these, sets of one namespace: while one of them is compiled, the next is read.
const RESTORED_OF_ONE: usize = 2;

/// How long one policy, or the Secrets that go with it, may take to come from the API server. The client bounds the head
/// of an answer and not its body; at that, a connection that is half open would hold the others up for good. As long as
/// a registry may take.
const READ: Duration = Duration::from_secs(30);

/// Sets whose policy is fetched or tried at one moment. More than that wait; a slow registry takes half a minute at most.
const FETCHED: usize = 16;

/// Of these, sets of one namespace: the others' find room while the registries of one are slow.
const FETCHED_OF_ONE: usize = 4;

/// Sets whose candidate is fetched or tried at one moment, beside those.
const CANDIDATES: usize = 2;

/// Where policies come from, and those that are in use. Clones share them.
#[derive(Clone)]
pub struct Policies {
    registries: Registries,
    keep: Keep,
    reads: Client,
    /// The administrator's. Empty: nothing is demanded.
    keys: Arc<[Key]>,
    share: Arc<Share>,
    restoring: Turns,
    fetching: Turns,
    unkept: Unkept,
    /// How long is waited for what the API server has.
    patience: Duration,
    /// After how long of a trial others have their turns.
    slice: Duration,
    /// Whether what is brought is a candidate or decides.
    purpose: Purpose,
    candidates: Candidates,
}

/// What candidates have of their own, so that they take nothing from what decides.
#[derive(Clone)]
struct Candidates {
    fetching: Turns,
    /// One is asked at a time.
    turn: Arc<Semaphore>,
}

impl Policies {
    /// Run by this host, fetched from these registries, and kept there.
    #[must_use]
    pub fn new(host: Host, registries: Registries, keep: Keep, reads: Client) -> Self {
        let restoring = Turns::new(RESTORED, RESTORED_OF_ONE);
        let fetching = Turns::new(FETCHED, FETCHED_OF_ONE);
        let turn = Arc::new(Semaphore::new(1));
        let candidates = Candidates { fetching: Turns::new(CANDIDATES, 1), turn };
        let (keys, share, purpose) = (Arc::new([]), Arc::new(Share::new(host)), Purpose::New);
        let (patience, slice, unkept) = (READ, limits::TRIAL_SLICE, Unkept::default());
        Self {
            registries,
            keep,
            reads,
            keys,
            share,
            restoring,
            fetching,
            unkept,
            patience,
            slice,
            purpose,
            candidates,
        }
    }

    /// The same, for policies alone that one of these keys has signed. Without a key, any policy.
    #[must_use]
    pub fn demanding(self, keys: Vec<Key>) -> Self {
        Self { keys: keys.into(), ..self }
    }

    /// The same for what is only listened to: it takes no room and no turn of what decides, and is not kept.
    #[must_use]
    pub(super) fn for_candidates(&self) -> Self {
        let fetching = self.candidates.fetching.clone();
        Self { purpose: Purpose::Candidate, fetching, ..self.clone() }
    }

    /// The same, loading each policy in a process of its own first.
    #[must_use]
    pub fn isolated(self, isolated: Isolated) -> Self {
        let share = self.share.as_ref().isolated(isolated);
        Self { share: Arc::new(share), ..self }
    }

    /// Whether what is brought is only listened to.
    pub(super) fn is_for_candidates(&self) -> bool {
        self.purpose == Purpose::Candidate
    }

    /// Whoever holds it asks a candidate.
    pub(super) fn turn(&self) -> Arc<Semaphore> {
        Arc::clone(&self.candidates.turn)
    }

    /// Room to fetch and try one for this namespace.
    pub(super) async fn room(&self, namespace: &str) -> Option<Turn> {
        self.fetching.turn(self.purpose, namespace).await
    }

    /// What the API server has, in time.
    async fn in_time<T>(&self, read: impl Future<Output = Result<T, LoadError>>) -> Result<T, LoadError> {
        let late = |_| LoadError::Late(self.patience);
        tokio::time::timeout(self.patience, read).await.map_err(late)?
    }

    /// What is kept for a power cut.
    #[must_use]
    pub fn keep(&self) -> &Keep {
        &self.keep
    }

    /// Holds bytes for a set of this namespace until they are kept.
    pub(super) fn hold(&self, namespace: &str, brought: Brought) -> Result<Arc<Brought>, Crowded> {
        self.unkept.hold(namespace, brought)
    }

    /// Keeps bytes for a namespace that brought them.
    pub(super) async fn put(&self, namespace: &str, brought: &Brought) -> Result<Held, KeepError> {
        self.keep.put(&brought.bytes, namespace, &brought.whence).await
    }
}

#[cfg(test)]
mod tests;
