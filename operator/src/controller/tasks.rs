//! One task for each resource of a kind while this process leads.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{Notify, watch};
use tokio::task::{JoinError, JoinSet};

use super::rounds::{self, Rounds};
use super::{Caches, SetKey};

/// How long the tasks may take to finish the effect that they are in the middle of.
const FINISH: Duration = Duration::from_secs(5);

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
    running: JoinSet<SetKey>,
}

/// Ends when this process leads; `false`: nobody says any more who does. What changes until then is another's to look at,
/// and all of them are looked at by whoever leads next.
pub(crate) async fn until_it_leads(
    leads: &mut watch::Receiver<bool>,
    changes: &mut UnboundedReceiver<SetKey>,
) -> bool {
    loop {
        tokio::select! {
            led = leads.wait_for(|leads| *leads) => return led.is_ok(),
            Some(_) = changes.recv() => {}
        }
    }
}

/// Looks after all of them until this process does not lead any more.
pub(crate) async fn tend<T: Tended>(
    tended: &T,
    mut leads: watch::Receiver<bool>,
    changes: &mut UnboundedReceiver<SetKey>,
) {
    let mut tasks = Tasks { tended: tended.clone(), nudges: BTreeMap::new(), running: JoinSet::new() };
    tasks.nudge_all();
    loop {
        tokio::select! {
            lost = leads.wait_for(|leads| !*leads) => {
                drop(lost);
                break;
            }
            Some(key) = changes.recv() => tasks.nudge(key),
            Some(ended) = tasks.running.join_next() => tasks.ended(ended),
        }
    }
    tasks.stop().await;
}

// === impl Tasks ===

impl<T: Tended> Tasks<T> {
    fn nudge_all(&mut self) {
        self.tended.caches().keys().into_iter().for_each(|key| self.nudge(key));
    }

    /// Wakes the task, or begins it if there is such a resource.
    fn nudge(&mut self, key: SetKey) {
        if let Some(nudge) = self.nudges.get(&key) {
            nudge.notify_one();
        } else if self.tended.caches().has(&key) {
            let nudge = Arc::new(Notify::new());
            let mut rounds = self.tended.rounds(&key, &nudge);
            self.nudges.insert(key.clone(), Arc::clone(&nudge));
            self.running.spawn(async move {
                rounds::make(&mut rounds, nudge).await;
                key
            });
        }
    }

    /// A task ends when its resource is gone. Another one of the same name may be there by then.
    fn ended(&mut self, ended: Result<SetKey, JoinError>) {
        match ended {
            Ok(key) => {
                self.nudges.remove(&key);
                if self.tended.caches().has(&key) {
                    self.nudge(key);
                } else {
                    self.tended.gone(&key);
                }
            }
            // Which one it was is not known, so each without a task is begun anew.
            Err(error) => {
                tracing::error!(%error, "a task ended in a panic");
                self.nudges.retain(|_, nudge| Arc::strong_count(nudge) > 1);
                self.nudge_all();
            }
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
mod tests {
    use super::*;
    use tokio::sync::mpsc::unbounded_channel;

    #[tokio::test]
    async fn what_changes_while_another_process_leads_is_not_kept() {
        let (says, mut leads) = watch::channel(false);
        let (changed, mut changes) = unbounded_channel();
        for number in 0..100 {
            changed.send(SetKey::new("shop", &number.to_string())).unwrap();
        }
        let waits = futures::poll!(std::pin::pin!(until_it_leads(&mut leads, &mut changes)));
        assert!(waits.is_pending() && changes.is_empty());
        says.send_replace(true);
        assert!(until_it_leads(&mut leads, &mut changes).await);
        says.send_replace(false);
        drop(says);
        assert!(!until_it_leads(&mut leads, &mut changes).await);
    }
}
