//! Commands on their way: they arrive late, or never; what they begin is done once, and their end may
//! come to nobody's ears.

use super::life::Letter;
use super::member::{Mark, Phase};
use super::names::Kept;
use super::{Rules, State};
use crate::options::Flock;
use planner::names::{AttemptId, ContainerId, PodUid};
use planner::observation::{AttemptState, Command, Fate, Output, Refusal};
use planner::plan::Run;

/// A request to run something in a pod.
#[derive(Clone, Debug)]
pub(crate) struct Flight {
    pub(crate) attempt: AttemptId,
    pub(crate) member: usize,
    pub(crate) pod: PodUid,
    pub(crate) ask: Ask,
    /// Whoever sent it lives, and hears of its end.
    pub(crate) heard: bool,
    /// Where its command runs.
    pub(crate) begun: Option<ContainerId>,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub(crate) enum Ask {
    Run(Kept<Run>),
    Fate,
}

impl Flight {
    /// Whether it matters when nobody hears of it.
    pub(crate) fn leaves_a_mark(&self) -> bool {
        self.acts() || matches!(self.ask, Ask::Fate)
    }

    /// Those that may differ in more than their names.
    pub(crate) fn place(&self) -> (usize, Option<Command>, bool, bool) {
        let command = match &self.ask {
            Ask::Run(run) => Some(run.command),
            Ask::Fate => None,
        };
        (self.member, command, self.heard, self.begun.is_some())
    }

    /// Whether it does more than ask.
    pub(crate) fn acts(&self) -> bool {
        matches!(&self.ask, Ask::Run(run) if !(run.command.is_sequence() || run.command == Command::Probe))
    }
}

fn ended(code: i32, stdout: String) -> AttemptState {
    AttemptState::Ended(Output { code, stdout, stderr: String::new(), truncated: false })
}

impl State {
    /// A request reaches its pod.
    pub(crate) fn arrive(&mut self, rules: &Rules, at: usize) {
        let flight = self.flights[at].clone();
        let pod = self.members[flight.member].pod.as_ref();
        let Some((uid, container)) = pod.and_then(|pod| Some((pod.uid.clone(), pod.container.clone()?)))
        else {
            return self.answer(at, AttemptState::Lost("no running container".to_owned()));
        };
        if uid != flight.pod {
            return self.answer(at, AttemptState::Refused(Refusal::OtherPod));
        }
        match &flight.ask {
            Ask::Fate => self.tell_fate(at),
            Ask::Run(run) => self.begin(rules, at, run, container),
        }
    }

    fn tell_fate(&mut self, at: usize) {
        let flight = self.flights.remove(at);
        let Some(pod) = self.members[flight.member].pod.as_mut() else { return };
        let mark = *pod.folder.entry(flight.attempt.clone()).or_insert(Mark::Revoked);
        let fate = match mark {
            Mark::Revoked => Fate::Revoked,
            Mark::Began | Mark::Refused => Fate::Began,
            Mark::Ended(code) => Fate::Ended(code),
            Mark::Over => Fate::Over,
        };
        if flight.heard {
            self.life.hear(flight.attempt, Letter::Fate(fate));
        }
    }

    fn begin(&mut self, rules: &Rules, at: usize, run: &Run, container: ContainerId) {
        let member = self.flights[at].member;
        let busy = run.lock && self.is_locked(rules, member);
        match run.command {
            Command::Read | Command::Probe if busy => {
                self.answer(at, AttemptState::Refused(Refusal::LockBusy));
            }
            Command::Probe => self.answer(at, ended(0, String::new())),
            Command::Read | Command::Rehearse => {
                let (code, stdout) = self.sequence(member, rules.options.positions);
                self.answer(at, ended(code, stdout));
            }
            Command::Stop => {
                self.members[member].process = None;
                self.answer(at, ended(0, String::new()));
            }
            _ if !self.is_first(rules, at) => {}
            _ if busy => {
                self.mark(member, &run.attempt, Mark::Refused);
                self.answer(at, AttemptState::Refused(Refusal::LockBusy));
            }
            _ => {
                self.mark(member, &run.attempt, Mark::Began);
                self.flights[at].begun = Some(container);
                self.start(rules, member, run);
            }
        }
    }

    /// Whether the guard lets it begin; it answers otherwise.
    fn is_first(&mut self, rules: &Rules, at: usize) -> bool {
        let Flight { attempt, member, heard, .. } = self.flights[at].clone();
        let pod = self.members[member].pod.as_ref();
        let mark = pod.and_then(|pod| pod.folder.get(&attempt).copied()).filter(|_| rules.guarded);
        if mark == Some(Mark::Revoked) && heard {
            self.life.hear(attempt, Letter::Fate(Fate::Revoked));
        }
        if mark.is_some() {
            self.answer(at, AttemptState::Refused(Refusal::BeganBefore));
        }
        mark.is_none()
    }

    pub(super) fn is_locked(&self, rules: &Rules, member: usize) -> bool {
        rules.options.flock == Flock::Inherited && self.members[member].processes().next().is_some()
    }

    pub(crate) fn mark(&mut self, member: usize, attempt: &AttemptId, mark: Mark) {
        if let Some(pod) = self.members[member].pod.as_mut() {
            pod.folder.insert(attempt.clone(), mark);
        }
        self.life.fates.remove(attempt);
    }

    /// The end of a request, for whoever hears it.
    pub(crate) fn answer(&mut self, at: usize, state: AttemptState) {
        let flight = self.flights.remove(at);
        if flight.heard {
            let letter = match flight.ask {
                Ask::Fate => Letter::NoFate,
                Ask::Run(_) => Letter::State(state),
            };
            self.life.hear(flight.attempt, letter);
        }
    }

    /// Whether a command that began may end now: what it brings up is up, or is gone.
    pub(crate) fn may_end(&self, at: usize) -> bool {
        let flight = &self.flights[at];
        let process = self.members[flight.member].process.as_ref();
        flight.begun.is_some() && process.is_none_or(|process| process.phase == Phase::Running)
    }

    pub(crate) fn end_command(&mut self, at: usize, code: Option<i32>) {
        let Flight { member, attempt, .. } = self.flights[at].clone();
        let lives = self.members[member].process.is_some();
        let code = code.unwrap_or(i32::from(!lives));
        self.mark(member, &attempt, Mark::Ended(code));
        self.answer(at, ended(code, String::new()));
    }
}
