//! Everything that may happen next.

use super::lie::Lie;
use super::look::Patience;
use super::member::{Phase, Process};
use super::mishap::Mishap;
use super::{Rules, State, law};

/// One thing that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// The operator looks.
    Look(Patience),
    /// So it does, and the policy answers this.
    LookBy(Patience, Lie),
    /// It does the next of what its look asked for.
    Effect,
    /// It dies, and another one comes.
    Crash,
    /// It freezes, another one comes, and it may wake.
    Freeze,
    /// The frozen one does the next of what it had in mind.
    Wake,
    /// The next request of the operator fails.
    Refuse,
    /// It does what it should, and the operator is told that it failed.
    Deceive,
    /// What this command comes to is not heard.
    LoseReply(usize),
    /// A pod, or its next container, comes up.
    BringUp(usize),
    /// A pod that is deleted is gone.
    EndPod(usize),
    /// A process that outlived its pod ends.
    EndOrphan(usize),
    /// A process is what it was started as.
    Ready(usize),
    /// A request reaches its pod.
    Arrive(usize),
    /// A command that began ends.
    End(usize),
    /// A client writes.
    Write,
    /// A secondary takes over what its primary has.
    Replicate(usize),
    /// Something goes wrong.
    Fault(Mishap),
}

/// How much may still go wrong, and how much clients still write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Troubles of the operator: it dies, it freezes, a request of it fails, or an answer does not reach it.
    pub troubles: u8,
    /// Other faults.
    pub faults: u8,
    /// Writes.
    pub writes: u8,
}

impl Budget {
    /// Nothing goes wrong, and nobody writes.
    pub const NOTHING: Self = Self { troubles: 0, faults: 0, writes: 0 };

    /// One thing befalls the operator, and nothing else.
    pub const A_TROUBLE: Self = Self { troubles: 1, ..Self::NOTHING };
}

impl State {
    /// All that may happen next, each with what is so then.
    pub(crate) fn successors(&self, rules: &Rules) -> Vec<(Move, Self)> {
        let mut all = Vec::new();
        let mut add = |what: Move, next: Self| all.push((what, next));
        let busy = !self.life.queue.is_empty();
        if busy {
            add(Move::Effect, self.after(rules, Move::Effect));
        } else {
            self.looks(rules).into_iter().for_each(|(what, next)| add(what, next));
            if rules.lies {
                self.misled_looks(rules).into_iter().for_each(|(what, next)| add(what, next));
            }
        }
        self.troubles().into_iter().for_each(|what| add(what, self.after(rules, what)));
        if !busy || !self.life.stale {
            let mut others = self.others();
            others.retain(|what| !busy || !self.may_wait(*what));
            others.into_iter().for_each(|what| add(what, self.after(rules, what)));
        }
        all
    }

    /// What happens whether the operator does something or not.
    pub(super) fn others(&self) -> Vec<Move> {
        self.by_itself().into_iter().chain(self.unforeseen()).collect()
    }

    /// A look finds something to do, or time goes by until one does.
    fn looks(&self, rules: &Rules) -> Vec<(Move, Self)> {
        let look = |patience| self.looked(rules, patience);
        let (at_once, acts) = look(Patience::None);
        if acts || at_once.breach.is_some() {
            return vec![(Move::Look(Patience::None), at_once)];
        }
        let mut patient = vec![Patience::Short];
        // Whatever is to happen by itself has happened before a long while is over.
        if self.by_itself().is_empty() {
            patient.push(Patience::Long);
        }
        let looked = patient.into_iter().map(|patience| (patience, look(patience)));
        let acts = looked.filter(|(_, (next, acts))| *acts || next.breach.is_some());
        acts.map(|(patience, (next, _))| (Move::Look(patience), next)).collect()
    }

    /// At once, and after any while that may be over by now.
    fn misled_looks(&self, rules: &Rules) -> Vec<(Move, Self)> {
        let while_of = [Patience::None, Patience::Short, Patience::Long];
        let may_be = |patience: &Patience| *patience != Patience::Long || self.by_itself().is_empty();
        let told = |patience| self.lies(rules, patience).into_iter().map(move |lie| (patience, lie));
        let misled = while_of.into_iter().filter(may_be).flat_map(told).map(|(patience, lie)| {
            let what = Move::LookBy(patience, lie);
            (what, self.after(rules, what))
        });
        misled.collect()
    }

    pub(crate) fn looked(&self, rules: &Rules, patience: Patience) -> (Self, bool) {
        let mut next = self.clone();
        let acts = next.look(rules, patience, None);
        next.tidy(rules);
        (next, acts)
    }

    /// What happens without an operator, and without anything that goes wrong.
    pub(crate) fn by_itself(&self) -> Vec<Move> {
        let members = || 0..self.members.len();
        let of = |at: usize| &self.members[at];
        let mut all: Vec<Move> = Vec::new();
        let terminating = |at: &usize| of(*at).pod.as_ref().is_some_and(|pod| pod.terminating);
        all.extend(members().filter(terminating).map(Move::EndPod));
        all.extend(members().filter(|at| of(*at).orphan.is_some()).map(Move::EndOrphan));
        all.extend(members().filter(|at| self.may_bring_up(*at)).map(Move::BringUp));
        let comes_up = |process: &Process| process.phase != Phase::Running;
        all.extend(members().filter(|at| of(*at).process.as_ref().is_some_and(comes_up)).map(Move::Ready));
        let flights = || 0..self.flights.len();
        all.extend(flights().filter(|at| self.may_end(*at)).map(Move::End));
        all.extend(flights().filter(|at| self.flights[*at].begun.is_none()).map(Move::Arrive));
        all.extend(members().filter(|at| self.is_behind(*at)).map(Move::Replicate));
        all
    }

    /// What need not happen.
    fn unforeseen(&self) -> Vec<Move> {
        let mut all = Vec::new();
        if !self.frozen.is_empty() {
            all.push(Move::Wake);
        }
        if self.left.writes > 0 && self.members.iter().any(|m| m.processes().any(Process::serves)) {
            all.push(Move::Write);
        }
        if self.left.troubles > 0 {
            let heard = |at: &usize| self.flights[*at].heard;
            all.extend((0..self.flights.len()).filter(heard).map(Move::LoseReply));
        }
        if self.left.faults > 0 {
            all.extend(self.mishaps().into_iter().map(Move::Fault));
        }
        all
    }

    /// What is so after this.
    pub(crate) fn after(&self, rules: &Rules, what: Move) -> Self {
        let mut next = self.clone();
        let is_its_own = matches!(what, Move::Effect | Move::Refuse | Move::Deceive);
        next.life.stale |= !next.life.queue.is_empty() && !is_its_own;
        next.happen(rules, what);
        law::in_every_state(&mut next);
        next.tidy(rules);
        next
    }

    fn happen(&mut self, rules: &Rules, what: Move) {
        match what {
            Move::Look(patience) => _ = self.look(rules, patience, None),
            Move::LookBy(patience, lie) => _ = self.look_by(rules, patience, lie),
            Move::Effect => self.enact(rules),
            Move::Refuse => self.refuse(rules),
            Move::Deceive => self.deceive(),
            Move::LoseReply(at) => self.lose_reply(at),
            Move::Crash | Move::Freeze => self.replace_operator(what == Move::Freeze),
            Move::Wake => self.wake(),
            Move::BringUp(at) => self.bring_up(at),
            Move::EndPod(at) => self.end_pod(at),
            Move::EndOrphan(at) => self.members[at].orphan = None,
            Move::Ready(at) => self.get_ready(at),
            Move::Arrive(at) => self.arrive(rules, at),
            Move::End(at) => self.end_command(at, None),
            Move::Write => self.write(),
            Move::Replicate(at) => self.replicate(at),
            Move::Fault(mishap) => self.suffer(rules, mishap),
        }
    }
}
