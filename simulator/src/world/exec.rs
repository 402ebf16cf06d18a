//! Commands on their way: they may come late, or never, and so may their replies.

use super::kubelet::Mark;
use super::{Event, World};
use crate::operator::{Envelope, Letter};
use planner::names::{AttemptId, ContainerId, PodUid, ReplicaName};
use planner::observation::{AttemptState, Command, Fate, Output};
use planner::plan::Run;

/// A request to run something in a container, addressed to a pod's name.
#[derive(Clone, Debug)]
pub(crate) struct Flight {
    /// Which operator waits for it, in which life.
    pub(crate) sender: (usize, u64),
    pub(crate) replica: ReplicaName,
    pub(crate) if_pod: PodUid,
    pub(crate) attempt: AttemptId,
    pub(crate) ask: Ask,
    /// When the look was that decided it.
    pub(crate) looked: u64,
    /// Its reply does not come through.
    pub(crate) mute: bool,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub(crate) enum Ask {
    Run(Run),
    Fate,
}

/// A guarded command that runs.
#[derive(Clone, Debug)]
pub(crate) struct Execution {
    pub(crate) flight: u64,
    pub(crate) pod: PodUid,
    pub(crate) container: ContainerId,
    pub(crate) machine: usize,
    pub(crate) volume: usize,
    pub(crate) attempt: AttemptId,
    pub(crate) command: Command,
    pub(crate) looked: u64,
    pub(crate) locks: bool,
    pub(crate) code: i32,
}

impl World {
    /// Sends a request; the operator waits for so long, in milliseconds.
    fn send(&mut self, mut flight: Flight, patience: u64) {
        let id = self.fresh();
        let mut takes = self.while_of(5, 300);
        if self.mishap(20) {
            // The stream breaks at once, or the operator gives up; the command is still on its way.
            takes = self.chance.between(2000, 60_000);
            let breaks = if self.chance.one_in(2) { 50 } else { patience };
            self.after(breaks, Event::Deadline(id));
        } else if self.mishap(25) {
            takes = u64::from(u32::MAX);
        }
        flight.mute = self.mishap(20);
        self.flights.insert(id, flight);
        self.after(patience, Event::Deadline(id));
        if takes < u64::from(u32::MAX) {
            self.after(takes, Event::Arrive(id));
        }
    }

    /// A request that has arrived.
    pub(crate) fn deliver(&mut self, flight: Flight) {
        let id = self.fresh();
        self.flights.insert(id, flight);
        self.arrive(id);
    }

    /// A guarded command, as a look at this time decided it.
    pub(crate) fn run(&mut self, sender: (usize, u64), run: &Run, looked: u64, patience: u64) {
        let flight = Flight {
            sender,
            replica: run.replica.clone(),
            if_pod: run.if_pod.clone(),
            attempt: run.attempt.clone(),
            ask: Ask::Run(run.clone()),
            looked,
            mute: false,
        };
        self.send(flight, patience);
    }

    /// A question for what became of an attempt.
    pub(crate) fn ask_fate(
        &mut self,
        sender: (usize, u64),
        replica: &ReplicaName,
        if_pod: &PodUid,
        attempt: &AttemptId,
        patience: u64,
    ) {
        let (replica, if_pod, attempt) = (replica.clone(), if_pod.clone(), attempt.clone());
        let looked = self.now;
        self.send(Flight { sender, replica, if_pod, attempt, ask: Ask::Fate, looked, mute: false }, patience);
    }

    pub(super) fn enter(&mut self, execution: Execution, ends: Option<u64>) {
        let id = self.fresh();
        if let Some(millis) = ends {
            self.after(millis, Event::Finish(id));
        }
        self.executions.insert(id, execution);
    }

    pub(super) fn finish(&mut self, id: u64) {
        let Some(execution) = self.executions.remove(&id) else { return };
        let (mut code, mut stdout) = (execution.code, String::new());
        if execution.command.is_sequence() {
            (code, stdout) = self.sequence(execution.volume);
            self.volumes[execution.volume].read |= execution.command == Command::Read;
        }
        if execution.command.is_start() {
            self.set_mark(&execution, Mark::Ended(code));
        }
        let (command, container) = (execution.command, &execution.container);
        self.say(|| format!("{command:?} in {container} ends with {code} {stdout}"));
        let output = Output { code, stdout, stderr: String::new(), truncated: false };
        self.reply(execution.flight, AttemptState::Ended(output));
    }

    /// Commands end with their container.
    pub(super) fn end_executions(&mut self, which: impl Fn(&Self, &Execution) -> bool) {
        let ended: Vec<u64> =
            self.executions.iter().filter(|(_, e)| which(self, e)).map(|(id, _)| *id).collect();
        for id in ended {
            if let Some(execution) = self.executions.remove(&id) {
                self.reply(execution.flight, AttemptState::Lost("the stream broke".to_owned()));
            }
        }
    }

    pub(super) fn is_locked_by_command(&self, by: &Execution) -> bool {
        let share = |other: &Execution| {
            self.options.readers_share && !other.command.is_start() && !by.command.is_start()
        };
        let same = |other: &Execution| other.volume == by.volume && other.machine == by.machine;
        self.executions.values().any(|other| other.locks && same(other) && !share(other))
    }

    pub(super) fn give_up(&mut self, id: u64) {
        let Some(flight) = self.flights.get_mut(&id) else { return };
        // A request that did not arrive yet still may; its reply has nobody to go to.
        let was_mute = std::mem::replace(&mut flight.mute, false);
        let given_up = std::mem::replace(&mut flight.sender.0, usize::MAX);
        let (life, attempt) = (flight.sender.1, flight.attempt.clone());
        let is_fate = matches!(flight.ask, Ask::Fate);
        if given_up != usize::MAX {
            let letter = if is_fate {
                Letter::NoFate
            } else {
                Letter::State(AttemptState::Lost("deadline".to_owned()))
            };
            self.post((given_up, life), attempt, letter);
        }
        if let Some(flight) = self.flights.get_mut(&id) {
            flight.mute = was_mute;
        }
    }

    pub(super) fn reply(&mut self, id: u64, state: AttemptState) {
        let Some(flight) = self.flights.remove(&id) else { return };
        let is_fate = matches!(flight.ask, Ask::Fate);
        let letter = match state {
            _ if is_fate => Letter::NoFate,
            _ if flight.mute => Letter::State(AttemptState::Lost("the reply was lost".to_owned())),
            state => Letter::State(state),
        };
        self.post(flight.sender, flight.attempt, letter);
    }

    pub(super) fn reply_fate(&mut self, id: u64, fate: Fate) {
        let Some(flight) = self.flights.remove(&id) else { return };
        let letter = if flight.mute { Letter::NoFate } else { Letter::Fate(fate) };
        self.post(flight.sender, flight.attempt, letter);
    }

    /// Beside a refusal: what its folder shows.
    pub(super) fn send_fate(&mut self, id: u64, fate: Fate) {
        if let Some(flight) = self.flights.get(&id).filter(|flight| !flight.mute).cloned() {
            self.post(flight.sender, flight.attempt, Letter::Fate(fate));
        }
    }

    pub(super) fn drop_flight(&mut self, id: u64) {
        if let Some(flight) = self.flights.remove(&id) {
            self.post(flight.sender, flight.attempt, Letter::NoFate);
        }
    }

    fn post(&mut self, to: (usize, u64), attempt: AttemptId, letter: Letter) {
        if to.0 != usize::MAX {
            self.inbox.push(Envelope { to, attempt, letter });
            self.changes += 1;
        }
    }
}
