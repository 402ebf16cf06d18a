//! What an operator may suffer between any two of its effects: it dies, it freezes, a request of it fails, or the
//! answer is lost.

use super::commands::{Ask, Flight};
use super::enact::Effect;
use super::life::Letter;
use super::member::Mark;
use super::moves::Move;
use super::{Rules, State};
use planner::Step;
use planner::names::{AttemptId, PodUid};
use planner::observation::{AttemptState, Command};

impl State {
    /// All that may befall it now. A request to run something is sent at once, and that its answer is lost comes later.
    pub(super) fn troubles(&self) -> Vec<Move> {
        let mut all = Vec::new();
        if self.left.troubles == 0 {
            return all;
        }
        if !self.life.is_blank() {
            all.push(Move::Crash);
        }
        all.extend((!self.life.queue.is_empty()).then_some(Move::Freeze));
        match self.life.queue.first() {
            Some(Effect::Record { .. } | Effect::Memory { .. }) => all.extend([Move::Refuse, Move::Deceive]),
            Some(Effect::Step(step)) if !matches!(**step, Step::Run(_) | Step::Revoke { .. }) => {
                all.push(Move::Refuse);
            }
            _ => {}
        }
        all
    }

    /// What was promised stays, and so do requests on their way; what came back of them is lost.
    pub(super) fn replace_operator(&mut self, freezes: bool) {
        self.left.troubles -= 1;
        let former = std::mem::take(&mut self.life);
        if freezes {
            self.frozen = former.queue;
        }
        self.flights.retain(Flight::leaves_a_mark);
        self.flights.iter_mut().for_each(|flight| flight.heard = false);
    }

    /// A promise that fails ends the round; a step that fails does not keep the others.
    pub(super) fn refuse(&mut self, rules: &Rules) {
        self.left.troubles -= 1;
        let effect = self.life.queue.remove(0);
        self.go_on(!rules.heeds || matches!(effect, Effect::Step(_)));
    }

    /// A promise that stands ends the round, as whoever made it does not know that.
    pub(super) fn deceive(&mut self) {
        self.left.troubles -= 1;
        let effect = self.life.queue.remove(0);
        self.carry_out(&effect, true);
        self.go_on(false);
    }

    /// The stream breaks at once; the command is on its way, or goes on.
    pub(super) fn lose_reply(&mut self, at: usize) {
        self.left.troubles -= 1;
        let flight = &mut self.flights[at];
        flight.heard = false;
        let (attempt, stays) = (flight.attempt.clone(), flight.leaves_a_mark());
        let letter = match flight.ask {
            Ask::Fate => Letter::NoFate,
            Ask::Run(_) => Letter::State(AttemptState::Lost("the stream broke".to_owned())),
        };
        self.life.hear(attempt, letter);
        if !stays {
            self.flights.remove(at);
        }
    }

    /// What a frozen operator has in mind, but can do nothing with any more, is forgotten: a write on a version that
    /// is over is denied and ends its round, and a pod that is gone does not come back.
    pub(super) fn forget_frozen(&mut self, guarded: bool) {
        let mut may = Vec::new();
        for effect in std::mem::take(&mut self.frozen) {
            let pod = match &effect {
                Effect::Record { at, claim, version, .. } => {
                    let member = &self.members[*at];
                    if member.claim != *claim || member.version != *version {
                        break;
                    }
                    None
                }
                Effect::Memory { version, .. } if self.version != *version => break,
                // Nobody hears what it says.
                Effect::Step(step) if asks(step) => continue,
                Effect::Step(step) => of_pod(step),
                Effect::Memory { .. } | Effect::Forget(_) => None,
            };
            let is_over = |(pod, attempt): (&PodUid, Option<&AttemptId>)| {
                self.at_pod(pod).is_none_or(|at| guarded && self.mark_of(at, attempt).is_some())
            };
            if !pod.is_some_and(is_over) {
                may.push(effect);
            }
        }
        self.frozen = may;
    }

    /// Nobody hears what became of a command, and it is not on its way: whoever asks next is told the same.
    pub(super) fn forget_questions(&mut self) {
        let acts = |flight: &Flight| flight.acts().then(|| flight.attempt.clone());
        let runs = |effect: &Effect| match effect {
            Effect::Step(step) => of_pod(step).and_then(|(_, attempt)| attempt.cloned()),
            _ => None,
        };
        let effects = self.life.queue.iter().chain(&self.frozen).filter_map(runs);
        let late: Vec<AttemptId> = self.flights.iter().filter_map(acts).chain(effects).collect();
        self.flights.retain(|flight| flight.heard || flight.acts() || late.contains(&flight.attempt));
    }

    fn mark_of(&self, member: usize, attempt: Option<&AttemptId>) -> Option<Mark> {
        self.members[member].pod.as_ref()?.folder.get(attempt?).copied()
    }
}

fn asks(step: &Step) -> bool {
    matches!(step, Step::Run(run) if run.command.is_sequence() || run.command == Command::Probe)
}

/// The pod that a step is for, and the command that begins there at most once.
fn of_pod(step: &Step) -> Option<(&PodUid, Option<&AttemptId>)> {
    match step {
        Step::Run(run) => Some((&run.if_pod, run.command.is_start().then_some(&run.attempt))),
        Step::Revoke { if_pod, attempt, .. } => Some((if_pod, Some(attempt))),
        Step::Recycle { if_pod, .. } | Step::Label { if_pod, .. } => Some((if_pod, None)),
        Step::Resize { .. } | Step::Recreate => None,
    }
}
