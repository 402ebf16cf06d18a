//! Asks members how they are: one `status` at a time in each container. A round does not wait for
//! a slow one; its answer wakes the set when it comes.

use super::slot::Slot;
use super::{Patience, Wake, answer};
use crate::exec::{Call, ContainerRef, Exec, Outcome, Purpose};
use crate::guard::shell_probe_argv;
use planner::names::ContainerId;
use planner::observation::Status;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// Asks the members of one set.
pub struct StatusAsker(Arc<Shared>);

pub(super) struct Shared {
    exec: Arc<dyn Exec>,
    wake: Wake,
    patience: Patience,
    slots: Mutex<BTreeMap<ContainerRef, Slot>>,
    lasts: Mutex<BTreeMap<ContainerId, Last>>,
}

/// What a container last answered.
#[derive(Clone, Copy)]
struct Last {
    code: i32,
    asked: Instant,
    took: Duration,
}

/// What is known of a `status` at one moment.
enum Turn {
    Told(Status),
    Runs {
        ended: Arc<Notify>,
        hangs_at: Instant,
        /// A round has waited for it before.
        missed: bool,
        /// It was asked a second time, over a stream that did not break.
        last: bool,
    },
}

// === impl Turn ===

impl Turn {
    fn of(slot: &Slot) -> Self {
        let (ended, last) = (Arc::clone(&slot.ended), slot.was_asked_twice());
        Self::Runs { ended, hangs_at: slot.hangs_at, missed: slot.missed, last }
    }
}

// === impl StatusAsker ===

impl StatusAsker {
    pub(super) fn new(exec: Arc<dyn Exec>, wake: Wake, patience: Patience) -> Self {
        let (slots, lasts) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Shared { exec, wake, patience, slots, lasts }))
    }

    pub(super) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.0)
    }

    /// Asks one member. Returns within a round's patience (and that for a shell) whatever happens.
    pub async fn ask(
        &self,
        place: ContainerRef,
        container: ContainerId,
        argv: Vec<String>,
        timeout: Duration,
    ) -> Status {
        let call = Call { container: place, argv, deadline: timeout, purpose: Purpose::Status };
        let began = Instant::now();
        let until = began + self.0.patience_with(&container);
        loop {
            match self.0.turn(&container, &call) {
                Turn::Told(status) => return status,
                Turn::Runs { ended, hangs_at, missed, last } => {
                    let until = if missed { began } else { until.min(hangs_at) };
                    if timeout_at(until, ended.notified()).await.is_ok() {
                        continue;
                    }
                    let hangs = Instant::now() >= hangs_at;
                    if !self.0.miss(&call.container) {
                        continue;
                    }
                    return if hangs && last { self.0.hung(call.container).await } else { still_runs() };
                }
            }
        }
    }

    /// The exit code last told by this container, if it was asked for after that moment.
    pub(super) fn code_since(&self, container: &ContainerId, since: Instant) -> Option<i32> {
        self.0.lasts().get(container).filter(|last| last.asked > since).map(|last| last.code)
    }
}

impl Drop for StatusAsker {
    fn drop(&mut self) {
        self.0.slots().values().for_each(Slot::stop);
    }
}

pub(super) fn still_runs() -> Status {
    Status::Silent("status still runs".to_owned())
}

// === impl Shared ===

impl Shared {
    fn slots(&self) -> MutexGuard<'_, BTreeMap<ContainerRef, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lasts(&self) -> MutexGuard<'_, BTreeMap<ContainerId, Last>> {
        self.lasts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn patience_with(&self, container: &ContainerId) -> Duration {
        let usual = self.lasts().get(container).map_or(Duration::ZERO, |last| last.took);
        (usual * 2).min(self.patience.longest_answer).max(self.patience.answer)
    }

    /// Fetches the answer that is there, or says that one is awaited; asks if neither is so.
    fn turn(self: &Arc<Self>, container: &ContainerId, call: &Call) -> Turn {
        let mut slots = self.slots();
        if let Some(mut slot) = slots.remove(&call.container) {
            let asked = slot.asked;
            if slot.container != *container {
                // That container is over, whatever its stream says.
                slot.stop();
                self.lasts().remove(&slot.container);
            } else if slot.told.is_none() {
                if slot.is_to_be_asked_again() {
                    self.send(&mut slot, call);
                }
                let turn = Turn::of(&slot);
                slots.insert(call.container.clone(), slot);
                return turn;
            } else if let Some((status, ended)) = slot.news(self.patience.fresh) {
                self.note(container, &status, asked, ended - asked);
                return Turn::Told(status);
            }
        }
        let slot = self.begin(container, call);
        let turn = Turn::of(&slot);
        slots.insert(call.container.clone(), slot);
        turn
    }

    fn begin(self: &Arc<Self>, container: &ContainerId, call: &Call) -> Slot {
        let asked = Instant::now();
        let mut slot = Slot {
            container: container.clone(),
            asked,
            hangs_at: asked,
            void: false,
            missed: false,
            told: None,
            ended: Arc::new(Notify::new()),
            tasks: Vec::new(),
            open: 0,
            lost: 0,
        };
        self.send(&mut slot, call);
        slot
    }

    /// Its stream is kept past the timeout: as long as it lives, it is not doubled twice.
    fn send(self: &Arc<Self>, slot: &mut Slot, call: &Call) {
        slot.hangs_at = Instant::now() + call.deadline;
        let call = Call { deadline: call.deadline + self.patience.kept, ..call.clone() };
        let (container, ended) = (slot.container.clone(), Arc::clone(&slot.ended));
        let follows = Arc::clone(self).follow(container, call, slot.hangs_at, ended);
        slot.open += 1;
        slot.tasks.push(tokio::spawn(follows).abort_handle());
    }

    async fn follow(
        self: Arc<Self>,
        container: ContainerId,
        call: Call,
        hangs_at: Instant,
        ended: Arc<Notify>,
    ) {
        let place = call.container.clone();
        let status = match self.exec.run(call).await {
            Outcome::Ended(output) => Status::Answer(answer::read(&output, container)),
            Outcome::Lost(why) => Status::Silent(why.to_string()),
        };
        let missed = match self.slots().get_mut(&place).filter(|slot| Arc::ptr_eq(&slot.ended, &ended)) {
            Some(slot) => {
                slot.end(status, Instant::now() <= hangs_at);
                slot.missed && slot.told.is_some()
            }
            None => false,
        };
        ended.notify_one();
        if missed {
            (self.wake)();
        }
    }

    /// Leaves without an answer, to be woken by it. False if it has come meanwhile.
    fn miss(&self, place: &ContainerRef) -> bool {
        match self.slots().get_mut(place) {
            Some(slot) if slot.told.is_none() => {
                slot.missed = true;
                true
            }
            _ => false,
        }
    }

    async fn hung(&self, container: ContainerRef) -> Status {
        let (argv, deadline) = (shell_probe_argv(), self.patience.shell);
        let outcome = self.exec.run(Call { container, argv, deadline, purpose: Purpose::Shell }).await;
        let shell_answers = matches!(outcome, Outcome::Ended(said) if said.code == 0);
        Status::Hung { shell_answers }
    }

    fn note(&self, container: &ContainerId, status: &Status, asked: Instant, took: Duration) {
        if let Status::Answer(answer) = status {
            self.lasts().insert(container.clone(), Last { code: answer.code, asked, took });
        }
    }

    /// Drops what this container says of a moment that is over.
    pub(super) fn void(&self, container: &ContainerId) {
        self.slots()
            .values_mut()
            .filter(|slot| slot.container == *container)
            .for_each(|slot| slot.void = true);
    }
}
