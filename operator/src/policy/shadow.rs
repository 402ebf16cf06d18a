//! The candidate of one set: a second policy that is put the questions that the first one decided, on live inputs. What
//! it answers is compared and counted, and nothing follows from it.
//!
//! It is loaded beside the looks of the set as the deciding one is, with room and turns of its own. It is asked by a
//! task beside the looks, one question at a time in the whole operator, and rests nine times as long as it took.

mod agreement;
mod asking;
mod queue;
mod tally;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use k8s_openapi::jiff::Timestamp;
use tokio::task::JoinSet;

use super::load::Policies;
use super::loading::{Decider, Judge, Loading, Obstacle};
use super::record::{Record, Set};
use crate::api::{CandidateStatus, PolicyStatus, Reason};
use crate::attempts::Wake;
use crate::target::{Invalid, Policy};
use queue::{Asked, Queue};
use tally::Tally;

/// The candidate of one set.
pub struct Shadow {
    policies: Policies,
    set: Set,
    wake: Wake,
    /// None: the resource names none.
    candidate: Option<Candidate>,
}

/// What people are told of a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// What was counted, of the one that is asked or was asked last. None: none ever was.
    pub status: Option<CandidateStatus>,
    /// Why the one that the resource names is not asked; if it is, why its tag could not be resolved anew.
    pub obstacle: Option<Obstacle>,
    /// Whether the one that the resource names is asked.
    pub is_asked: bool,
}

struct Candidate {
    loading: Loading,
    state: Arc<Mutex<State>>,
    /// The one task; with it goes what waits.
    task: JoinSet<()>,
}

/// What the looks and the task share.
struct State {
    /// Who is asked.
    asked: Option<Decider>,
    queue: Queue,
    tally: Tally,
    /// Goes up when what waits, or is under way, counts for nothing any more.
    round: u64,
    is_asking: bool,
}

impl Shadow {
    /// For the set of this namespace and name, which is woken when there is news.
    #[must_use]
    pub fn new(policies: &Policies, namespace: &str, name: &str, wake: Wake) -> Self {
        let set = Set { namespace: namespace.to_owned(), name: name.to_owned() };
        Self { policies: policies.for_candidates(), set, wake, candidate: None }
    }

    /// What is known in this look of the candidate that is wanted, beside the one that decides. `told` is the policy and
    /// the candidate as the status has them: after a restart of the operator they are all that is known.
    pub fn look(
        &mut self,
        wanted: Option<&Result<Policy, Invalid>>,
        generation: i64,
        told: (Option<&PolicyStatus>, Option<&CandidateStatus>),
        decides: &Judge,
    ) -> Option<Heard> {
        let Some(wanted) = wanted else {
            self.candidate = None;
            return None;
        };
        let candidate = self.candidate.get_or_insert_with(|| Candidate {
            loading: Loading::new(self.policies.clone(), &self.set.namespace, Arc::clone(&self.wake)),
            state: Arc::new(Mutex::new(State::new(told))),
            task: JoinSet::new(),
        });
        let judge = match wanted {
            Ok(policy) => {
                let before = told.1.map(CandidateStatus::policy);
                candidate.loading.look(policy, generation, before.as_ref())
            }
            Err(invalid) => Judge::nobody(Obstacle::from(invalid)),
        };
        let mut state = locked(&candidate.state);
        let is_asked = judge.is_named && judge.decides();
        state.asked = is_asked.then(|| judge.decider.clone());
        state.compare(judge.active.as_ref().filter(|_| is_asked), decides);
        Some(Heard { status: state.tally.tell(Instant::now()), obstacle: judge.obstacle, is_asked })
    }

    /// Puts what was decided in a look to the candidate, once everything that follows from it is done. It returns at once.
    pub fn put<'r>(&mut self, decided: impl Iterator<Item = &'r Record>) {
        let Some(candidate) = &mut self.candidate else { return };
        let begins = {
            let mut state = locked(&candidate.state);
            decided.for_each(|record| state.put(record));
            state.begins()
        };
        while candidate.task.try_join_next().is_some() {}
        if begins {
            let (state, turn) = (Arc::clone(&candidate.state), self.policies.turn());
            candidate.task.spawn(asking::ask(state, turn, self.set.clone(), Arc::clone(&self.wake)));
        }
    }
}

impl State {
    fn new((policy, candidate): (Option<&PolicyStatus>, Option<&CandidateStatus>)) -> Self {
        let tally = Tally::new(candidate.cloned(), policy.cloned());
        Self { asked: None, queue: Queue::knowing(&tally), tally, round: 0, is_asking: false }
    }

    /// What is counted from now on is of these.
    fn compare(&mut self, asked: Option<&PolicyStatus>, decides: &Judge) {
        let now = Timestamp::now();
        let decides = decides.active.as_ref().filter(|_| decides.decides());
        let is_by_another = decides.is_some_and(|policy| self.tally.decided_by(policy, now));
        let is_of_another = asked.is_some_and(|candidate| self.tally.asks(candidate, now));
        if is_by_another || is_of_another {
            self.queue = Queue::default();
            self.round += 1;
        }
    }

    fn put(&mut self, decided: &Record) {
        if !self.queue.put(decided) {
            self.tally.skip();
        }
    }

    /// Whether there is something to do and nobody does it; from now on somebody does.
    fn begins(&mut self) -> bool {
        let begins = self.asked.is_some() && !self.queue.is_empty() && !self.is_asking;
        self.is_asking |= begins;
        begins
    }

    /// What is to be asked next, of whom.
    fn next(&mut self) -> Option<(Decider, Asked, u64)> {
        let next = self.asked.clone().and_then(|who| Some((who, self.queue.next()?, self.round)));
        self.is_asking = next.is_some();
        next
    }
}

impl From<&Invalid> for Obstacle {
    /// Of a candidate that the resource does not name in a way that can be understood.
    fn from(invalid: &Invalid) -> Self {
        let of_settings = invalid.problems.iter().all(|problem| problem.path.ends_with(".settings"));
        let reason = if of_settings { Reason::SettingsRefused } else { Reason::PolicyRefused };
        Self::new(reason, invalid.to_string())
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
