//! One task for each resource of a kind while this process leads.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{Notify, watch};
use tokio::task::{Id, JoinError, JoinSet};

use super::rounds::{self, Rounds};
use super::{Caches, SetKey};
use crate::lease::Leads;

/// How long the tasks may take to finish the effect that they are in the middle of.
const FINISH: Duration = Duration::from_secs(5);

/// How long one whose task ended in a panic is left alone: it may end so again at once.
const PAUSE: Duration = Duration::from_secs(1);

/// What looks after all resources of a kind.
pub(crate) trait Tended: Clone + Send + Sync + 'static {
    /// What looks after one.
    type Rounds: Rounds + 'static;

    /// The resources.
    fn caches(&self) -> &impl Caches;

    /// Begins to look after one; `nudge` wakes it.
    fn rounds(&self, key: &SetKey, nudge: &Arc<Notify>) -> Self::Rounds;

    /// It is gone, and no other of its name is there.
    fn gone(&self, _: &SetKey) {}
}

/// The tasks while this process leads.
struct Tasks<T> {
    tended: T,
    nudges: BTreeMap<SetKey, Arc<Notify>>,
    running: JoinSet<()>,
    /// Whose each of them is.
    keys: HashMap<Id, SetKey>,
}

/// Ends when this process leads; `false`: nobody says any more who does. What changes until then is another's to look at,
/// and all of them are looked at by whoever leads next.
pub(crate) async fn until_it_leads(
    leads: &mut watch::Receiver<Leads>,
    changes: &mut UnboundedReceiver<SetKey>,
) -> bool {
    loop {
        tokio::select! {
            led = leads.wait_for(|leads| leads.now()) => return led.is_ok(),
            Some(_) = changes.recv() => {}
        }
    }
}

/// Looks after all of them until this process does not lead any more.
pub(crate) async fn tend<T: Tended>(
    tended: &T,
    mut leads: watch::Receiver<Leads>,
    changes: &mut UnboundedReceiver<SetKey>,
) {
    let mut tasks = Tasks {
        tended: tended.clone(),
        nudges: BTreeMap::new(),
        running: JoinSet::new(),
        keys: HashMap::new(),
    };
    tended.caches().keys().into_iter().for_each(|key| tasks.nudge(key));
    loop {
        tokio::select! {
            lost = leads.wait_for(|leads| !leads.now()) => {
                drop(lost);
                break;
            }
            Some(key) = changes.recv() => tasks.nudge(key),
            Some(ended) = tasks.running.join_next_with_id() => tasks.ended(ended),
        }
    }
    tasks.stop().await;
}

// === impl Tasks ===

impl<T: Tended> Tasks<T> {
    /// Wakes the task, or begins it if there is such a resource.
    fn nudge(&mut self, key: SetKey) {
        match self.nudges.get(&key) {
            Some(nudge) => nudge.notify_one(),
            None => self.begin(key, Duration::ZERO),
        }
    }

    fn begin(&mut self, key: SetKey, after: Duration) {
        if !self.tended.caches().has(&key) {
            return;
        }
        let nudge = Arc::new(Notify::new());
        let mut rounds = self.tended.rounds(&key, &nudge);
        self.nudges.insert(key.clone(), Arc::clone(&nudge));
        let task = self.running.spawn(async move {
            if !after.is_zero() {
                tokio::time::sleep(after).await;
            }
            rounds::make(&mut rounds, nudge).await;
        });
        self.keys.insert(task.id(), key);
    }

    /// A task ends when its resource is gone, another one of whose name may be there by then; or in a panic, and is then
    /// begun anew.
    fn ended(&mut self, ended: Result<(Id, ()), JoinError>) {
        let (id, pause) = match &ended {
            Ok((id, ())) => (*id, Duration::ZERO),
            Err(error) => {
                tracing::error!(%error, "a task ended in a panic");
                (error.id(), PAUSE)
            }
        };
        let Some(key) = self.keys.remove(&id) else { return };
        self.nudges.remove(&key);
        if self.tended.caches().has(&key) {
            self.begin(key, pause);
        } else {
            self.tended.gone(&key);
        }
    }

    /// Lets each task finish the effect that it is in the middle of; it begins no other.
    async fn stop(mut self) {
        self.nudges.values().for_each(|nudge| nudge.notify_one());
        let all = async { while self.running.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(FINISH, all).await;
    }
}

#[cfg(test)]
mod tests;
