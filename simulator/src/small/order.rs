//! Orders that need not be told apart. Between a look and the last of its effects at most one thing happens that is not
//! the operator's. Where it and the next effect lead to the same state whichever comes first, it is told afterwards
//! alone: with it, what may befall the operator at that moment, which leads to the same too, or undoes the effect.
//! Decision 18 has the argument; a test tries both orders in every state of some worlds.

use super::State;
use super::commands::Ask;
use super::enact::Effect;
use super::moves::Move;
use planner::Step;
use planner::names::{AttemptId, PodUid};
use planner::observation::Command;
use std::collections::BTreeSet;

impl State {
    /// Whether this, which is not the operator's doing, may as well come after the operator's next effect.
    pub(super) fn may_wait(&self, what: Move) -> bool {
        // Another operator writes what this one writes, and so do faults.
        if what == Move::Wake || matches!(what, Move::Fault(_)) {
            return false;
        }
        match self.life.queue.first() {
            // The law asks records at the moment in which a lineage begins.
            Some(Effect::Record { .. } | Effect::Memory { .. }) => {
                !self.may_begin() && !self.may_be_forgotten()
            }
            Some(Effect::Step(step)) => match &**step {
                // The law asks whether another one serves.
                Step::Run(run) => run.command != Command::Stop,
                Step::Revoke { .. } => true,
                // The law asks whether clients were led to a member since a copy into it began.
                Step::Label { active, if_pod, .. } => !(*active && self.is_joining(if_pod)),
                _ => false,
            },
            Some(Effect::Forget(_)) | None => false,
        }
    }

    fn is_joining(&self, pod: &PodUid) -> bool {
        self.at_pod(pod).is_some_and(|at| self.members[at].joining)
    }

    fn may_begin(&self) -> bool {
        self.flights.iter().any(|flight| match &flight.ask {
            Ask::Run(run) => {
                flight.begun.is_none() && matches!(run.command, Command::Seed | Command::Promote)
            }
            Ask::Fate => false,
        })
    }

    /// What is told of an attempt before the effect is forgotten with what was told of it before the look.
    fn may_be_forgotten(&self) -> bool {
        let forgets = |effect: &Effect| match effect {
            Effect::Forget(known) => Some(known.clone()),
            _ => None,
        };
        let known: BTreeSet<AttemptId> = self.life.queue.iter().filter_map(forgets).flatten().collect();
        self.flights.iter().any(|flight| flight.heard && known.contains(&flight.attempt))
    }
}

#[cfg(test)]
mod tests {
    use super::super::commands::Flight;
    use super::super::member::{Phase, Process};
    use super::super::names::Kept;
    use super::super::print::{Print, fingerprint};
    use super::super::{Budget, Rules, Setting, Start};
    use super::*;
    use crate::world::api::name;
    use planner::observation::Role;
    use planner::plan::{Cause, Run};
    use std::collections::{HashSet, VecDeque};

    /// What the operator may do next, and what may befall it then.
    fn own(state: &State) -> Vec<Move> {
        std::iter::once(Move::Effect).chain(state.troubles()).collect()
    }

    /// Where what is not told first leads, and is not led to by telling it afterwards.
    fn missed(state: &State, rules: &Rules) -> Option<String> {
        let mut led: HashSet<Print> = HashSet::new();
        for after in own(state).into_iter().map(|what| state.after(rules, what)) {
            led.extend(after.others().into_iter().map(|what| fingerprint(&after.after(rules, what))));
            led.insert(fingerprint(&after));
        }
        let waits = state.others().into_iter().filter(|what| state.may_wait(*what));
        let first = waits.map(|what| (what, state.after(rules, what)));
        let both = first
            .flat_map(|(what, first)| own(&first).into_iter().map(move |own| (what, own, first.clone())));
        let mut other = both.filter(|(_, own, first)| !led.contains(&fingerprint(&first.after(rules, *own))));
        other
            .next()
            .map(|(what, own, _)| format!("{what:?}, then {own:?}: {}", state.told(rules, Move::Effect)))
    }

    /// Every state near a beginning in which something may wait, and how many there are.
    fn asked(setting: Setting, left: Budget, (first, step): (usize, usize)) -> u64 {
        let rules = Rules::of(setting, 3);
        let well = State::well(&rules);
        let mut asked = 0;
        for start in Start::all(setting).iter().skip(first).step_by(step) {
            let mut wait = VecDeque::from([start.state(&rules, &well, left)]);
            let mut found: HashSet<Print> = HashSet::new();
            while let Some(state) = wait.pop_front().filter(|_| found.len() < 3000) {
                if !state.life.queue.is_empty() && !state.life.stale {
                    asked += 1;
                    assert_eq!(missed(&state, &rules), None, "{start}");
                }
                let next = state.successors(&rules).into_iter().map(|(_, next)| next);
                wait.extend(next.filter(|next| found.insert(fingerprint(next))));
            }
        }
        asked
    }

    #[test]
    fn what_may_wait_leads_to_the_same_states_when_it_comes_afterwards() {
        for setting in [Setting::Equal, Setting::Followed] {
            let asked = asked(setting, Budget::A_TROUBLE, (85, 130));
            assert!(asked > 1000, "{asked}");
        }
    }

    /// A new set, as soon as this is so.
    fn at(rules: &Rules, moment: fn(&State) -> bool) -> State {
        let mut state = Start::anew(Setting::Equal).state(rules, &State::well(rules), Budget::A_TROUBLE);
        while !moment(&state) || !state.life.queue.is_empty() {
            state = state.next(rules).expect("it becomes well first").1;
        }
        state
    }

    fn seed_is_sent(state: &State) -> bool {
        state.flights.iter().any(Flight::acts)
    }

    /// The law would have passed over the one that holds more.
    #[test]
    fn a_seed_on_its_way_does_not_wait_for_a_label_after_a_copy() {
        let rules = Rules::of(Setting::Equal, 3);
        let mut state = at(&rules, seed_is_sent);
        state.write_to(0, &[1], true);
        let member = &mut state.members[1];
        let mut record = member.record.as_deref().cloned().expect("it was read");
        record.joining = true;
        (member.record, member.joining) = (Some(Kept::new(record)), true);
        let if_pod = member.pod.as_ref().map(|pod| pod.uid.clone()).expect("it waits in a pod");
        let container = member.container().cloned().expect("it waits in a container");
        let (pod, role, phase) = (if_pod.clone(), Role::Secondary, Phase::Running);
        member.process = Some(Process { pod, container, role, lineage: 0, phase, broken: false });
        let label = Step::Label { replica: name(1), if_pod, active: true, role: None };
        state.life.queue = vec![Effect::Step(Kept::new(label))];
        assert_eq!(missed(&state, &rules), None);
    }

    /// The law would have asked another record of the one that holds more.
    #[test]
    fn a_seed_on_its_way_does_not_wait_for_a_record() {
        let rules = Rules::of(Setting::Equal, 3);
        let mut state = at(&rules, seed_is_sent);
        state.write_to(0, &[1], true);
        let member = &state.members[1];
        let mut record = member.record.as_deref().cloned().expect("it was read");
        record.joining = true;
        let (claim, version) = (member.claim.clone(), member.version.clone());
        state.life.queue = vec![Effect::Record { at: 1, claim, record: Kept::new(record), version }];
        assert_eq!(missed(&state, &rules), None);
    }

    /// It would have been forgotten with what was known before.
    #[test]
    fn what_is_heard_of_an_attempt_does_not_wait_until_it_is_forgotten() {
        let rules = Rules::of(Setting::Equal, 3);
        let mut state = at(&rules, seed_is_sent);
        let attempt = state.flights[0].attempt.clone();
        let mut memory = state.status.as_deref().cloned().expect("it was promised");
        memory.outages += 1;
        let (memory, version) = (Kept::new(memory), state.version.clone());
        state.life.queue = vec![Effect::Memory { memory, version }, Effect::Forget([attempt].into())];
        assert_eq!(missed(&state, &rules), None);
    }

    /// Of the first one.
    fn stop(state: &State, if_pod: PodUid) -> Run {
        Run {
            replica: name(0),
            command: Command::Stop,
            attempt: AttemptId("stop".to_owned()),
            if_pod,
            if_container: state.members[0].container().cloned().expect("it serves"),
            lock: false,
            starts: 1,
            at_rest: false,
            epoch: 1,
            peers: Vec::new(),
            cause: Cause::Failed,
        }
    }

    /// The last one that serves would have been taken, and by then it is not the last.
    #[test]
    fn whoever_comes_up_does_not_wait_until_another_one_is_deleted_or_stopped() {
        let rules = Rules::of(Setting::Equal, 3);
        let copies = |state: &State| state.members[1].process.as_ref().is_some_and(|process| !process.runs());
        let mut state = at(&rules, copies);
        let pod = state.members[0].pod.as_ref().expect("it serves").uid.clone();
        let recycle = Step::Recycle {
            replica: name(0),
            if_pod: pod.clone(),
            grace_seconds: None,
            cause: Cause::Failed,
        };
        state.life.served = [0].into();
        for step in [recycle, Step::Run(stop(&state, pod))] {
            state.life.queue = vec![Effect::Step(Kept::new(step))];
            assert_eq!(missed(&state, &rules), None);
        }
    }
}
